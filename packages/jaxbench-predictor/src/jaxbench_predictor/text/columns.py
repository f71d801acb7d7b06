"""Sets tables and numbers for a terminal."""

from collections.abc import Sequence

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_DIGITS = 4
_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table: text to the left, numbers to the right, columns that are all empty left out."""
    columns = [
        column for column in zip(head, *rows, strict=True) if len(column) == 1 or any(cell for cell in column[1:])
    ]
    if not rows or not columns:
        return []
    widths = [max(map(len, column)) for column in columns]
    numeric = [all(_is_number(cell) for cell in column[1:] if cell) for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in zip(*columns, strict=True)
    ]


def duration(ns: float) -> str:
    """Returns a time with four digits and its unit, such as `29.87 us`."""
    scale, unit = next(((scale, unit) for scale, unit in _UNITS if ns >= scale), _UNITS[-1])
    value = ns / scale
    return f"{value:.{max(0, _DIGITS - len(str(int(value))))}f} {unit}" if value else "0 ns"


def share(part: float, whole: float) -> str:
    """Returns a share in percent, such as `38%`; shares between 0 and 1% as `<1%`."""
    value = part / whole if whole else 0.0
    return "<1%" if 0 < value < 0.01 else f"{value:.0%}"


def byte_count(count: int) -> str:
    """Returns a number of bytes with a binary unit, such as `16.0 MiB`."""
    scale, unit = next(((scale, unit) for scale, unit in _BYTES if count >= scale), (1, "B"))
    return f"{count / scale:.1f} {unit}" if scale > 1 else f"{count} B"


def _is_number(cell: str) -> bool:
    return cell.lstrip("<+-")[:1].isdigit() and "[" not in cell
