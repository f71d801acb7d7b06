"""Writes listings by hand."""

from jaxbench_predictor.listing.naming import TOP_LEVEL
from jaxbench_predictor.listing.parsing import parse_listing
from jaxbench_predictor.listing.schedule import Schedule


def listing(name, *bundles):
    """Parses bundles given as the text between their braces; a leading `LB:` marks the first of a loop."""
    lines = []
    for index, bundle in enumerate(bundles):
        label, _, body = bundle.rpartition("LB:")
        mark = " LB" if label or bundle.startswith("LB:") else ""
        lines.append(f"{f'{index:#x}' if index else '0':>6}{mark}   :  {{ {body} }} /* Start region {index} */")
    return parse_listing(name, "= control target key end\n\n" + "\n".join(lines) + "\n")


def schedule(*bundles, **others):
    """A top-level program, and other programs by name."""
    programs = {TOP_LEVEL: listing(TOP_LEVEL, *bundles)}
    programs |= {name: listing(name, *lines) for name, lines in others.items()}
    return Schedule(programs)
