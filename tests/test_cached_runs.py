"""A second evaluation of the same: what comes from the cache, what is done anew, and what the record says of it."""

import importlib.util
import json

import jax
import jax.numpy as jnp
import jsonschema
import pytest
from command_line import CommandLine
from jax import export

from jaxbench_harness.caching import Cache
from jaxbench_harness.candidate import xla_baseline
from jaxbench_harness.compiling.messages import ProbeAnswer
from jaxbench_harness.isolation import Spent
from jaxbench_harness.program import Program
from jaxbench_harness.records import CompileSkipped, FailureCode, Owner, ResolvedConfig, Stage
from jaxbench_harness.registry import find_workload
from jaxbench_harness.stages.check_stage import check_numbers
from jaxbench_harness.stages.compile_stage import GuardedPrograms
from jaxbench_harness.stages.outcome import StageError
from jaxbench_harness.stages.trace_stage import TracedPrograms
from jaxbench_harness.targets import get_target

needs_libtpu = pytest.mark.skipif(
    importlib.util.find_spec("libtpu") is None, reason="libtpu exists for x86-64 Linux only"
)

OF_THIS_RUN = ("evaluation_id", "run_id", "created_at", "stages", "sandbox")


def _cached(record: dict) -> dict[str, str | None]:
    return {time["stage"]: time["cached"] for time in record["stages"]}


@needs_libtpu
def test_a_second_run_compiles_nothing_and_checks_anew(jaxbench: CommandLine) -> None:
    def run(*options: str) -> dict:
        (record,) = jaxbench("run", "12p_RMSNorm", "--json", *options).document["records"]
        return record

    def files() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in jaxbench.cache.rglob("*")}

    first, second, fresh = run("--seed", "1"), run("--seed", "1"), run()
    before = files()
    without = run("--seed", "1", "--no-cache")
    assert files() == before, "neither read nor written"
    nothing = {"trace": None, "compile": None, "check": None, "time": None}
    reused = {"trace": "result", "compile": "result", "check": "executables", "time": "result"}
    assert [_cached(record) for record in (first, second, fresh, without)] == [nothing, reused, reused, nothing]
    for field in first.keys() - set(OF_THIS_RUN):
        assert second[field] == first[field], field
    for field in first.keys() - {*OF_THIS_RUN, "compile"}:
        assert without[field] == first[field], field
    assert without["compile"] | {"compile_s": 0} == first["compile"] | {"compile_s": 0}
    assert {draw["seed"] for draw in fresh["check"]["draws"]} != {1}
    assert fresh["check"]["draws"][0]["metrics"] != first["check"]["draws"][0]["metrics"]
    assert second["sandbox"] is None, "no candidate code ran"
    assert first["sandbox"] is not None
    assert first["sandbox"] == without["sandbox"]
    for time in first["stages"]:
        assert time["cpu_s"] > 0
        assert 50e6 < time["peak_bytes"] < first["config"]["resident_bytes"]
    assert [time["peak_bytes"] for time in second["stages"][:2]] == [None, None]


def test_the_cache_is_shown_and_cleared(jaxbench: CommandLine) -> None:
    empty = jaxbench("cache", "show", "--json").document
    assert (empty["path"], empty["entries"], empty["kinds"]) == (str(jaxbench.cache), 0, {})
    assert not jaxbench.cache.exists()

    cache = Cache(jaxbench.cache)
    for number, kind in enumerate(("trace", "trace", "compile")):
        cache.put(kind, f"{number:064x}", ProbeAnswer(device_kind="x"), [bytes(1000)])
    shown = jaxbench("cache", "show", "--json").document
    jsonschema.validate(shown, json.loads(jaxbench("schema", "cache").out))
    assert {kind: summary["entries"] for kind, summary in shown["kinds"].items()} == {"trace": 2, "compile": 1}
    assert shown["entry_bytes"] == sum(path.stat().st_size for path in jaxbench.cache.glob("*/*"))
    findings = {finding["name"]: finding for finding in jaxbench("doctor", "--json").document["findings"]}
    assert findings["cache"]["status"] == "ok"
    assert findings["cache"]["detail"].endswith(f" in {jaxbench.cache}")

    assert jaxbench("cache", "clear").out.startswith("removed 3 entries of 3.")
    assert cache.entries() == []
    assert jaxbench.left() == []


def _needs_much_memory(x: jax.Array, weight: jax.Array) -> jax.Array:
    # Sorting needs the operand and the result in memory: 2 GiB each.
    shuffled = jax.lax.sort(jnp.arange(2**29, dtype=jnp.float32) * x[0, 0, 0].astype(jnp.float32))
    return (x * weight * shuffled[0].astype(x.dtype)).astype(x.dtype)


def test_a_program_that_needs_too_much_memory_is_ended() -> None:
    workload = find_workload("12p_RMSNorm")
    specs = [spec.at(workload.size("check").dims) for spec in workload.array_inputs]
    shapes = [jax.ShapeDtypeStruct(spec.shape, spec.dtype) for spec in specs]
    content = bytes(export.export(jax.jit(_needs_much_memory), platforms=["cpu"])(*shapes).serialize())
    with pytest.raises(StageError) as raised:
        check_numbers(
            TracedPrograms((Program("check", "cpu", content),), None, Spent(0.0)),
            xla_baseline(workload),
            workload,
            get_target("v6e"),
            config=ResolvedConfig(target="v6e", resident_bytes=10**9),
            guarded=GuardedPrograms(CompileSkipped(reason="not asked"), 0, 0, Spent(0.0)),
            seed=1,
        )
    verdict = raised.value.verdict
    assert (verdict.stage, verdict.owner, verdict.code) == (Stage.CHECK, Owner.CANDIDATE, FailureCode.MEMORY)
    assert verdict.reason.startswith("running the candidate: used ")
    assert verdict.reason.endswith(" bytes of memory, the limit is 1000000000")
