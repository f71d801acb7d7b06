"""`jaxbench release`: what is frozen, and whether the code still is what was frozen."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.terminal import ExitCode, JsonOption, out, print_json, say, usage_error, usage_errors
from jaxbench_harness.registry import all_releases, find_release
from jaxbench_harness.releases import Difference, Release, differences, freeze, snapshot
from jaxbench_workloads.releases.documents import (
    DiffDocument,
    ReleaseListDocument,
    ReleaseSummary,
    Verification,
    VerifyDocument,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of a release, such as 2026.12.")]

app = typer.Typer(help="Frozen sets of workloads inside which results compare.", no_args_is_help=True)


@app.command("list")
def list_releases(as_json: JsonOption = False) -> None:
    """List the releases."""
    with usage_errors():
        summaries = tuple(ReleaseSummary.of(release) for release in all_releases().values())
    if as_json:
        print_json(ReleaseListDocument(releases=summaries))
        return
    table = plain_table(f"{len(summaries)} releases")
    for heading in ("release", "status", "date", "workloads", "good for"):
        table.add_column(heading)
    for summary in summaries:
        manifest = summary.manifest
        status, date = ("never frozen", "-") if manifest is None else (manifest.status, str(manifest.date))
        table.add_row(summary.name, status, date, str(summary.workloads), Text(summary.label))
    out.print(table)


@app.command("show")
def show_release(name: NameArgument, as_json: JsonOption = False) -> None:
    """Show what a release has frozen: workloads, digests, protocol and the versions it was frozen with."""
    with usage_errors():
        release = find_release(name)
        manifest = release.manifest
    if as_json:
        print_json(ReleaseSummary.of(release))
        return
    say(f"{name}: {release.label}")
    say(f"{manifest.status} of {manifest.date}, with {', '.join(map(' '.join, manifest.versions.items()))}")
    protocol = manifest.protocol
    say(
        f"protocol: size {protocol.check_size} checked, {_count(protocol.draws_per_distribution, 'draw')} per "
        f"distribution, kernels {'required' if protocol.require_pallas else 'not required'}"
    )
    say(f"check: {', '.join(f'{key} {value}' for key, value in protocol.constants.model_dump().items())}")
    table = plain_table(f"{len(manifest.workloads)} workloads")
    table.add_column("workload", overflow="fold")
    table.add_column("version", justify="right")
    table.add_column("digest")
    for workload in manifest.workloads:
        table.add_row(workload.id, str(workload.version), workload.digest[:16])
    out.print(table)


@app.command("verify")
def verify_releases(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One release; by default all that were ever frozen.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the code at hand with what was frozen; ends with exit code 3 where it differs."""
    with usage_errors():
        releases = list(all_releases().values()) if name is None else [find_release(name)]
        found = tuple(_verified(release) for release in releases if name is not None or release.frozen is not None)
    if as_json:
        print_json(VerifyDocument(releases=found))
    else:
        for one in found:
            _say_differences(one.differences)
            outcome = _count(len(one.differences), "difference") if one.differences else "as frozen"
            say(f"{one.name}: {_count(one.workloads, 'workload')} and protocol: {outcome}")
    raise typer.Exit(ExitCode.INFRASTRUCTURE if any(one.differences for one in found) else ExitCode.PASSED)


@app.command("diff")
def diff_releases(
    before: Annotated[str, typer.Argument(metavar="A", help="Name of a release.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Name of another.")],
    as_json: JsonOption = False,
) -> None:
    """Say what differs between two releases as they were frozen, by workload and part of the digest."""
    with usage_errors():
        found = differences(find_release(before).manifest, find_release(after).manifest)
    if as_json:
        print_json(DiffDocument(before=before, after=after, differences=tuple(found)))
        return
    _say_differences(found)
    places = {difference.where for difference in found}
    say(f"{_count(len(found), 'difference')} in {_count(len(places), 'place')}")


@app.command("freeze")
def freeze_release(
    name: NameArgument,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite the manifest of a draft.")] = False,
    final: Annotated[bool, typer.Option("--final", help="No draft: it can never be frozen again.")] = False,
) -> None:
    """Write the manifest of a release from the code at hand; a draft unless --final is given."""
    with usage_errors():
        release = find_release(name)
        try:
            manifest = freeze(release, replace=replace, final=final)
        except TypeError as error:
            usage_error(str(error))
    say(f"{name}: {manifest.status}, {_count(len(manifest.workloads), 'workload')}, written to {release.path}")


def _verified(release: Release) -> Verification:
    found = differences(release.manifest, snapshot(release))
    return Verification(name=release.name, workloads=len(release.workloads), differences=tuple(found))


def _say_differences(found: Sequence[Difference]) -> None:
    for difference in found:
        say(str(difference))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
