"""The interpreter on schedules written by hand, against times and counts worked out on paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listing_text import schedule

from jaxbench_predictor import predict_schedule
from jaxbench_predictor.execution.core import execute
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.execution.values import UnpredictableError
from jaxbench_predictor.listing.model import ListingError
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import get_machine
from jaxbench_predictor.memory import FifoServer

MACHINE = get_machine("v6e")


def run(program, inputs=None, rate=32.0, latency=100.0, **limits):
    """One granule of 32 bytes moves per cycle; latency is 100 cycles."""
    return execute(program, MACHINE, FifoServer(rate, latency), inputs, **limits)


def dma(direction, size, flag, hbm="[#allocation1]", other="[#allocation2]", predicate=""):
    source, destination = direction.split("_to_")
    ends = {"hbm": hbm, source if source != "hbm" else destination: other}
    return (
        f"%90 = dma.{direction} [thread:$0] {predicate} /*{source}=*/{ends[source]}, /*size_in_granules=*/{size},"
        f" /*{destination}=*/{ends[destination]}, /*dst_syncflagno=*/{flag}"
    )


def test_a_bundle_takes_a_cycle_and_a_delay_as_many_as_it_says():
    assert run(schedule("%s1_s1 = smov 1", "", "%2 = vdelay 7", "")).cycles == 11


LOOP = (
    "%s1_s0 = smov 0",
    "LB:%s2_s0 = sphi %s1_s0, %s9_s0",
    "%s3_s2 = sadd.s32 1, %s2_s0",
    "%p4_p0 = scmp.lt.s32.totalorder %s3_s2, {trips}",
    "%5 = sbr.rel (%p4_p0) target bundleno = 1 (0x1), region = 1",
    "",
    # The value for the next iteration is copied in a delay slot.
    "%s9_s0 = smov %s3_s2",
    "%p6_p0 = scmp.lt.s32.totalorder 1, 0",
    "",
    "",
)


@pytest.mark.parametrize("trips", [1, 2, 17])
def test_a_loop_runs_as_often_as_it_says_with_four_delay_slots(trips):
    execution = run(schedule(*(bundle.format(trips=trips) for bundle in LOOP)))
    assert execution.cycles == 1 + 8 * trips + 1


def test_a_phi_reads_the_register_that_was_written_last_under_its_predicate():
    """The predicated copy does not take place, so that the phi sees the first value."""
    program = schedule(
        "%s1_s0 = smov 5",
        "%p2_p0 = scmp.eq.s32.totalorder 1, 2",
        "%s3_s0 = smov (%p2_p0), 9",
        "%s4_s0 = sphi %s1_s0, %s3_s0",
        "%5 = vdelay %s4_s0",
    )
    assert run(program).cycles == 5 + 5


def test_operations_of_a_bundle_use_results_of_the_same_bundle():
    program = schedule("%s2_s1 = sadd.s32 3, %s1_s1  ;;  %s1_s1 = smov 4", "%3 = vdelay %s2_s1")
    assert run(program).cycles == 2 + 7


_BINARY = {
    "sadd.s32": np.add,
    "ssub.s32": np.subtract,
    "smul.u32": np.multiply,
    "sand.u32": np.bitwise_and,
    "sor.u32": np.bitwise_or,
    "sxor.u32": np.bitwise_xor,
    "smin.u32": np.minimum,
    "smax.u32": np.maximum,
    "smin.s32": lambda a, b: np.minimum(a.view(np.int32), b.view(np.int32)).view(np.uint32),
    "smax.s32": lambda a, b: np.maximum(a.view(np.int32), b.view(np.int32)).view(np.uint32),
    "sshll.u32": lambda a, b: a << (b % np.uint32(32)),
    "sshrl.u32": lambda a, b: a >> (b % np.uint32(32)),
    "sshra.s32": lambda a, b: (a.view(np.int32) >> (b % np.uint32(32)).view(np.int32)).view(np.uint32),
}
_COMPARISONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal}
_WORDS = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(2**31 - 3, 2**31 + 3))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(_BINARY)), _WORDS), min_size=1, max_size=12), _WORDS)
def test_integer_arithmetic_is_that_of_32_bit_words(operations, first):
    value = np.uint32(first)
    bundles = [f"%s0_s0 = smov {first}"]
    with np.errstate(over="ignore"):
        for index, (opcode, word) in enumerate(operations):
            operand = word % 32 if "ssh" in opcode else word
            bundles.append(f"%s{index + 1}_s0 = {opcode} %s{index}_s0, {operand}")
            value = _BINARY[opcode](value, np.uint32(operand))
    bundles.append(f"%s90_s1 = sand.u32 %s{len(operations)}_s0, 65535")
    bundles.append(f"%s91_s1 = sshrl.u32 %s{len(operations)}_s0, 16")
    bundles += ["%92 = vdelay %s90_s1", "%93 = vdelay %s91_s1"]
    expected = (int(value) & 0xFFFF) + (int(value) >> 16)
    assert run(schedule(*bundles)).cycles == len(bundles) + expected


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(_COMPARISONS)), st.sampled_from(["s32", "u32"]), _WORDS, _WORDS)
def test_comparisons_respect_the_sign(name, kind, a, b):
    dtype = {"s32": np.int32, "u32": np.uint32}[kind]
    holds = bool(_COMPARISONS[name](np.uint32(a).view(dtype), np.uint32(b).view(dtype)))
    program = schedule(
        f"%s1_s1 = smov {a}",
        f"%p2_p0 = scmp.{name}.{kind}.totalorder %s1_s1, {b}",
        "%s3_s2 = scalar_select /*predicate=*/%p2_p0, /*on_true=*/10, /*on_false=*/20",
        "%4 = vdelay %s3_s2",
    )
    assert run(program).cycles == 4 + (10 if holds else 20)


def test_scalar_memory_keeps_what_was_stored():
    program = schedule(
        "%1 = sst [smem:[#allocation5 + $0x2]] 9",
        "%s2_s0 = scalar_lea.smem [#allocation5], 1",
        "%s3_s1 = sld [smem:[%s2_s0 + $0x1]]",
        "%4 = vdelay %s3_s1",
    )
    assert run(program).cycles == 4 + 9


def test_a_remainder_comes_from_the_divider():
    program = schedule("%1 = sdivrem.u32 17, 5 /* kRem */", "%s2_s0 = spop.drf %1", "%3 = vdelay %s2_s0")
    assert run(program).cycles == 3 + 2


def test_a_wait_ends_when_the_last_byte_is_there_and_its_latency_over():
    program = schedule(
        dma("hbm_to_vmem", 1000, "[#allocation3]"),
        "",
        "%2 = dma.done.wait [#allocation3], 1000",
        "%3 = vsyncadd [#allocation3], 4294966296",
    )
    # Issued in cycle 0, 1000 cycles of transfer, 100 of latency; then the wait's own bundle and one more.
    execution = run(program)
    assert execution.cycles == 1100 + 2
    assert execution.log.stalled_cycles == 1100 - 2
    assert execution.hbm_busy_cycles == 1000


def test_transfers_share_one_server_and_overlap_their_latencies():
    program = schedule(
        dma("hbm_to_vmem", 1000, "[#allocation3]"),
        dma("vmem_to_hbm", 500, "[#allocation4]").replace("%90", "%91"),
        "%2 = dma.done.wait [#allocation4], 500",
    )
    assert run(program).cycles == 1000 + 500 + 100 + 1


def test_a_transfer_that_is_done_costs_no_wait():
    program = schedule(
        dma("hbm_to_vmem", 10, "[#allocation3]"), "%1 = vdelay 500", "%2 = dma.done.wait [#allocation3], 10"
    )
    assert run(program).cycles == 3 + 500


def test_a_wait_that_nothing_can_satisfy_is_no_time():
    program = schedule(dma("hbm_to_vmem", 10, "[#allocation3]"), "%2 = dma.done.wait [#allocation3], 11")
    with pytest.raises(UnpredictableError, match="never satisfied: its flag stays at 10"):
        run(program)


def test_a_program_is_called_with_its_arguments_by_register():
    body = ("%s7_s1 = inlined_call_operand.hbm [shape: f32[8], index: 0, kind: input]", "%8 = vdelay %s7_s1")
    program = schedule(
        "%s1_s1 = smov 30", "%2 = inlined_call %s1_s1 /* %wait = custom-call(%x) */", "%3 = vdelay 1", wait=body
    )
    execution = run(program)
    assert execution.cycles == 3 + 1 + 2 + 30
    assert [(site.name, site.calls, site.cycles) for site in execution.log.calls] == [("wait", 1, 32)]


def test_a_program_equal_to_another_runs_that_ones_listing():
    program = schedule("%2 = inlined_call /* %b = add(%x) */", a=("", "", ""))
    with pytest.raises(ListingError, match="no listing of the program 'b'"):
        run(program)
    assert run(Schedule(program.listings, {"b": "a"})).cycles == 1 + 3


def branch_on(*bundles):
    return schedule(
        *bundles,
        "%p80_p0 = scmp.eq.s32.totalorder %s1_s1, 0",
        "%81 = sbr.rel (%p80_p0) target bundleno = 0 (0x0), region = 1",
        *[""] * 4,
    )


@pytest.mark.parametrize(
    ("bundle", "origin"),
    [
        ("%s1_s1 = sld [smem:[#allocation9]]", "scalar memory that the program did not write"),
        ("%2 = vpush %v3_v0  ;;  %s1_s1 = spop %2", "vector data"),
        ("%s1_s1 = scvt.f32.s32 3", "scvt.f32.s32"),
    ],
)
def test_an_unknown_value_that_decides_a_branch_is_no_time(bundle, origin):
    with pytest.raises(UnpredictableError, match=f"a branch of TLP depends on .*{origin}"):
        run(branch_on(bundle))


def test_an_unknown_value_may_be_an_address_and_not_a_size():
    unknown = "%2 = vpush %v3_v0  ;;  %s1_s1 = spop %2"
    assert run(schedule(unknown, dma("hbm_to_vmem", 10, "[#allocation3]", hbm="%s1_s1"))).cycles == 2
    with pytest.raises(UnpredictableError, match="the size of a DMA depends on vector data"):
        run(schedule(unknown, dma("hbm_to_vmem", "%s1_s1", "[#allocation3]")))


def test_known_bits_decide_whatever_the_unknown_ones_are():
    unknown = "%2 = vpush %v3_v0  ;;  %s1_s1 = spop %2"
    program = schedule(unknown, "%s3_s3 = sand.u32 0, %s1_s1", "%4 = vdelay %s3_s3")
    assert run(program).cycles == 3


def test_an_operation_that_is_not_modelled_is_no_time_where_it_takes_effect():
    with pytest.raises(UnpredictableError, match=r"vsyncadd\.remote \(program TLP\) is not modelled"):
        run(schedule("%1 = vsyncadd.remote %s2_s2, 1"))
    never = "%p1_p0 = scmp.eq.s32.totalorder 0, 1"
    assert run(schedule(never, "%1 = vsyncadd.remote (%p1_p0), %s2_s2, 1")).cycles == 2


def test_a_loop_without_end_is_no_time():
    program = schedule("LB:", "%1 = sbr.rel target bundleno = 0 (0x0), region = 1", *[""] * 4)
    with pytest.raises(UnpredictableError, match="step limit"):
        run(program, max_blocks=1000)


def test_the_first_copy_is_done_where_the_compiler_lets_the_run_before_do_it():
    program = schedule(
        dma("hbm_to_vmem", 1000, "[#allocation3]"),
        dma("hbm_to_vmem", 500, "[#allocation4]").replace("%90", "%91"),
        "%2 = dma.done.wait [#allocation3], 1000",
        "%3 = dma.done.wait [#allocation4], 500",
    )
    prefetched = Schedule(program.listings, hlo="copy-start(%a.1), cross_program_prefetch_index=0")
    assert run(program).cycles == 1000 + 500 + 100 + 1
    execution = run(prefetched)
    assert execution.cycles == 1 + 500 + 100 + 1
    assert any("previous run has prefetched" in assumption for assumption in execution.assumptions)


def test_one_core_of_several_has_its_share_of_hbm():
    """A copy of 16 MiB on v5p takes at least twice as long as on a device that has all of its bandwidth to itself."""
    size = 2**24 // 32
    program = schedule(dma("hbm_to_vmem", size, "[#allocation3]"), f"%2 = dma.done.wait [#allocation3], {size}")
    machine = get_machine("v5p")
    shared = predict_schedule(program, machine)
    alone = predict_schedule(program, machine.model_copy(update={"num_cores": 1}))
    transfer_ns = 2**24 / machine.hbm_bytes_per_s.value * 1e9
    assert shared.time_ns - alone.time_ns == pytest.approx(transfer_ns)
    assert any("2 cores share HBM evenly" in assumption for assumption in shared.report.assumptions)
    assert not any("share HBM" in assumption for assumption in alone.report.assumptions)


def test_work_for_the_sparse_core_is_not_modelled():
    program = Schedule(schedule("").listings, hlo='call-start(), async_execution_thread="sparsecore"')
    with pytest.raises(UnpredictableError, match="SparseCore"):
        run(program)


def test_the_program_runs_on_the_first_core_and_is_enabled():
    program = schedule(
        "%s1_s1 = sld [smem:[#allocation7]] /* core id */",
        "%2 = vdelay %s1_s1",
        "%s3_s1 = sld [smem:[#allocation8]]",
        "%p4_p0 = scmp.ne.s32.totalorder %s3_s1, 1",
        "%s5_s1 = scalar_select /*predicate=*/%p4_p0, /*on_true=*/1, /*on_false=*/1000",
        "%6 = vdelay %s5_s1",
    )
    assert run(program).cycles == 6 + 0 + 1000


def test_a_branch_in_delay_slots_is_refused():
    branch = "%1 = sbr.rel target bundleno = 0 (0x0), region = 1"
    with pytest.raises(ListingError, match="TLP, block at 0x0: a branch in the delay slots of another"):
        run(schedule(branch, branch, *[""] * 4))


def test_more_parameters_than_addresses_tell_apart_are_refused():
    assert run(schedule("%s1_s1 = scalar_parameter_address 254", "%2 = vsyncadd %s1_s1, 1")).cycles == 2
    with pytest.raises(ListingError, match="entry parameter 255; at most 255"):
        run(schedule("%s1_s1 = scalar_parameter_address 255", "%2 = vsyncadd %s1_s1, 1"))


@pytest.mark.parametrize("inputs", [None, Inputs({0: [3, 6]})])
def test_scalar_memory_has_the_content_of_an_input_where_it_is_given(inputs):
    program = schedule(
        "%s1_s1 = scalar_parameter_address 0",
        dma("hbm_to_smem", 1, "[#allocation3]", hbm="%s1_s1", other="[#allocation6]"),
        "%2 = dma.done.wait [#allocation3], 1",
        "%s3_s3 = sld [smem:[#allocation6 + $0x1]]",
        "%4 = vdelay %s3_s3",
    )
    if inputs is None:
        with pytest.raises(
            UnpredictableError, match="the length of a delay depends on the content of entry parameter 0"
        ):
            run(program)
    else:
        assert run(program, inputs).cycles == 1 + 1 + 100 + 1 + 1 + 1 + 6
