"""VMEM per instruction, from optimized HLO."""

from golden_dumps import files

from jaxbench_predictor import get_machine, predict_schedule, render
from jaxbench_predictor.dumps.reading import schedule_of
from jaxbench_predictor.dumps.scoped_memory import SCOPED_VMEM, scoped_vmem, write_scoped_vmem


def used(*scopes):
    listed = ",".join(f'{{"memory_space":"{space}","offset":"0","size":"{size}"}}' for space, size in scopes)
    reserved = '"scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"99"}]'
    return f'backend_config={{{reserved},"used_scoped_memory_configs":[{listed}]}}'


HLO = f"""ENTRY %main (x: f32[8,128]) -> f32[8,128] {{
  %x = f32[8,128]{{1,0}} parameter(0), {used()}
  %kernel.1 = f32[8,128]{{1,0}} custom-call(%x), {used((1, 4096), (6, 512))}
  ROOT %fusion = f32[8,128]{{1,0}} fusion(%kernel.1), {used((1, 2097152))}
}}
"""


def test_what_is_used_in_vmem_counts_and_nothing_else():
    assert scoped_vmem(HLO) == {"kernel.1": 4096, "fusion": 2097152}


def test_it_stands_in_the_report_beside_the_instruction(tmp_path):
    write_scoped_vmem(HLO.replace("%kernel.1", "%_lambda_.1"), tmp_path)
    dumped = files("matmul") | {SCOPED_VMEM: (tmp_path / SCOPED_VMEM).read_text()}
    prediction = predict_schedule(schedule_of(dumped), get_machine("v6e"))
    (kernel,) = (hlo for hlo in prediction.report.hlo if hlo.name == "_lambda_.1")
    assert kernel.vmem_bytes == 4096
    assert prediction.report.vmem_high_water_bytes == 4096, "of what ran"
    assert "high-water mark of VMEM: 4.0 KiB" in render(prediction)


def test_a_dump_without_it_says_nothing():
    prediction = predict_schedule(schedule_of(files("matmul")), get_machine("v6e"))
    assert prediction.report.vmem_high_water_bytes is None
    assert "VMEM:" not in render(prediction)
