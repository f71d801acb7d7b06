"""The main job: `jaxbench run` on real workloads."""

import importlib.util
import json

import jsonschema
import pytest
from command_line import CommandLine

from jaxbench_harness.records import Compiled, Passed, Record
from jaxbench_harness.store import read_records

FLOPS = {
    "1p_Flash_Attention": 2199023255552,
    "8p_GEMM": 3848290697216,
    "9p_SwiGLU_MLP": 11544872091648,
    "12p_RMSNorm": 1342177280,
    "30k_Matmul_Scaling_ResidualAdd": 549755813888,
    "50k_Matmul_GELU_Softmax": 549755813888,
}


@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu exists for x86-64 Linux only")
def test_run_evaluates_the_baselines_and_appends_records(jaxbench: CommandLine) -> None:
    done = jaxbench("run", "--seed", "1", "--no-predict", "--json")
    assert done.code == 0, done.out + done.err
    jsonschema.validate(done.document, json.loads(jaxbench("schema", "run").out))
    records = [Record.model_validate(record) for record in done.document["records"]]
    assert {record.workload.id: record.bound.nominal_flops for record in records} == FLOPS
    for record in records:
        assert isinstance(record.verdict, Passed)
        assert isinstance(record.compile, Compiled)
        assert record.candidate.role == "xla"
        assert record.compile.fits_hbm
        assert record.compile.hbm_bytes >= record.bound.hbm_bytes
        assert record.bound.binds == ("hbm" if record.workload.id == "12p_RMSNorm" else "compute")
    gemm = records[1].compile
    assert isinstance(gemm, Compiled)
    assert gemm.flops == pytest.approx(FLOPS["8p_GEMM"], rel=0.01)
    path = jaxbench.folder / done.document["records_path"]
    assert sorted(record.evaluation_id for record in read_records(path)) == sorted(
        record.evaluation_id for record in records
    )
    assert all(f"{workload}: passed" in done.err for workload in FLOPS), "plain lines where there is no terminal"


def test_a_run_of_one_workload_prints_a_table(jaxbench: CommandLine) -> None:
    done = jaxbench("run", "12p_RMSNorm")
    assert done.code == 0, done.out + done.err
    (row,) = [line for line in done.out.splitlines() if line.strip().startswith("12p_RMSNorm")]
    assert "passed" in row
    assert "1.34 G" in row
    assert "656 us hbm" in row
