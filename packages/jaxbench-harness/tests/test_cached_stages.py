"""What the stages take from the cache and what they keep in it; the workers are replaced by canned answers."""

import contextlib
import dataclasses

import pytest

from jaxbench_harness.caching import Cache
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.check.messages import CheckAnswer, CheckFailure
from jaxbench_harness.compiling.messages import CompileAnswer, GuardRefused
from jaxbench_harness.isolation import Answer, NoAnswer, Spent
from jaxbench_harness.program import Program
from jaxbench_harness.records import (
    Compiled,
    CompileRefused,
    CompileSkipped,
    FailureCode,
    Owner,
    ResolvedConfig,
    Stage,
    Verifier,
)
from jaxbench_harness.stages import check_stage, compile_stage, trace_stage
from jaxbench_harness.stages.compile_stage import GuardedPrograms
from jaxbench_harness.stages.outcome import StageError
from jaxbench_harness.targets import get_target
from jaxbench_harness.tracing.messages import (
    CallSpec,
    ProgramHeader,
    TraceAnswer,
    Traced,
    TraceFailed,
    TraceRequest,
)

V6E = get_target("v6e")
CONFIG = ResolvedConfig(target="v6e")
CANDIDATE = Candidate(name="c", files={"candidate.py": b"def workload(): ..."}, main="candidate.py")
PROGRAMS = (Program("full", "tpu", b"F"), Program("check", "tpu", b"C"), Program("check", "cpu", b"I"))
HEADERS = tuple(ProgramHeader(size=program.size, platform=program.platform) for program in PROGRAMS)
SPENT = Spent(wall_s=5.0, cpu_s=4.0, peak_bytes=2**28)
NO_ANSWERS = [
    NoAnswer(code, "reason", Stage.COMPILE, "", SPENT)
    for code in (FailureCode.TIMEOUT, FailureCode.MEMORY, FailureCode.CRASHED, FailureCode.EXITED, FailureCode.PROTOCOL)
]


class Workers:
    """Stands in for `run_worker`: gives the next answer and notes what it was asked."""

    def __init__(self):
        self.answers = []
        self.asked = []

    def __call__(self, worker, request, answer_type, *, limits, blobs=(), environment=None, sandboxed=False):
        self.asked.append((worker, request, list(blobs)))
        answer = self.answers.pop(0)
        return answer if isinstance(answer, NoAnswer) else Answer(answer[0], tuple(answer[1]), "", SPENT)


@pytest.fixture
def workers(monkeypatch):
    canned = Workers()
    for stage in (trace_stage, compile_stage, check_stage):
        monkeypatch.setattr(stage, "run_worker", canned)
    return canned


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path)


# trace


def _traced(*sources, interpreter_error=None):
    traced = Traced(programs=HEADERS, interpreter_error=interpreter_error, sources=tuple(map(str, sources)))
    return TraceAnswer(result=traced), [program.content for program in PROGRAMS]


def _trace(workload, cache):
    return trace_stage.trace_programs(CANDIDATE, workload, V6E, CONFIG, cache)


def test_a_trace_is_made_once(workload, workers, cache):
    workers.answers = [_traced()]
    first, second = _trace(workload, cache), _trace(workload, cache)
    assert first.programs == second.programs == PROGRAMS
    assert (first.cached, second.cached) == (None, "result")
    assert first.spent == SPENT
    assert (second.spent.cpu_s, second.spent.peak_bytes) == (0.0, None)
    assert len(workers.asked) == 1


def test_without_a_cache_nothing_is_kept(workload, workers, tmp_path):
    workers.answers = [_traced(), _traced()]
    assert _trace(workload, None).cached is _trace(workload, None).cached is None
    assert len(workers.asked) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_trace_is_made_again_when_a_module_it_imported_changes(workload, workers, cache, tmp_path):
    module = tmp_path / "layers.py"
    module.write_text("x = 1")
    workers.answers = [_traced(module), _traced(module)]
    _trace(workload, cache)
    assert _trace(workload, cache).cached == "result"
    module.write_text("x = 2")
    assert _trace(workload, cache).cached is None
    assert _trace(workload, cache).cached == "result"
    assert len(workers.asked) == 2


def test_a_trace_of_modules_that_cannot_be_read_is_not_kept(workload, workers, cache, tmp_path):
    workers.answers = [_traced(tmp_path / "missing.py")]
    assert _trace(workload, cache).programs == PROGRAMS
    assert cache.entries() == []


def test_failures_of_a_trace_are_not_kept(workload, workers, cache):
    failure = TraceFailed(stage=Stage.TRACE, code=FailureCode.RAISED, reason="no network", log="")
    workers.answers = [(TraceAnswer(result=failure), []), *NO_ANSWERS, (_traced()[0], [])]
    for _ in range(len(workers.answers)):
        with pytest.raises(StageError) as raised:
            _trace(workload, cache)
        assert raised.value.time.cached is None
    assert workers.answers == []
    assert cache.entries() == []


def test_a_damaged_trace_is_made_again(workload, workers, cache):
    workers.answers = [_traced(), _traced()]
    _trace(workload, cache)
    (entry,) = cache.entries()
    entry.path.write_bytes(entry.path.read_bytes().replace(b"full", b"fool"))
    assert _trace(workload, cache).cached is None
    assert _trace(workload, cache).cached == "result"


def _trace_key(workload, candidate=CANDIDATE, target=V6E, config=CONFIG):
    source, _ = trace_stage.source_request(candidate, target)
    calls = tuple(CallSpec.of(workload, workload.size(name)) for name in ("full", "check"))
    return trace_stage.trace_key(
        candidate, TraceRequest(source=source, calls=calls, interpret_sizes=("check",)), config
    )


def test_a_trace_depends_on_source_call_chip_memory_and_installed_code(workload, monkeypatch):
    size = workload.size("full")
    larger = dataclasses.replace(
        workload, sizes=workload.sizes | {"full": dataclasses.replace(size, dims=size.dims | {"M": 512})}
    )
    source = dataclasses.replace(CANDIDATE, files={"candidate.py": b"def workload(): pass"})
    keys = [
        _trace_key(workload),
        _trace_key(larger),
        _trace_key(workload, source),
        _trace_key(workload, dataclasses.replace(CANDIDATE, entry_point="other")),
        _trace_key(workload, target=get_target("v7x")),
        _trace_key(workload, config=CONFIG.model_copy(update={"memory_bytes": 2**33})),
    ]
    for name, value in (("code_digest", "0" * 64), ("installed_packages", ("jax==0",))):
        with monkeypatch.context() as patched:
            patched.setattr(trace_stage, name, lambda value=value: value)
            keys.append(_trace_key(workload))
    assert len(set(keys)) == len(keys)
    named = dataclasses.replace(CANDIDATE, name="another name")
    assert _trace_key(workload, named, config=CONFIG.model_copy(update={"seed": 3})) == keys[0]


# compile


def _compiled(digest=PROGRAMS[0].digest):
    return Compiled(
        program_digest=digest,
        compile_s=12.5,
        argument_bytes=1,
        output_bytes=2,
        temp_bytes=3,
        code_bytes=4,
        fits_hbm=True,
        flops=None,
        bytes_accessed=None,
        kernels=(),
    )


def _refused(message):
    return CompileRefused(compile_s=1.0, message=message)


def _compile(workload, cache, **config):
    return compile_stage.guard_and_compile(PROGRAMS, workload, V6E, CONFIG.model_copy(update=config), cache=cache)


def test_a_program_is_compiled_once_and_says_how_long_that_took(workload, workers, cache):
    workers.answers = [(CompileAnswer(result=_compiled(), kernels=2, check_kernels=1), [])]
    first, second = _compile(workload, cache), _compile(workload, cache)
    assert first == GuardedPrograms(_compiled(), 2, 1, SPENT, None)
    assert (second.report, second.kernels, second.check_kernels) == (_compiled(), 2, 1)
    assert second.cached == "result"
    assert second.spent.cpu_s == 0.0
    assert second.spent.wall_s < second.report.compile_s


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (_refused("Ran out of memory in memory space vmem. Used 60M of 32M vmem"), FailureCode.VMEM_EXHAUSTED),
        (_refused("RESOURCE_EXHAUSTED: memory space hbm. Used 17.1G of 15.7G hbm"), FailureCode.HBM_EXHAUSTED),
        (_refused("UNIMPLEMENTED: no such dtype"), FailureCode.UNSUPPORTED),
        (GuardRefused(code=FailureCode.EFFECTS, reason="has side effects"), FailureCode.EFFECTS),
    ],
    ids=["vmem", "hbm", "unsupported", "guard"],
)
def test_refusals_for_good_are_kept(workload, workers, cache, result, code):
    workers.answers = [(CompileAnswer(result=result), [])]
    failures = []
    for _ in range(2):
        with pytest.raises(StageError) as raised:
            _compile(workload, cache)
        failures.append(raised.value)
    assert failures[0].verdict == failures[1].verdict
    assert failures[0].compile == failures[1].compile
    assert failures[0].verdict.code is code
    assert [failure.time.cached for failure in failures] == [None, "result"]


@pytest.mark.parametrize(
    "answer",
    [
        (CompileAnswer(result=_refused("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes")), []),
        (CompileAnswer(result=_refused("INTERNAL: cannot write /tmp/x")), []),
        (CompileAnswer(result=_refused("")), []),
        (CompileAnswer(result=GuardRefused(code=FailureCode.PROTOCOL, reason="cannot be read: MemoryError")), []),
        (CompileAnswer(result=CompileSkipped(reason="libtpu is not installed")), []),
        *NO_ANSWERS,
    ],
    ids=["host memory", "disk", "silence", "unreadable", "no libtpu", *(str(ended.code) for ended in NO_ANSWERS)],
)
def test_what_another_try_may_answer_otherwise_is_not_kept(workload, workers, cache, answer):
    workers.answers = [answer]
    with contextlib.suppress(StageError):
        _compile(workload, cache)
    assert cache.entries() == []


def test_a_required_kernel_is_asked_for_of_cached_answers_too(workload, workers, cache):
    workers.answers = [(CompileAnswer(result=_compiled()), [])]
    _compile(workload, cache)
    with pytest.raises(StageError, match="requires one"):
        _compile(workload, cache, require_pallas=True)


def test_a_compile_depends_on_programs_contract_target_compiler_and_code(workload, monkeypatch):
    key = compile_stage.compile_key
    other_output = dataclasses.replace(workload, output=dataclasses.replace(workload.output, dtype="bfloat16"))
    keys = [
        key(PROGRAMS, workload, V6E),
        key((Program("full", "tpu", b"G"), *PROGRAMS[1:]), workload, V6E),
        key((*PROGRAMS[:2], Program("check", "cpu", b"J")), workload, V6E),
        key(PROGRAMS[:2], workload, V6E),
        key(PROGRAMS, other_output, V6E),
        key(PROGRAMS, dataclasses.replace(workload, id="other"), V6E),
        key(PROGRAMS, workload, get_target("v5e")),
        key(PROGRAMS, workload, V6E.model_copy(update={"hbm_bytes": 1})),
    ]
    for name, value in (
        ("code_digest", lambda: "0" * 64),
        ("compiler_environment", lambda target: {"LIBTPU_INIT_ARGS": "--x"}),
        ("package_version", lambda package: "9" if package == "libtpu" else "1"),
        ("package_version", lambda package: "9" if package == "jaxlib" else "1"),
        ("package_version", lambda package: "9" if package == "jax" else "1"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(compile_stage, name, value)
            keys.append(key(PROGRAMS, workload, V6E))
    assert len(set(keys)) == len(keys)
    assert key(PROGRAMS, dataclasses.replace(workload, title="another title"), V6E) == keys[0]


# check


def _checked(passed_record, failure=None):
    return CheckAnswer(verifier=Verifier.XLA_CPU, draws=passed_record.check.draws, failure=failure)


def _check(workload, cache, seed=1):
    return check_stage.check_numbers(
        trace_stage.TracedPrograms(PROGRAMS, None, SPENT),
        CANDIDATE,
        workload,
        V6E,
        config=CONFIG,
        guarded=GuardedPrograms(_compiled(), 0, 0, SPENT),
        seed=seed,
        cache=cache,
    )


def test_a_check_always_runs_and_only_its_executables_are_kept(workload, workers, cache, passed_record):
    answer = _checked(passed_record)
    workers.answers = [(answer, [b"bundle"]), (answer, []), (answer, [b"larger bundle"]), (answer, [])]
    cached = [_check(workload, cache, seed).cached for seed in (1, 2, 3, 4)]
    assert cached == [None, "executables", "executables", "executables"]
    assert [request.seed for _, request, _ in workers.asked] == [1, 2, 3, 4]
    assert [blobs for *_, blobs in workers.asked] == [
        [b"I", b""],
        [b"I", b"bundle"],
        [b"I", b"bundle"],
        [b"I", b"larger bundle"],
    ]
    assert all(request.executables for _, request, _ in workers.asked)
    assert [entry.kind for entry in cache.entries()] == ["executables"]


def test_a_check_that_fails_keeps_its_executables_and_not_its_verdict(workload, workers, cache, passed_record):
    failure = CheckFailure(code=FailureCode.ELEMENT_ERROR, reason="wrong")
    workers.answers = [(_checked(passed_record, failure), [b"bundle"]), (_checked(passed_record), [])]
    with pytest.raises(StageError) as raised:
        _check(workload, cache)
    assert raised.value.time.cached is None
    assert _check(workload, cache).cached == "executables"


@pytest.mark.parametrize("ended", NO_ANSWERS, ids=[str(ended.code) for ended in NO_ANSWERS])
def test_a_check_without_an_answer_keeps_nothing(workload, workers, cache, ended):
    workers.answers = [ended]
    with pytest.raises(StageError):
        _check(workload, cache)
    assert cache.entries() == []


def test_without_a_cache_a_check_is_asked_for_no_executables(workload, workers, passed_record):
    workers.answers = [(_checked(passed_record), [])]
    assert _check(workload, None).cached is None
    ((_, request, blobs),) = workers.asked
    assert not request.executables
    assert blobs == [b"I"]


def test_executables_depend_on_workload_machine_and_versions(workload, monkeypatch):
    keys = [
        check_stage.executables_key(workload),
        check_stage.executables_key(dataclasses.replace(workload, version=3)),
    ]
    for name, value in (
        ("machine", lambda: ("another processor",)),
        ("package_version", lambda package: "9" if package == "jaxlib" else "1"),
        ("package_version", lambda package: "9" if package == "jax" else "1"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(check_stage, name, value)
            keys.append(check_stage.executables_key(workload))
    assert len(set(keys)) == len(keys)


# memory


@pytest.mark.parametrize(
    ("progress", "owner"),
    [(None, Owner.INFRASTRUCTURE), (Stage.GUARD, Owner.CANDIDATE), (Stage.COMPILE, Owner.CANDIDATE)],
)
def test_too_much_memory_is_the_candidates_once_its_program_is_read(workload, workers, progress, owner):
    workers.answers = [NoAnswer(FailureCode.MEMORY, "used 7 bytes of memory, the limit is 6", progress, "", SPENT)]
    with pytest.raises(StageError) as raised:
        _compile(workload, None)
    assert raised.value.verdict.owner is owner
    assert raised.value.verdict.code is FailureCode.MEMORY
    assert raised.value.verdict.reason == "compiling for v6e: used 7 bytes of memory, the limit is 6"
    assert raised.value.time.peak_bytes == SPENT.peak_bytes


@pytest.mark.parametrize(("progress", "owner"), [("reference", Owner.INFRASTRUCTURE), ("candidate", Owner.CANDIDATE)])
def test_too_much_memory_in_the_check_is_whose_code_ran(workload, workers, progress, owner):
    workers.answers = [NoAnswer(FailureCode.MEMORY, "used 7 bytes of memory, the limit is 6", progress, "", SPENT)]
    with pytest.raises(StageError) as raised:
        _check(workload, None)
    assert (raised.value.verdict.owner, raised.value.verdict.stage) == (owner, Stage.CHECK)
