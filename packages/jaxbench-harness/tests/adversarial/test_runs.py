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


def test_every_try_is_counted_and_the_same_name_hides_nobody(tmp_path, monkeypatch):
    """Tricks 34 and 43: three tries under one name leave as many records, told apart by seed and by digest.

    Tricks 17, 38, 39: the process that runs a candidate is sent no seed; what is not sent is not found.
    """
    sent = []
    encode = supervisor.encode_request
    monkeypatch.setattr(supervisor, "encode_request", lambda body, blobs: sent.append(body) or encode(body, blobs))
    path = tmp_path / "evaluations.jsonl"
    zeros = BY_NAME["not_doing_the_work/zeros_for_empty"]
    for attempt in (PLAIN, PLAIN, zeros):
        append_record(path, judge(attempt, name="gemm", seed=None))

    records = list(read_records(path))
    assert len({record.evaluation_id for record in records}) == 3
    assert {record.candidate.name for record in records} == {"gemm"}
    plain, _, wrong = (attempt.candidate.digest for attempt in (PLAIN, PLAIN, zeros))
    assert [record.candidate.digest for record in records] == [plain, plain, wrong]
    assert plain != wrong
    assert [isinstance(record.verdict, Passed) for record in records] == [True, True, False]
    seeds = [draw.seed for record in records[:2] for draw in record.check.draws]
    assert len(set(seeds)) == len(seeds) == 2

    traces, checks = sent[::3][:2], sent[2::3][:2]
    for trace, check, seed in zip(traces, checks, seeds, strict=True):
        assert "seed" not in trace
        assert str(seed) not in trace
        assert str(seed) in check
