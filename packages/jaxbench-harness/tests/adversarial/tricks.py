"""The known tricks against kernel benchmarks that the suite covers, and the table of them in the threat model."""

import sys
from collections.abc import Sequence

from adversarial_suite import CLASSES, HERE, Attempt, attempts

TRICKS = {
    "not_doing_the_work": {
        1: "return zeros or the mean where outputs are smaller than the tolerance",
        2: "return the input where the operation is nearly the identity",
        3: "return one number that broadcasts in the comparison",
        4: "fill the output with NaN or infinity",
        5: "compute a part only: a prefix, no tail, the first page, no small experts",
        6: "assume the visible distribution: equal groups, no mask, sorted indices",
        7: "compute the inputs of a public seed and bake the answer in",
        8: "answer the benchmarked shape only",
        9: "leave out an argument whose usual value changes nothing",
        10: "multiply in fewer bits than the workload allows",
        11: "leave the output unwritten, so that freed memory shows through",
    },
    "reusing_work": {
        12: "keep outputs by the identity of the inputs",
        13: "keep outputs by a fingerprint of the inputs",
        14: "keep prepared weights between calls",
        15: "do the work of all calls in one, look the others up",
        16: "leave results on disk for a later process or evaluation",
        17: "find expected outputs in the own process",
        18: "overwrite expected outputs or the comparison",
        19: "read expected outputs, earlier records or other candidates from files",
        20: "forward the call to the reference, a baseline or a library, at once or when a kernel fails",
        21: "raise ImportError so that another kernel is taken",
    },
    "faking_the_clock": {
        22: "replace clocks, waiting, the profiler or comparisons, in Python or in C",
        23: "return what is computed later, or what a waiter does not recognise",
        24: "work outside of what is timed: threads, processes, late copies",
        25: "have the host compute",
        26: "set switches that the harness might obey",
        27: "look like another event to the profiler",
        28: "use more hardware than the target",
        29: "prepare inputs where no clock runs: at import, in the first call",
        30: "behave in the first calls or at one size, skip the work later",
        31: "keep state on the device between calls",
        32: "slow down the baseline or other evaluations",
        33: "take no time in one case, so that a ratio or a mean of ratios has no end",
        34: "submit often and keep the luckiest sample",
    },
    "forging_the_result": {
        35: "print a result",
        36: "leave a result file and end well",
        37: "write to inherited descriptors, also when the process ends",
        38: "find a secret in memory and sign with it",
        39: "read the seed from environment, command line or the parent",
        40: "write into inputs, or give their memory away",
        41: "replace or shadow modules of the harness, add hooks or path files",
        42: "crash, hang, fork, exhaust memory or disk, so that others fail",
        43: "escape by names: paths, equal ids, digests that mix fields",
        44: "hide from scanners of source",
        45: "instruct whoever reviews it",
    },
}
ELSEWHERE = {
    33: ("neutral (no time is recorded, and the bound is of the workload alone)", ("adversarial_suite.py",)),
    34: ("neutral (every try leaves a record, on inputs of its own)", ("test_runs.py",)),
    42: ("reject", ("../test_trace_stage.py", "../test_sandbox.py")),
    43: ("reject, or told apart by digest", ("../test_candidate.py", "test_runs.py")),
}
"""Tricks that other tests cover, alone or beside candidates here: the outcome, and files relative to this folder."""


def table(all_attempts: Sequence[Attempt]) -> str:
    """Returns the tricks by class, each with the candidates that try it and what comes of them, in Markdown."""
    lines = ["| | trick | what tries it, and what comes of it |", "| --- | --- | --- |"]
    for folder, tricks in TRICKS.items():
        lines.append(f"| | **{CLASSES[folder]}** | in `{folder}`, where no other folder is named |")
        lines += [
            f"| {number} | {statement} | {_tries(number, folder, all_attempts)} |"
            for number, statement in tricks.items()
        ]
    return "\n".join(lines) + "\n"


def attacks(all_attempts: Sequence[Attempt]) -> str:
    """Returns the attacks on the machinery with what comes of them, in Markdown."""
    lines = ["| attack | candidate | outcome |", "| --- | --- | --- |"]
    lines += [
        f"| {attempt.statement.rstrip('.')} | `{attempt.path.name}` | {_outcome(attempt)} |"
        for attempt in all_attempts
        if attempt.path.parent.name == "machinery"
    ]
    return "\n".join(lines) + "\n"


def _tries(number: int, folder: str, all_attempts: Sequence[Attempt]) -> str:
    tries = [
        f"`{attempt.name.removeprefix(f'{folder}/')}` {_outcome(attempt)}"
        for attempt in all_attempts
        if number in attempt.tricks
    ]
    if number in ELSEWHERE:
        outcome, files = ELSEWHERE[number]
        tries.append(f"{', '.join(f'`{file.rpartition("/")[2]}`' for file in files)} {outcome}")
    return "; ".join(tries)


def _outcome(attempt: Attempt) -> str:
    match attempt.outcome:
        case "reject":
            return f"reject ({attempt.stage}, `{attempt.code}`)"
        case "flag":
            return f"flag ({', '.join(f'`{flag}`' for flag in sorted(attempt.flags))})"
        case "nothing":
            return "nothing to find"
        case outcome:
            return outcome


def missing_files() -> list[str]:
    """Returns the files of ELSEWHERE that are not there."""
    return [file for _, files in ELSEWHERE.values() for file in files if not (HERE / file).exists()]


if __name__ == "__main__":
    sys.stdout.write("\n".join((table(attempts()), attacks(attempts()))))
