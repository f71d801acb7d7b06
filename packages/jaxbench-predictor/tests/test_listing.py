import re

import pytest
from golden_dumps import GOLDEN, files
from listing_text import listing

from jaxbench_predictor.listing.model import Address, Immediate, ListingError, Symbol, Token, Value
from jaxbench_predictor.listing.naming import callee_name
from jaxbench_predictor.listing.parsing import parse_listing, parse_op
from jaxbench_predictor.listing.utilization import parse_utilization


def test_a_scalar_operation():
    op = parse_op("%s12_s3 = sadd.s32 4294967295, %s7_s1 /* iteration index */ ")
    assert op.opcode == "sadd.s32"
    assert op.result == Value("s12", "s3")
    assert op.operands == (Immediate(0xFFFFFFFF), Value("s7", "s1"))
    assert op.comment == "iteration index"


def test_labels_predicate_and_settings_of_a_dma():
    op = parse_op(
        " %9 = dma.hbm_to_vmem [thread:$1]  (!%p3_p0), /*hbm=*/%s1_s1, /*size_in_granules=*/131072,"
        " /*vmem=*/[#allocation3 + $0x10], /*dst_syncflagno=*/%s2_s2 /* \nwindow_bounds: (512, 4) */"
    )
    assert op.result == Token("9")
    assert op.labels == ("hbm", "size_in_granules", "vmem", "dst_syncflagno")
    assert op.labelled("size_in_granules") == Immediate(131072)
    assert op.labelled("vmem") == Symbol("#allocation3", 16)
    assert (op.predicate.name, op.predicate.negated) == ("p3", True)
    assert op.attribute("thread") == "1"
    assert "window_bounds: (512, 4)" in op.comment


def test_a_select_has_the_value_that_it_keeps():
    op = parse_op("%s5_s1 = smov (!%p3_p0, %s4_s2), 15")
    assert (op.otherwise, op.operands) == (Value("s4", "s2"), (Immediate(15),))
    assert parse_op("%s5_s1 = smov (!%p3_p0), 15").otherwise is None


def test_the_name_of_a_buffer_behind_a_number_is_no_operand():
    assert parse_op("%s5_s1 = scalar_lea.smem %s3_s3, 2 [#allocation5]").operands == (Value("s3", "s3"), Immediate(2))
    assert parse_op("%s5_s1 = smov [#allocation5]").operands == (Symbol("#allocation5"),)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("[smem:[%s1_s1 + %s2_s2]]", (Value("s1", "s1"), Value("s2", "s2"))),
        ("[smem:[#allocation9_spill]]", (Symbol("#allocation9_spill"),)),
        ("[smem:[#allocation9 + $0x7c]]", (Symbol("#allocation9"), Immediate(0x7C))),
    ],
)
def test_addresses_in_scalar_memory(text, terms):
    assert parse_op(f"%s5_s1 = sld {text}").operands == (Address("smem", terms),)


def test_comments_nest_and_span_lines():
    bundles = listing(
        "p",
        "%5 = shalt.err (!%p3_p3) /* check\nof %4 = dma.x /* inner ;; */ } */  ;;  %s1_s1 = smov 3",
        "",
    ).bundles
    assert [[op.opcode for op in bundle] for bundle in bundles] == [["shalt.err", "smov"], []]


def test_vector_operations_are_left_out_and_a_push_to_the_scalar_side_is_not():
    ops = ["%v1_v0 = vld [vmem:[%s1_s1]]", "%3 = vst [vmem:[%s1_s1]] %v1_v0", "%4 = vpush %v1_v0", "%s5_s2 = spop %4"]
    bundle = listing("p", "  ;;  ".join(ops)).bundles[0]
    assert [op.opcode for op in bundle] == ["vpush", "spop"]


def test_an_operand_of_an_unknown_form_is_refused_with_program_and_bundle():
    with pytest.raises(ListingError, match=r"p, bundle 0x1: unknown operand '\?\?'"):
        listing("p", "%s1_s1 = smov 1", "%s2_s2 = sadd.s32 1, ??")


def test_a_missing_bundle_is_refused():
    with pytest.raises(ListingError, match="bundle 0x1 is missing"):
        parse_listing("p", "     0   :  { %s1_s1 = smov 1 }\n   0x2   :  {}\n")


def test_a_text_without_bundles_is_refused():
    with pytest.raises(ListingError, match="no bundle"):
        parse_listing("p", "= control target key end\n")


def test_calls_name_what_they_run():
    assert callee_name("%fusion.3 = fusion(%copy-done, %b.1)") == "fusion.3"
    assert callee_name("<late-initialization>") == "<late-initialization>"
    with pytest.raises(ListingError, match="call without a name"):
        callee_name("")


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.tar.xz")), ids=lambda path: path.name.partition(".")[0])
def test_every_line_of_the_compilers_listings_is_read(path):
    """As many bundles as lines that begin with an index, and as many rows of slots as bundles where slots were kept."""
    dump = files(path.name.partition(".")[0])
    listings = {name: text for name, text in dump.items() if name.endswith("packed-bundles-post-ra.txt")}
    assert len(listings) >= 3
    for name, text in listings.items():
        numbered = re.findall(r"^ *(?:0x[0-9a-f]+|0) ", text, re.MULTILINE)
        bundles = parse_listing(name, text).bundles
        assert len(bundles) == len(numbered)
        prefix = name.rpartition("packed-bundles")[0][:-3]
        slots = [text for other, text in dump.items() if other.startswith(prefix) and "utilization" in other]
        assert len(slots) == (0 if path.name.startswith("old_") else 1)
        assert all(len(parse_utilization(text).rows) == len(bundles) for text in slots)
