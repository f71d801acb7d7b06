"""The public functions: from a program or its schedule to a predicted time."""

from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jaxbench_predictor.dumps.compiling import CompileError, Limits, compile_schedule
from jaxbench_predictor.execution.core import execute
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.execution.trace import Trace
from jaxbench_predictor.execution.values import UnpredictableError
from jaxbench_predictor.listing.model import ListingError
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import Machine, get_machine
from jaxbench_predictor.memory import FifoServer
from jaxbench_predictor.outcome import Prediction, Unavailable
from jaxbench_predictor.report import Bounds, make_report, write_timeline
from jaxbench_predictor.sparse_core import offloaded_opcodes, without_sparse_core


def predict(
    program: Callable[..., Any] | bytes,
    *specs: Any,
    target: str = "v6e",
    inputs: Inputs | Mapping[int | str, Any] | None = None,
    limits: Limits | None = None,
    timeline: Path | str | None = None,
    tensor_core_only: bool = False,
) -> Prediction | Unavailable:
    """Predicts the device time of one run of a program, in the steady state of back-to-back runs.

    Args:
        program: A function, which is traced with `specs`, or a Program that `jax.export` serialized for `tpu`.
        *specs: Arguments of the function: `jax.ShapeDtypeStruct`s, and arrays where control flow depends on their
            integers; none for a serialized Program.
        target: Name of the machine.
        inputs: Contents of further integer arguments, by position among all arrays or, of a function, by name.
        limits: What a compilation may use.
        timeline: File to write a timeline to, for https://ui.perfetto.dev or chrome://tracing; see `write_timeline`.
        tensor_core_only: Whether what the compiler hands to the SparseCore is taken to run on the TensorCore however
            much it is. Such a prediction is not calibrated and has no interval.

    Returns:
        The prediction with its report, or why there is none.

    Raises:
        UnknownTargetError: There is no such machine.
        TypeError: Specs, or contents by name, are given with a serialized Program.
        ValueError: A content does not fit its argument.
        Exception: Whatever the function raises when it is traced.
    """
    machine = get_machine(target)
    named: Mapping[int | str, Any] = {} if isinstance(inputs, Inputs) or inputs is None else inputs
    if isinstance(program, bytes):
        if specs:
            raise TypeError(f"a serialized program has its own argument types; {len(specs)} specs were given with it")
        content = inputs if isinstance(inputs, Inputs) else _by_position(named)
    else:
        from jaxbench_predictor.exporting import (  # noqa: PLC0415 - JAX is not needed for a Program
            export_program,
            known_inputs,
        )

        content = inputs if isinstance(inputs, Inputs) else known_inputs(program, specs, named)
        program = export_program(program, specs, machine)
    return _predict_program(
        program, machine, content, limits or Limits(), timeline=timeline, tensor_core_only=tensor_core_only
    )


def _by_position(named: Mapping[int | str, Any]) -> Inputs:
    arrays: dict[int, NDArray[Any]] = {}
    for key, content in named.items():
        if isinstance(key, str):
            raise TypeError(f"the content of argument {key!r}: arguments of a serialized program have no names")
        arrays[key] = np.asarray(content)
    return Inputs(arrays=arrays)


def _predict_program(
    program: bytes,
    machine: Machine,
    inputs: Inputs,
    limits: Limits,
    *,
    timeline: Path | str | None,
    tensor_core_only: bool,
) -> Prediction | Unavailable:
    try:
        schedule = compile_schedule(program, machine, limits)
        offloaded = offloaded_opcodes(schedule.hlo)
        if offloaded:
            schedule = compile_schedule(program, machine, limits, sparse_core=False)
    except CompileError as error:
        return Unavailable(stage="compile", reason=str(error), target=machine.name, log=error.log)
    except ListingError as error:
        return Unavailable(stage="read", reason=str(error), target=machine.name)
    outcome = predict_schedule(schedule, machine, inputs, libtpu_version=_libtpu_version(), timeline=timeline)
    return without_sparse_core(outcome, schedule.hlo, offloaded, tensor_core_only=tensor_core_only)


def predict_schedule(
    schedule: Schedule,
    machine: Machine,
    inputs: Inputs | None = None,
    *,
    libtpu_version: str | None = None,
    timeline: Path | str | None = None,
) -> Prediction | Unavailable:
    """Predicts from a schedule that the compiler printed.

    Args:
        schedule: All listings of one module.
        machine: What it was compiled for.
        inputs: Contents of integer inputs.
        libtpu_version: The compiler, for the prediction.
        timeline: File to write a timeline to.
    """
    trace = Trace(machine.branch_delay_slots) if timeline is not None else None
    try:
        execution = execute(schedule, machine, _memory_of(machine), inputs, trace=trace)
    except (UnpredictableError, ListingError) as error:
        return Unavailable(stage="execute", reason=" ".join(str(error).split()), target=machine.name)
    time_ns = execution.cycles / machine.clock_hz.value * 1e9
    report = make_report(execution, schedule, machine)
    if beaten := _beaten_bound(time_ns, report.bounds):
        return Unavailable(stage="execute", reason=beaten, target=machine.name)
    if timeline is not None and trace is not None:
        write_timeline(Path(timeline), trace, machine)
    return Prediction(
        time_ns=time_ns,
        low_ns=time_ns * machine.low_ratio.value if machine.low_ratio else None,
        high_ns=time_ns * machine.high_ratio.value if machine.high_ratio else None,
        calibrated=machine.calibrated,
        target=machine.name,
        machine_version=machine.version,
        libtpu_version=libtpu_version,
        report=report,
    )


def _beaten_bound(time_ns: float, bounds: Bounds) -> str | None:
    """Returns why a time cannot be right: work was begun that nobody waited for, or an operation was misread."""
    for what, bound in (("its matrix products", bounds.compute_ns), ("the bytes it moves", bounds.hbm_ns)):
        if time_ns < bound:
            return f"the predicted time of {time_ns:.0f} ns is less than {what} take at the chip's peak, {bound:.0f} ns"
    return None


def _memory_of(machine: Machine) -> FifoServer:
    clock = machine.clock_hz.value
    rate = machine.hbm_bytes_per_s.value / machine.num_cores / clock
    latency = machine.dma_latency_cycles.value
    if machine.hbm_sustained_bytes_per_s is None or machine.hbm_sustained_after_s is None:
        return FifoServer(rate, latency)
    return FifoServer(
        rate,
        latency,
        sustained_bytes_per_cycle=machine.hbm_sustained_bytes_per_s.value / machine.num_cores / clock,
        sustained_after_cycles=machine.hbm_sustained_after_s.value * clock,
    )


def _libtpu_version() -> str | None:
    try:
        return version("libtpu")
    except PackageNotFoundError:
        return None
