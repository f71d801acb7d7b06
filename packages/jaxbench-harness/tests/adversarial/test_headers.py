"""The files of the suite say what must come of them, cover every trick, and are all in the threat model."""

import pytest
from adversarial_suite import CLASSES, HERE, PENDING, Attempt, attempts, read_attempt
from tricks import ELSEWHERE, TRICKS, attacks, missing_files, table

THREAT_MODEL = HERE.parents[3] / "docs" / "threat-model.md"
NUMBERS = {number for tricks in TRICKS.values() for number in tricks}


def test_every_trick_is_tried():
    tried = {number for attempt in attempts() for number in attempt.tricks}
    assert sorted(NUMBERS) == list(range(1, 46))
    assert tried <= NUMBERS
    assert NUMBERS - tried <= ELSEWHERE.keys()
    assert missing_files() == []


def test_each_file_stands_with_the_class_of_its_first_trick():
    for attempt in attempts():
        folder = attempt.path.parent.name
        if attempt.tricks:
            assert any(number in TRICKS[folder] for number in attempt.tricks), attempt.name
        else:
            assert folder in {"machinery", "honest"}, attempt.name


def test_names_are_unique_and_what_is_pending_exists():
    names = [attempt.name for attempt in attempts()]
    assert len(set(names)) == len(names)
    assert PENDING.keys() <= set(names)
    assert {attempt.path.parent.name for attempt in attempts()} == set(CLASSES)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("outcome: perhaps", "outcome is 'perhaps'"),
        ("", "outcome is None"),
        ("outcome: reject\nstage: load", "has stage and code"),
        ("outcome: neutral\nstage: load\ncode: raised", "has stage and code"),
    ],
)
def test_a_header_that_is_incomplete_is_refused(tmp_path, header, message):
    path = tmp_path / "x.py"
    path.write_text(f'"""Does something.\n\n{header}\n"""\n')
    with pytest.raises(ValueError, match=message):
        read_attempt(path)


def test_a_header_is_read_up_to_the_code(tmp_path):
    path = tmp_path / "x.py"
    path.write_text('"""Does something.\n\ntrick: 1 2\noutcome: flag\nflags: a b\n"""\nimport x\nworkload: int = 3\n')
    assert read_attempt(path) == Attempt(
        path=path, statement="Does something.", outcome="flag", tricks=(1, 2), flags=frozenset({"a", "b"})
    )


@pytest.mark.parametrize("written", [table, attacks], ids=["tricks", "attacks"])
def test_the_threat_model_has_the_table(written):
    """`python tricks.py` in this folder prints both."""
    assert written(attempts()) in THREAT_MODEL.read_text()
