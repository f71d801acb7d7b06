"""Options that several commands share, and how they become a resolved config."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from jaxbench_harness.caching import Cache
from jaxbench_harness.cli.terminal import infrastructure_error
from jaxbench_harness.records import ResolvedConfig
from jaxbench_harness.registry import find_release
from jaxbench_harness.releases.protocol import PROTOCOL_OPTIONS
from jaxbench_harness.stages.time_stage import missing_for_prediction
from jaxbench_harness.targets import get_target

CandidateArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Python file that defines workload(*inputs).", show_default=False)
]
SeedOption = Annotated[
    int | None, typer.Option(help="Base seed of the check inputs, to replay a check; drawn afresh by default.")
]
DrawsOption = Annotated[int | None, typer.Option(help="Input draws per distribution.")]
RequirePallasOption = Annotated[
    bool | None, typer.Option("--require-pallas/--allow-xla", help="Whether a candidate without a kernel fails.")
]
RacesOption = Annotated[
    bool, typer.Option("--races", help="Also run under the TPU interpreter, which finds races; slow.")
]
OddSizeOption = Annotated[
    bool, typer.Option("--odd-size", help="Also report what happens at awkward dims; no part of the verdict.")
]
LibraryKernelsOption = Annotated[
    Literal["allow", "flag", "refuse"] | None,
    typer.Option("--library-kernels", help="What becomes of a candidate that uses a kernel of Tokamax or JAX."),
]
TraceTimeoutOption = Annotated[
    float | None, typer.Option("--trace-timeout", help="Seconds for loading and tracing a candidate.")
]
CompileTimeoutOption = Annotated[float | None, typer.Option("--compile-timeout", help="Seconds for cross-compiling.")]
CheckTimeoutOption = Annotated[float | None, typer.Option("--check-timeout", help="Seconds for the numeric check.")]
PredictOption = Annotated[
    bool | None,
    typer.Option(
        "--predict/--no-predict",
        help="Whether to predict the time of what passes; by default where jaxbench-predictor and libtpu are.",
        show_default=False,
    ),
]
ReleaseOption = Annotated[
    str | None, typer.Option("--release", help="Release whose workloads and protocol to use, such as 2026.12.")
]
CacheOption = Annotated[
    bool,
    typer.Option("--cache/--no-cache", help="Whether to use and keep traces, compile reports and compiled checks."),
]
ResultsOption = Annotated[Path, typer.Option("--results", help="Folder for records.")]


def resolve_cache(*, wanted: bool) -> Cache | None:
    """Returns the user's cache, or None where it is not wanted."""
    return Cache.of_user() if wanted else None


def resolve_timing(*, wanted: bool | None) -> Literal["predict", "none"]:
    """Returns whether times are predicted; None leaves it to what is installed.

    Where they are wanted and cannot be, ends the command as an infrastructure failure.
    """
    missing = missing_for_prediction()
    if wanted and missing is not None:
        infrastructure_error(missing)
    return "none" if wanted is False or missing is not None else "predict"


def resolve_config(target: str, release: str | None = None, **written: object) -> ResolvedConfig:
    """Returns the config for a target with the options that were written.

    Args:
        target: Name of the target.
        release: Release whose protocol holds, if any.
        **written: Options by the name of the config's field; None leaves a default, which is the protocol's if it
            has one.

    Raises:
        UnknownTargetError: If there is no such target.
        UnknownReleaseError: If there is no such release.
        ReleaseError: If an option contradicts the protocol of the release.
        pydantic.ValidationError: If an option is out of range.
    """
    chosen = {name: value for name, value in written.items() if value is not None}
    if release is None:
        return ResolvedConfig.model_validate({"target": get_target(target).name, **chosen})
    found = find_release(release)
    protocol = found.manifest.protocol.model_dump(include=set(PROTOCOL_OPTIONS))
    config = ResolvedConfig.model_validate({"target": get_target(target).name, **protocol, **chosen})
    found.require_protocol(config)
    return config
