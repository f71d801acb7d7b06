"""`jaxbench audit` as a user runs it."""

import jsonschema
import pytest
from command_line import CommandLine


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["8p_GEM"], "did you mean 8p_GEMM"),
        (["8p_GEMM", "--report", "audit.pdf"], "the suffix is '.pdf', it must be one of .json, .md, .html"),
        (["8p_GEMM", "--size", "huge"], "8p_GEMM has no size 'huge'; it has full, check, check_odd"),
        (["8p_GEMM", "--distribution", "odd"], "8p_GEMM has no distribution 'odd'; it has standard"),
    ],
)
def test_wrong_usage_is_one_line(arguments, said, jaxbench: CommandLine):
    done = jaxbench("audit", *arguments)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not list(jaxbench.folder.iterdir())


def test_an_audit_is_reported_and_kept(jaxbench: CommandLine):
    done = jaxbench("audit", "12p_RMSNorm", "--answers-only", "--json", "--report", "reports/audit.md")
    assert done.code == 0
    (audit,) = done.document["audits"]
    assert audit["workload"]["id"] == "12p_RMSNorm"
    assert {finding["outcome"] for finding in audit["findings"]} == {"rejected"}
    assert "12p_RMSNorm: clean" in done.err
    assert "| [12p_RMSNorm](#12p_rmsnorm) |" in (jaxbench.folder / "reports" / "audit.md").read_text()
    jsonschema.validate(done.document, jaxbench("schema", "audit").document)


def test_a_size_that_needs_too_much_memory_is_skipped(jaxbench: CommandLine):
    done = jaxbench("audit", "1p_Flash_Attention", "--size", "full", "--answers-only", "--memory", "1", "--json")
    assert done.code == 0
    assert done.document["audits"] == []
    assert "the limit is 1 GiB" in done.document["skipped"]["1p_Flash_Attention"]
