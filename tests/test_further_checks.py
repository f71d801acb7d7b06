"""What `evaluate` finds when asked: races, accesses out of bounds, and faults at the workload's odd size."""

from pathlib import Path
from typing import Any

import pytest
from command_line import CANDIDATES, CommandLine

from jaxbench_harness.records import CheckReport

WORKLOAD = "12p_RMSNorm"
SOURCE = (CANDIDATES / "dma_norm.py").read_text()


def changed(folder: Path, *replacements: tuple[str, str]) -> Path:
    """Returns the file of the candidate with each text replaced by another."""
    source = SOURCE
    for old, new in replacements:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    path = folder / "norm.py"
    path.write_text(source)
    return path


def test_a_right_kernel_has_no_races_and_refuses_the_odd_size(jaxbench: CommandLine) -> None:
    done = jaxbench(
        "evaluate", CANDIDATES / "dma_norm.py", "-w", WORKLOAD, "--races", "--odd-size", "--seed", "1", "--no-predict"
    )
    assert done.code == 0, done.out + done.err
    assert "\nraces: clean\n" in done.out
    assert (
        "\nodd size: refused: raised while it was traced: ValueError: takes a multiple of 64 rows, not 120\n"
        in done.out
    )


WITHOUT_WAIT = ("    copy.wait()\n\n", "\n")
WAIT_BEHIND = (
    "    lax.fori_loop(0, TIMES, normalize, None)\n",
    "    lax.fori_loop(0, TIMES, normalize, None)\n    copy.wait()\n",
)
ONE_STEP_MORE = ("lax.fori_loop(0, TIMES,", "lax.fori_loop(0, TIMES + 1,")
SAME_BLOCK_AGAIN = (
    ("grid=(flat.shape[0] // ROWS,)", "grid=(2, flat.shape[0] // ROWS)"),
    (
        "out_specs=pl.BlockSpec((ROWS, width), lambda i: (i, 0))",
        "out_specs=pl.BlockSpec((ROWS, width), lambda _, i: (i, 0))",
    ),
    ("pl.BlockSpec((1, width), lambda i: (0, 0))", "pl.BlockSpec((1, width), lambda *_: (0, 0))"),
    ("pl.program_id(0)", "pl.program_id(1)"),
)


@pytest.mark.parametrize(
    ("replacements", "code", "said"),
    [
        (
            (WITHOUT_WAIT, WAIT_BEHIND),
            "race",
            "the write of VMEM at candidate.py:18:4 (kernel) and the read of VMEM(0:16, 0:1024) at candidate.py:22:12",
        ),
        ((ONE_STEP_MORE,), "out_of_bounds", "out-of-bounds read of VMEM: (64:80, 0:1024) of shape (64, 1024)"),
        (SAME_BLOCK_AGAIN, "revisited_output", "Revisited block (0:64, 0:1024) of output 0 in iteration (1, 0)"),
    ],
    ids=["race", "out_of_bounds", "revisited_output"],
)
def test_what_the_check_alone_does_not_see_fails_with_races(
    jaxbench: CommandLine, replacements: tuple[tuple[str, str], ...], code: str, said: str
) -> None:
    """The HLO interpreter copies at once, and moves an access out of bounds into them."""
    path = changed(jaxbench.folder, *replacements)
    done = jaxbench("evaluate", path, "-w", WORKLOAD, "--races", "--no-record", "--no-predict", "--json")
    assert done.code == 1, done.out
    verdict, check = done.document["verdict"], done.document["check"]
    assert (verdict["stage"], verdict["code"], verdict["owner"]) == ("check", code, "candidate")
    assert said in verdict["reason"]
    assert check["races"] == {"outcome": "found", "reason": verdict["reason"]}
    draws = CheckReport.model_validate(check).draws
    assert [draw.distribution for draw in draws] == ["standard", "large", "tiny", "offset"]
    assert all(draw.passed for draw in draws)
    assert done.document["config"]["races"] is True


def test_a_copy_that_is_never_waited_for_gives_wrong_numbers(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", changed(jaxbench.folder, WITHOUT_WAIT), "-w", WORKLOAD, "--races", "--json")
    assert done.code == 1, done.out
    assert done.document["verdict"]["code"] == "non_finite"
    assert "in the run with race detection" in done.document["verdict"]["reason"]


ODD = 'if flat.shape[0] % ROWS:\n        raise ValueError(f"takes a multiple of {ROWS} rows, not {flat.shape[0]}")'


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("if flat.shape[0] % ROWS:\n        return x * 2", ("failed", "element_error")),
        ("if flat.shape[0] % ROWS:\n        return x[..., :8]", ("failed", "output_shape")),
        ("if flat.shape[0] % ROWS:\n        import os\n        os._exit(0)", ("failed", "exited")),
    ],
    ids=["garbage", "other_shape", "exit"],
)
def test_garbage_at_the_odd_size_is_told_from_a_refusal(
    jaxbench: CommandLine, new: str, expected: tuple[str, str]
) -> None:
    done = jaxbench(
        "evaluate", changed(jaxbench.folder, (ODD, new)), "-w", WORKLOAD, "--odd-size", "--no-predict", "--json"
    )
    assert done.code == 0, "no part of the verdict"
    odd: dict[str, Any] = done.document["check"]["odd"]
    assert (odd["outcome"], odd["code"]) == expected
    assert odd["reason"]
    assert done.document["flags"] == []
