"""Wrong usage: exit code 2, one line that helps, nothing written. And the documents of the other commands."""

import json
from pathlib import Path

import jsonschema
import pytest
from command_line import EXAMPLES, CommandLine

GEMM = EXAMPLES / "gemm.py"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", GEMM, "-w", "8p_GEM"], "did you mean 8p_GEMM"),
        (["evaluate", GEMM, "-w", "8P_gemm"], "8p_GEMM"),
        (["evaluate", "missing.py", "-w", "8p_GEMM"], "cannot read missing.py: No such file"),
        (["evaluate", EXAMPLES, "-w", "8p_GEMM"], "Is a directory"),
        (["evaluate", GEMM, "-w", "8p_GEMM", "--target", "v6"], "did you mean v6e"),
        (["evaluate", GEMM, "-w", "8p_GEMM", "--seed", "-1"], "seed"),
        (["compile", GEMM, "-w", "9p_SwiGLU"], "did you mean 9p_SwiGLU_MLP"),
        (["compile", GEMM, "-w", "8p_GEMM", "--target", "h100"], "v5e, v5p, v6e, v7x"),
        (["run", "1p_FlashAttention"], "did you mean 1p_Flash_Attention"),
        (["run", "--all", "8p_GEMM"], "exclude each other"),
        (["run", "--target", "TPU v6e"], "unknown target"),
        (["run", "12p_RMSNorm", "--results", GEMM], "cannot make the results folder"),
        (["show", "gemm"], "unknown workload 'gemm'"),
        (["list", "--target", "v9"], "unknown target 'v9'"),
        (["list", "--tier", "prod"], "no workload has tier 'prod'; there is kernelbench, production"),
        (["list", "--sort", "speed"], "cannot sort by 'speed'; there is id, flops"),
        (["schema", "recrod"], "there are record"),
    ],
)
def test_wrong_usage_is_told_in_one_line(jaxbench: CommandLine, arguments: list[str | Path], said: str) -> None:
    done = jaxbench(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert said in done.err
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1
    assert jaxbench.left() == []


@pytest.mark.parametrize("command", [["list"], ["show", "1p_Flash_Attention"], ["doctor"]])
def test_json_output_satisfies_its_schema(jaxbench: CommandLine, command: list[str]) -> None:
    schema = json.loads(jaxbench("schema", command[0]).out)
    done = jaxbench(*command, "--json")
    assert done.code == 0
    jsonschema.validate(done.document, schema)
    assert jaxbench.left() == []


def test_list_and_show_tell_nominal_from_useful_work(jaxbench: CommandLine) -> None:
    rows = {cells[0]: cells[1:] for line in jaxbench("list").out.splitlines() if (cells := line.split())}
    flash = "attention 2.2 T 1.1 T 1 GiB 1024 1.2 ms compute 23 ms"
    assert rows["1p_Flash_Attention"] == flash.split()
    assert rows["4p_Sparse_Attention"][-1] == "ms*"
    assert rows["25k_Conv3d_GroupNorm_Mean"][0] == "(shortcut)"
    shown = jaxbench("show", "25k_Conv3d_GroupNorm_Mean").out
    assert "shortcut: needs no convolution" in shown
    work = {line.split("  ")[0].strip(): line.split() for line in shown.splitlines() if line.strip()}
    assert work["FLOPs"][1:3] == ["9.85", "G"]
    assert work["useful FLOPs"][2:4] == ["2.26", "G"]
    assert work["useful bytes"][-1] == "all"


def test_compile_reports_memory_and_kernels(jaxbench: CommandLine) -> None:
    pytest.importorskip("libtpu", reason="libtpu exists for x86-64 Linux only")
    schema = json.loads(jaxbench("schema", "compile").out)
    done = jaxbench("compile", GEMM, "--workload", "8p_GEMM", "--json")
    assert done.code == 0, done.out
    jsonschema.validate(done.document, schema)
    report = done.document["compile"]
    assert report["argument_bytes"] == 2 * (8192 * 8192 + 8192 * 28672)
    assert report["output_bytes"] == 2 * 8192 * 28672
    assert report["fits_hbm"]
    assert report["kernels"][0]["vmem_bytes"] > 4 * 1024 * 1024
    assert jaxbench.left() == []


def test_a_kernel_for_one_target_may_not_fit_another(jaxbench: CommandLine) -> None:
    pytest.importorskip("libtpu", reason="libtpu exists for x86-64 Linux only")
    done = jaxbench("compile", GEMM, "--workload", "8p_GEMM", "--target", "v5p", "--json")
    assert done.code == 1
    assert done.document["verdict"]["code"] == "vmem_exhausted"
    assert (
        "the v5p compiler refused: Scoped allocation with size 22.00M and limit 16.00M"
        in done.document["verdict"]["reason"]
    )
