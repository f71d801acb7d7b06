"""What holds for a run of many candidates: none changes the record of another, and each try is counted."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from adversarial_suite import (
    OF_ONE_EVALUATION,
    PENDING,
    assert_record,
    attempts,
    comparable,
    compiling,
    config_of,
    honest_record,
    is_in_company,
    judge,
)

from jaxbench_harness.caching import Cache
from jaxbench_harness.evaluate import new_run_id
from jaxbench_harness.isolation import probe_sandbox, supervisor
from jaxbench_harness.records import Passed
from jaxbench_harness.store import append_record, prepare_record_file, read_records


@pytest.fixture(autouse=True)
def _without_the_compiler():
    with compiling(wanted=False):
        yield


BY_NAME = {attempt.name: attempt for attempt in attempts()}
PLAIN = BY_NAME["honest/plain"]


def test_no_candidate_changes_the_record_of_another(tmp_path):
    """The attacks and honest candidates alternate in one run: one record file, one cache, two evaluations at a time.

    Each attack comes to what its header says, and the honest records are those that are made alone.
    """
    namespaces = not probe_sandbox().gaps
    attacks = [each for each in BY_NAME.values() if is_in_company(each) and (namespaces or not each.sandbox)]
    assert len(attacks) > 15
    alone = comparable(honest_record("plain", compiled=False), leave_out=OF_ONE_EVALUATION | {"sandbox"})
    path = prepare_record_file(tmp_path / "results" / "evaluations.jsonl")
    cache, run_id = Cache(tmp_path / "cache"), new_run_id()
    order = list(attacks)
    for place in range(0, len(attacks) + 6, 6):
        order.insert(place, PLAIN)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda each: append_record(path, judge(each, cache=cache, run_id=run_id)), order))

    records = list(read_records(path))
    assert sorted(record.candidate.digest for record in records) == sorted(each.candidate.digest for each in order)
    assert len({record.evaluation_id for record in records}) == len(order)
    assert {record.run_id for record in records} == {run_id}
    honest = [record for record in records if record.candidate.name == PLAIN.name]
    assert len(honest) == order.count(PLAIN) >= 4
    for record in honest:
        assert comparable(record, leave_out=OF_ONE_EVALUATION | {"sandbox"}) == alone
    by_name = {record.candidate.name: record for record in records}
    for attack in attacks:
        if attack.name not in PENDING:
            assert_record(attack, by_name[attack.name])


def test_every_try_is_counted_on_inputs_of_its_own(tmp_path):
    """Trick 34: to submit many times and keep the luckiest leaves as many records, each with a seed drawn for it."""
    path = tmp_path / "evaluations.jsonl"
    for _ in range(2):
        append_record(path, judge(PLAIN, seed=None))
    records = list(read_records(path))
    assert len({record.evaluation_id for record in records}) == 2
    assert {record.candidate.digest for record in records} == {PLAIN.candidate.digest}
    seeds = [draw.seed for record in records for draw in record.check.draws]
    assert len(set(seeds)) == len(seeds) == 2


def test_the_same_name_hides_nobody(tmp_path):
    """Trick 43: candidates of one name in one file are told apart by the digest of their content."""
    path = tmp_path / "evaluations.jsonl"
    zeros = BY_NAME["not_doing_the_work/zeros_for_empty"]
    for attempt in (PLAIN, zeros):
        append_record(path, judge(attempt, name="gemm"))
    right, wrong = read_records(path)
    assert right.candidate.name == wrong.candidate.name == "gemm"
    assert isinstance(right.verdict, Passed)
    assert not isinstance(wrong.verdict, Passed)
    assert (right.candidate.digest, wrong.candidate.digest) == (PLAIN.candidate.digest, zeros.candidate.digest)
    assert right.candidate.digest != wrong.candidate.digest


def test_the_process_that_runs_candidates_is_sent_no_seed(monkeypatch):
    """Tricks 17, 38, 39: what is not sent is not found, wherever in memory it is looked for."""
    sent = []
    encode = supervisor.encode_request
    monkeypatch.setattr(
        supervisor, "encode_request", lambda body, blobs: sent.append((body, blobs)) or encode(body, blobs)
    )
    judge(PLAIN)
    (trace, _), _, (check, _) = sent
    for secret in ("seed", str(config_of(PLAIN).seed)):
        assert secret not in trace
        assert secret in check
