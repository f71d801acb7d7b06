"""Options that several commands share, and how they become a resolved config."""

from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.caching import Cache
from jaxbench_harness.records import ResolvedConfig
from jaxbench_harness.registry import find_release
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
TraceTimeoutOption = Annotated[
    float | None, typer.Option("--trace-timeout", help="Seconds for loading and tracing a candidate.")
]
CompileTimeoutOption = Annotated[float | None, typer.Option("--compile-timeout", help="Seconds for cross-compiling.")]
CheckTimeoutOption = Annotated[float | None, typer.Option("--check-timeout", help="Seconds for the numeric check.")]
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
    protocol = found.manifest.protocol.model_dump(include={"draws_per_distribution", "require_pallas"})
    config = ResolvedConfig.model_validate({"target": get_target(target).name, **protocol, **chosen})
    found.require_protocol(config)
    return config
