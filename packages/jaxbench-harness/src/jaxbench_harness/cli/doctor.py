"""`jaxbench doctor`: what works here, what does not, and how to get it."""

import importlib.util
import os
from collections.abc import Iterator
from importlib.metadata import version

import typer
from rich.text import Text

from jaxbench_harness.caching import DIRECTORY_VARIABLE, Cache
from jaxbench_harness.cli.documents import DoctorDocument, Finding
from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.terminal import ExitCode, JsonOption, TargetOption, out, print_json, usage_errors
from jaxbench_harness.cli.units import in_bytes
from jaxbench_harness.compiling.libtpu import NO_LIBTPU, compiler_environment
from jaxbench_harness.compiling.messages import ProbeAnswer, ProbeRequest
from jaxbench_harness.environment import current_environment, package_version
from jaxbench_harness.isolation import Limits, NoAnswer, probe_sandbox, run_worker
from jaxbench_harness.registry import RegistryError, all_workloads
from jaxbench_harness.targets import Target, get_target

_PROBE_TIMEOUT_S = 120.0
_SANDBOX_REMEDY = (
    "judge only code that you trust, or allow user namespaces: kernel.apparmor_restrict_unprivileged_userns=0 or "
    "kernel.unprivileged_userns_clone=1 where they exist; in a container, a profile that permits unshare and mount"
)


def doctor(target: TargetOption = "v6e", as_json: JsonOption = False) -> None:
    """Say what works on this machine, what is missing, and how to get it."""
    with usage_errors():
        chip = get_target(target)
    document = DoctorDocument(findings=tuple(_findings(chip)))
    if as_json:
        print_json(document)
    else:
        table = plain_table(f"jaxbench {version('jaxbench-harness')} on this machine")
        for heading in ("", "status", "found", "to do"):
            table.add_column(heading)
        colours = {"ok": "green", "missing": "yellow", "broken": "red"}
        for finding in document.findings:
            status = Text(finding.status, style=colours[finding.status])
            table.add_row(finding.name, status, Text(finding.detail), Text(finding.remedy))
        out.print(table)
    broken = any(finding.status == "broken" for finding in document.findings)
    raise typer.Exit(ExitCode.INFRASTRUCTURE if broken else ExitCode.PASSED)


def _findings(target: Target) -> Iterator[Finding]:
    environment = current_environment()
    yield Finding(name="python", status="ok", detail=f"{environment.python} on {environment.platform}", remedy="")
    yield Finding(name="jax", status="ok", detail=f"{environment.jax}, jaxlib {environment.jaxlib}", remedy="")
    yield _compiler(target)
    yield _optional(
        "jaxbench-predictor", "no times are predicted", "install jaxbench-harness[predictor,tpu] on x86-64 Linux"
    )
    yield _optional("tokamax", "kernels that use Tokamax cannot be traced", "install tokamax")
    yield _workloads()
    yield _cache()
    yield _sandbox()


def _compiler(target: Target) -> Finding:
    name = f"compiler for {target.name}"
    if importlib.util.find_spec("libtpu") is None:
        detail = "no cross-compilation: candidates are traced and checked, but not compiled"
        return Finding(name=name, status="missing", detail=detail, remedy=NO_LIBTPU)
    ended = run_worker(
        "probe",
        ProbeRequest(target=target.name),
        ProbeAnswer,
        limits=Limits(wall_s=_PROBE_TIMEOUT_S),
        environment=compiler_environment(target),
    )
    installed = package_version("libtpu")
    if isinstance(ended, NoAnswer):
        remedy = f"install the libtpu that jax[tpu] asks for; {ended.log.strip()[-300:]}"
        return Finding(name=name, status="broken", detail=f"libtpu {installed}: {ended.reason}", remedy=remedy)
    return Finding(
        name=name, status="ok", detail=f"libtpu {installed} compiles for {ended.message.device_kind}", remedy=""
    )


def _optional(package: str, without: str, remedy: str) -> Finding:
    found = package_version(package)
    if found is None:
        return Finding(name=package, status="missing", detail=without, remedy=remedy)
    return Finding(name=package, status="ok", detail=found, remedy="")


def _workloads() -> Finding:
    try:
        count = len(all_workloads())
    except RegistryError as error:
        return Finding(name="workloads", status="broken", detail=str(error), remedy="mend or remove that package")
    if not count:
        remedy = "install jaxbench-workloads, or register your own"
        return Finding(name="workloads", status="missing", detail="none registered", remedy=remedy)
    return Finding(name="workloads", status="ok", detail=f"{count} registered", remedy="")


def _cache() -> Finding:
    cache = Cache.of_user()
    place = next(folder for folder in (cache.folder, *cache.folder.parents) if folder.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        remedy = f"set {DIRECTORY_VARIABLE} to a folder of yours"
        return Finding(name="cache", status="missing", detail=f"cannot write to {cache.folder}", remedy=remedy)
    held = in_bytes(sum(entry.entry_bytes for entry in cache.entries()))
    return Finding(name="cache", status="ok", detail=f"{held} in {cache.folder}", remedy="")


def _sandbox() -> Finding:
    try:
        sandbox = probe_sandbox()
    except RuntimeError as error:
        return Finding(name="sandbox", status="broken", detail=str(error), remedy="report this")
    if sandbox.gaps:
        detail = f"{'; '.join(sandbox.gaps)} ({sandbox.reason})"
        return Finding(name="sandbox", status="missing", detail=detail, remedy=_SANDBOX_REMEDY)
    detail = "candidate code runs without network, other processes, and files but Python's own"
    return Finding(name="sandbox", status="ok", detail=detail, remedy="")
