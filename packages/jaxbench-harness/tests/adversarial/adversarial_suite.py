"""Runs candidates that cheat, and honest ones beside them, and says what must come of each.

A candidate is a file in a folder beside this one, named after its class. Its header, in the docstring or in comments
at the top, says in `key: value` lines what must come of it:

    trick       number of the trick in TRICKS; several are separated by blanks; absent for honest ones and for
                attacks on the machinery
    workload    id of the workload that it is judged on; `product` if absent
    outcome     reject, flag, neutral, nothing, pass or gap (see OUTCOMES)
    stage       where a rejected candidate fails
    code        with which FailureCode
    says        part of the reason that the verdict has to give
    flags       all flags of the record of one that passes, but for not_compiled where `compile` is no; none if absent
    like        the honest candidate whose record one without effect has to equal; `plain` if absent
    compile     yes: the target's compiler is asked too; no if absent, for speed
    config      fields of the config other than the suite's, such as `trace_timeout_s=8`
    sandbox     required: skipped where the kernel grants no namespaces, because the trick would reach the host there
"""

import contextlib
import functools
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

import pytest

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.caching import Cache
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.compiling.messages import CompileRequest
from jaxbench_harness.evaluate import evaluate
from jaxbench_harness.isolation import probe_sandbox
from jaxbench_harness.records import Failed, Owner, Passed, Record, ResolvedConfig
from jaxbench_harness.registry import find_workload
from jaxbench_harness.stages import compile_stage
from jaxbench_harness.targets import get_target

HERE = Path(__file__).parent
SEED = 20_240_607
PATIENCE_S = 300.0
"""Wall limit of a trace, so that no outcome depends on what else the machine does."""
OUTCOMES = {
    "reject": "the verdict is a failure of the candidate, with this stage and code",
    "flag": "passes with at least one flag",
    "neutral": "passes, and its record is that of an honest candidate without the trick",
    "nothing": "finds nothing, or it would raise; its record is that of an honest candidate that does not look",
    "pass": "an honest candidate; passes",
    "gap": "gets through; a limit of this version that the threat model admits",
}
CLASSES = {
    "not_doing_the_work": "Not doing the work",
    "reusing_work": "Reusing work",
    "faking_the_clock": "Faking the clock",
    "forging_the_result": "Forging the result",
    "machinery": "Attacks on the machinery",
    "honest": "Honest controls",
}
PENDING: dict[str, str] = {}
"""Candidates, by class and file name, whose required outcome does not hold yet, with the reason."""

OF_ONE_EVALUATION = frozenset({"evaluation_id", "run_id", "created_at", "stages"})
_OF_ONE_SOURCE = frozenset({"candidate", "programs"})
_HEADER_LINE = re.compile(r"^(?:# ?)?([a-z]+): (\S.*?)\s*$")
_KEYS = frozenset({
    "trick", "workload", "outcome", "stage", "code", "says", "flags", "like", "compile", "config", "sandbox",
})  # fmt: skip


@dataclass(frozen=True)
class Attempt:
    """A candidate file with what must come of it."""

    path: Path
    statement: str
    outcome: str
    tricks: tuple[int, ...] = ()
    workload: str = "product"
    stage: str = ""
    code: str = ""
    says: str = ""
    flags: frozenset[str] = frozenset()
    like: str = "plain"
    compiled: bool = False
    config: dict[str, float] = field(default_factory=dict)
    sandbox: bool = False

    @property
    def name(self) -> str:
        """Class and file name, such as `reusing_work/caches_by_identity`."""
        return f"{self.path.parent.name}/{self.path.name.partition('.')[0]}"

    @property
    def candidate(self) -> Candidate:
        return Candidate(name=self.name, files={"candidate.py": self.path.read_bytes()}, main="candidate.py")


def read_attempt(path: Path) -> Attempt:
    """Reads the header of a file. Raises ValueError that names the file where it is incomplete or has other keys."""
    lines = path.read_bytes().decode(errors="replace").splitlines()
    statement = lines[0].lstrip('"# ').removesuffix('"""').strip()
    header: dict[str, str] = {}
    for line in lines[1:40]:
        if line.startswith(('"""', "import ", "from ")):
            break
        if (found := _HEADER_LINE.match(line)) and found[1] in _KEYS:
            header[found[1]] = found[2]
    if header.get("outcome") not in OUTCOMES:
        raise ValueError(f"{path}: outcome is {header.get('outcome')!r}, expected one of {', '.join(OUTCOMES)}")
    if (header["outcome"] == "reject") != ("stage" in header and "code" in header):
        raise ValueError(f"{path}: a rejected candidate has stage and code, others have neither")
    config = dict(item.split("=") for item in header.get("config", "").split())
    return Attempt(
        path=path,
        statement=statement,
        outcome=header["outcome"],
        tricks=tuple(map(int, header.get("trick", "").split())),
        workload=header.get("workload", "product"),
        stage=header.get("stage", ""),
        code=header.get("code", ""),
        says=header.get("says", ""),
        flags=frozenset(header.get("flags", "").split()),
        like=header.get("like", "plain"),
        compiled=header.get("compile") == "yes",
        config={name: float(value) for name, value in config.items()},
        sandbox=header.get("sandbox") == "required",
    )


def attempts() -> list[Attempt]:
    """Returns all candidates, in the order of classes and file names."""
    return [read_attempt(path) for folder in CLASSES for path in sorted((HERE / folder).glob("*.py*"))]


IN_COMPANY = (
    "faking_the_clock/slows_the_baseline",
    "faking_the_clock/works_in_the_background",
    "forging_the_result/leaves_a_result_file",
    "forging_the_result/shadows_modules",
    "forging_the_result/writes_to_descriptors_at_exit",
    "reusing_work/looks_for_earlier_records",
    "reusing_work/replays_from_disk",
)
"""Tricks that reach out of their process. They and the attacks on the machinery are judged together, in `test_runs`."""


def is_in_company(attempt: Attempt) -> bool:
    return attempt.name in IN_COMPANY or attempt.path.parent.name == "machinery"


def parameters(selected: list[Attempt]) -> list:
    """Returns the candidates as parameters of a test; those in PENDING are expected to fail."""
    return [
        pytest.param(
            attempt,
            id=attempt.name,
            marks=_marks(attempt),
        )
        for attempt in selected
    ]


def _marks(attempt: Attempt) -> list:
    marks = [pytest.mark.xfail(reason=PENDING[attempt.name])] if attempt.name in PENDING else []
    if attempt.like != "plain":  # one process judges the honest twin of all that have it
        marks.append(pytest.mark.xdist_group(attempt.like))
    return marks


def config_of(attempt: Attempt, **changes: object) -> ResolvedConfig:
    own = {"target": "v6e", "seed": SEED, "trace_timeout_s": PATIENCE_S}
    return ResolvedConfig.model_validate(own | attempt.config | changes)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Returns a folder that is removed when this process ends."""
    return tempfile.TemporaryDirectory(prefix="adversarial-")


def _cache(*, compiled: bool) -> Cache:
    """Returns a cache, for compiled references. What only the guard has seen is not taken for compiled."""
    return Cache(Path(_folder().name) / f"compiled-{compiled}")


@contextlib.contextmanager
def compiling(*, wanted: bool) -> Iterator[None]:
    """Has evaluations ask the target's compiler, or only the guard, which is faster; not for use in threads."""

    def request(**fields: object) -> CompileRequest:
        return CompileRequest.model_validate(fields | {"guard_only": not wanted})

    with mock.patch.object(compile_stage, "CompileRequest", request):
        yield


def judge(
    attempt: Attempt,
    *,
    name: str | None = None,
    cache: Cache | None = None,
    run_id: str | None = None,
    **changes: object,
) -> Record:
    """Evaluates a candidate.

    Args:
        attempt: What is judged.
        name: Name that it is given instead of its own.
        cache: Cache; None for none.
        run_id: Run that it belongs to; a new one by default.
        changes: Fields of the config instead of the suite's and the header's.
    """
    candidate = replace(attempt.candidate, name=name or attempt.name)
    workload, config = find_workload(attempt.workload), config_of(attempt, **changes)
    return evaluate(candidate, workload, config, run_id=run_id, cache=cache)


@functools.cache
def honest_record(name: str, *, compiled: bool) -> Record:
    """Returns the record of an honest candidate that was judged alone."""
    (path,) = (HERE / "honest").glob(f"{name}.py")
    with compiling(wanted=compiled):
        return judge(read_attempt(path), cache=_cache(compiled=compiled))


def comparable(record: Record, *, leave_out: frozenset[str] = OF_ONE_EVALUATION) -> dict:
    """Returns what two evaluations of the same have in common: all but ids and times."""
    document = record.model_dump(mode="json", exclude=set(leave_out))
    if document["compile"] is not None:
        document["compile"].pop("compile_s", None)
    return document


def _forget_names(document: dict) -> None:
    """Removes what two sources of the same work differ in."""
    for report in (document["compile"], document.get("program")):
        if report is not None:
            report.pop("program_digest", None)
            for kernel in report.get("kernels", ()):
                kernel.pop("name")


def assert_outcome(attempt: Attempt) -> None:
    """Judges a candidate and asserts what its header says."""
    if attempt.sandbox and (gaps := probe_sandbox()).gaps:
        pytest.skip(f"no namespaces on this machine: {gaps.reason}")
    with compiling(wanted=attempt.compiled):
        record = judge(attempt, cache=_cache(compiled=attempt.compiled))
    assert_record(attempt, record)


def assert_record(attempt: Attempt, record: Record) -> None:
    """Asserts that the record of a candidate is what its header says."""
    assert record.timing is None
    assert record.bound == bound_for(find_workload(attempt.workload), get_target(record.config.target))
    verdict = record.verdict
    if attempt.outcome == "reject":
        assert isinstance(verdict, Failed), record.flags
        found = (verdict.stage, verdict.code, verdict.owner)
        assert found == (attempt.stage, attempt.code, Owner.CANDIDATE), verdict
        assert attempt.says in verdict.reason
        return
    assert isinstance(verdict, Passed), verdict
    flags = {flag.code.value for flag in record.flags}
    if not attempt.compiled:
        flags.remove("not_compiled")
    assert flags == attempt.flags, record.flags
    if attempt.outcome == "flag":
        assert flags
    if attempt.outcome in {"neutral", "nothing"}:
        left_out = OF_ONE_EVALUATION | _OF_ONE_SOURCE
        honest = honest_record(attempt.like, compiled=attempt.compiled)
        own, twin = (comparable(each, leave_out=left_out) for each in (record, honest))
        own["config"] |= {name: twin["config"][name] for name in attempt.config}
        for document in (own, twin):
            _forget_names(document)
        assert own == twin
        programs = [[(each.size, each.platform) for each in pair.programs] for pair in (record, honest)]
        assert programs[0] == programs[1]
