import pytest

from jaxbench_predictor import MACHINES, UnknownTargetError, get_machine
from jaxbench_predictor.machines import Standing


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_dmas_reach_no_more_than_the_data_sheet(machine):
    assert 0.5 < machine.hbm_bytes_per_s.value / machine.peak_hbm_bytes_per_s.value < 1


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_the_clock_follows_from_the_peak_and_the_size_of_the_matrix_units(machine):
    """MXUs of 128 x 128 (4 per core) or 256 x 256 (2 and 4) do 2 FLOP per cell and cycle."""
    flops_per_cycle = machine.peak_bf16_flops_per_s.value / machine.clock_hz.value
    cells = {"v5e": 4 * 128**2, "v5p": 2 * 4 * 128**2, "v6e": 4 * 256**2, "v7x": 4 * 256**2}[machine.name]
    assert flops_per_cycle == pytest.approx(2 * cells, rel=0.01)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_what_was_not_measured_with_this_compiler_is_marked_provisional(machine):
    for constant in (machine.hbm_bytes_per_s, machine.dma_latency_cycles):
        assert constant.standing is Standing.PROVISIONAL
        assert (constant.fit_set is not None) == (machine.name == "v6e")


def test_an_unknown_target_is_refused_with_a_hint():
    with pytest.raises(UnknownTargetError, match="no machine model for target 'V6E'; did you mean v6e"):
        get_machine("V6E")
