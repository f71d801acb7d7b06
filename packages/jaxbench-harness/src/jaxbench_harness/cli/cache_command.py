"""`jaxbench cache show | clear`: what earlier evaluations left on disk."""

from collections.abc import Sequence

import typer

from jaxbench_harness.caching import Cache, Entry
from jaxbench_harness.cli.documents import CacheDocument, CacheKindSummary
from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.terminal import JsonOption, out, print_json, say
from jaxbench_harness.cli.units import in_bytes

cache_app = typer.Typer(
    help="Traces, compile reports and compiled code of checks that earlier evaluations left.", no_args_is_help=True
)


@cache_app.command("show")
def show_cache(as_json: JsonOption = False) -> None:
    """Say where the cache is and how much is in it."""
    cache = Cache.of_user()
    document = document_of(cache, cache.entries())
    if as_json:
        print_json(document)
        return
    say(f"{document.path}: {in_bytes(document.entry_bytes)} of at most {in_bytes(document.max_bytes)}")
    if not document.kinds:
        return
    table = plain_table("")
    for heading in ("holds", "entries", "bytes"):
        table.add_column(heading, justify="left" if heading == "holds" else "right")
    for kind, summary in document.kinds.items():
        table.add_row(kind, str(summary.entries), in_bytes(summary.entry_bytes))
    out.print(table)


@cache_app.command("clear")
def clear_cache() -> None:
    """Remove all entries."""
    cache = Cache.of_user()
    removed = cache.clear()
    say(f"removed {_counted(removed)} from {cache.folder}")


def document_of(cache: Cache, entries: Sequence[Entry]) -> CacheDocument:
    """Returns the numbers of a cache."""
    kinds = {kind: [entry for entry in entries if entry.kind == kind] for kind in sorted({e.kind for e in entries})}
    return CacheDocument(
        path=str(cache.folder),
        entries=len(entries),
        entry_bytes=_total(entries),
        max_bytes=cache.max_bytes,
        kinds={kind: CacheKindSummary(entries=len(found), entry_bytes=_total(found)) for kind, found in kinds.items()},
    )


def _total(entries: Sequence[Entry]) -> int:
    return sum(entry.entry_bytes for entry in entries)


def _counted(entries: Sequence[Entry]) -> str:
    return f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'} of {in_bytes(_total(entries))}"
