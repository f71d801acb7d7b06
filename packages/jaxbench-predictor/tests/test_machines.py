import pytest

from jaxbench_predictor import MACHINES, UnknownTargetError, get_machine
from jaxbench_predictor.machines import Constant, Standing


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
def test_only_what_was_fitted_counts_as_calibrated(machine):
    expected = Standing.FITTED if machine.name == "v6e" else Standing.PROVISIONAL
    for constant in (machine.hbm_bytes_per_s, machine.dma_latency_cycles):
        assert constant.standing is expected
        assert (constant.fit_set is not None) == machine.calibrated


def test_matrix_work_is_slower_by_its_share_of_the_peak():
    """A second of work at the peak costs `matmul_slowdown` seconds more."""
    slowdown = Constant(value=0.06, standing=Standing.PROVISIONAL, source="a test")
    machine = get_machine("v6e").model_copy(update={"matmul_slowdown": slowdown})
    flops = machine.peak_bf16_flops_per_s.value
    assert flops * machine.lost_cycles_per_matmul_flop / machine.clock_hz.value == pytest.approx(0.06)


def test_an_unknown_target_is_refused_with_a_hint():
    with pytest.raises(UnknownTargetError, match="no machine model for target 'V6E'; did you mean v6e"):
        get_machine("V6E")
