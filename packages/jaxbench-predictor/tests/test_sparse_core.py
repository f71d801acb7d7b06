"""What is made of programs of which the compiler hands a part to the SparseCore."""

import pytest
from listing_text import schedule

from jaxbench_predictor import Prediction, get_machine, predict_schedule
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.sparse_core import offloaded_opcodes, without_sparse_core

OFFLOADED = """HloModule test

%gathers (a: s32[8], i: s32[4]) -> s32[4] {
  %a = s32[8] parameter(0)
  %i = s32[4] parameter(1)
  ROOT %g = s32[4] gather(%a, %i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1
}, execution_thread="sparsecore"

ENTRY %main (x: s32[8], j: s32[4]) -> s32[4] {
  %x = s32[8] parameter(0)
  %j = s32[4] parameter(1)
  %start = ((s32[8], s32[4]), s32[4], u32[]) call-start(%x, %j), async_execution_thread="sparsecore", to_apply=%gathers
  ROOT %done = s32[4] call-done(%start)
}
"""
KEPT = """HloModule test

ENTRY %main (x: s32[8], j: s32[4]) -> s32[4] {
  %x = s32[8] parameter(0)
  %j = s32[4] parameter(1)
  %wait = s32[8] add(%x, %x)
  ROOT %gathered = s32[4] gather(%wait, %j), offset_dims={}, collapsed_slice_dims={0}
}
"""


def predicted(gather_cycles):
    """A program of 1000 cycles of other work, and a gather."""
    program = schedule(
        "%1 = inlined_call /* %wait = add(%x) */",
        "%2 = inlined_call /* %gathered = gather(%x) */",
        wait=("%8 = vdelay 1000",),
        gathered=(f"%9 = vdelay {gather_cycles}",),
    )
    outcome = predict_schedule(Schedule(program.listings), get_machine("v6e"))
    assert isinstance(outcome, Prediction)
    return outcome


def test_what_is_handed_over_is_named():
    assert offloaded_opcodes(OFFLOADED) == {"gather"}
    assert offloaded_opcodes(KEPT) == frozenset()


def test_a_part_of_unknown_kind_is_handed_over_too():
    assert offloaded_opcodes('async_execution_thread="sparsecore"')


def test_a_small_part_is_an_assumption():
    outcome = without_sparse_core(predicted(40), KEPT, frozenset({"gather"}))
    assert isinstance(outcome, Prediction)
    assert "hands to the SparseCore (gather): 3.9% of the time" in outcome.report.assumptions[-1]


def test_a_large_part_is_no_time():
    outcome = without_sparse_core(predicted(400), KEPT, frozenset({"gather"}))
    assert outcome.kind == "unavailable"
    assert "on the TensorCore it would be 29% of the time" in outcome.reason


def test_a_large_part_is_taken_for_the_tensor_core_on_request():
    alone = predicted(400)
    outcome = without_sparse_core(alone, KEPT, frozenset({"gather"}), tensor_core_only=True)
    assert isinstance(outcome, Prediction)
    assert outcome.time_ns == alone.time_ns
    assert (outcome.calibrated, outcome.low_ns, outcome.high_ns) == (False, None, None)
    assert "hands to the SparseCore (gather): 28.6% of the time" in outcome.report.assumptions[-1]
    small = without_sparse_core(predicted(40), KEPT, frozenset({"gather"}), tensor_core_only=True)
    assert small == without_sparse_core(predicted(40), KEPT, frozenset({"gather"}))


@pytest.mark.parametrize("hlo", ["", KEPT])
def test_without_a_sparse_core_nothing_changes(hlo):
    outcome = predicted(400)
    assert without_sparse_core(outcome, hlo, frozenset()) == outcome


def test_what_cannot_be_looked_at_may_be_what_was_handed_over():
    assert without_sparse_core(predicted(1), "", frozenset({"gather"})).kind == "unavailable"
