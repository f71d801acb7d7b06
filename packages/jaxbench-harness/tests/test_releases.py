"""Freezing, reading and comparing releases."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from jaxbench_harness.check import limits, metrics, systematic
from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.records import ResolvedConfig
from jaxbench_harness.releases import (
    ReleaseError,
    current_protocol,
    differences,
    freeze,
    load_release,
    protocol,
    snapshot,
)
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import OutputSpec, sizes

CONFIG = ResolvedConfig(target="v6e")


@pytest.fixture
def load(tmp_path, workload):
    def load(*workloads, name="2026.1"):
        return load_release(
            name,
            label="a test",
            failure_proof=True,
            workloads=workloads or (workload,),
            packages=("jaxbench-harness",),
            folder=tmp_path,
        )

    return load


def other_reference(x, y, scale, *, K):
    return (x @ y) / K * scale


CHANGES = {
    "code": {"reference": other_reference},
    "sizes": {"sizes": sizes(full={"M": 256, "K": 128, "N": 385}, check={"M": 16, "K": 128, "N": 128})},
    "inputs": {"output": OutputSpec(("N", "M"), "float32")},
    "distributions": {"distributions": {"standard": {"x": Normal(), "y": Normal()}}},
    "tolerance": {"tolerance": Tolerance(rtol=0.03)},
    "counts": {"flops": "2*M*K*N + 2*M*N"},
    "version": {"version": 3},
}


def test_a_release_that_was_never_frozen_says_how(load):
    release = load()
    assert release.frozen is None
    with pytest.raises(ReleaseError, match=r"2026\.1 was never frozen; `jaxbench release freeze 2026\.1` does it"):
        _ = release.recorded_name


def test_a_frozen_release_keeps_digests_protocol_versions_and_date(load, workload):
    before = datetime.now(UTC).date()
    written = freeze(load(), final=True)
    release = load()
    assert release.manifest == written
    assert (written.name, written.status) == ("2026.1", "frozen")
    assert before <= written.date <= datetime.now(UTC).date()
    assert set(written.versions) == {"python", "jaxbench-harness", "jax", "jaxlib"}
    assert written.protocol == current_protocol()
    assert set(written.workloads[0].parts) == set(CHANGES) - {"version"}
    assert release.recorded_name == "2026.1"
    release.require_unchanged(workload)


def test_a_frozen_workload_carries_its_work_and_its_shortcut(load, workload):
    labelled = replace(workload, useful_flops="M*K*N", useful_bytes="min_bytes - 2*M", shortcut="half of it is known")
    (frozen,) = freeze(load(labelled)).workloads
    nbytes = 2 * 256 * 128 + 4 * 128 * 384 + 4 * 256 * 384
    assert (frozen.nominal_flops, frozen.useful_flops) == (2 * 256 * 128 * 384 + 256 * 384, 256 * 128 * 384)
    assert (frozen.nominal_bytes, frozen.useful_bytes) == (nbytes, nbytes - 512)
    assert frozen.shortcut == "half of it is known"


def test_a_draft_is_replaced_only_when_told_to(load, workload):
    freeze(load())
    assert load().recorded_name == "2026.1-draft"
    changed = replace(workload, version=3)
    with pytest.raises(ReleaseError, match=r"2026\.1 is a draft of .*; --replace freezes it anew"):
        freeze(load(changed))
    assert load().manifest.workload(workload.id).version == 2
    freeze(load(changed), replace=True)
    assert load().manifest.workload(workload.id).version == 3


@pytest.mark.parametrize("options", [{}, {"replace": True}, {"replace": True, "final": True}], ids=str)
def test_what_is_frozen_stays(load, options):
    freeze(load(), final=True)
    before = load().path.read_bytes()
    with pytest.raises(ReleaseError, match=r"2026\.1 was frozen on \d{4}-\d\d-\d\d; make one with another name"):
        freeze(load(), **options)
    assert load().path.read_bytes() == before


def test_a_manifest_is_written_whole_or_not_at_all(load, monkeypatch):
    freeze(load())
    path = load().path
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ReleaseError, match=r"cannot write .*2026\.1\.json: No space left on device"):
        freeze(load(), replace=True)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_manifest_that_appears_meanwhile_is_not_overwritten(load, monkeypatch):
    release = load()
    release.path.write_text("another one's")
    monkeypatch.setattr("jaxbench_harness.releases.release.read_manifest", lambda _: None)
    with pytest.raises(ReleaseError, match="exists; a release is frozen once"):
        freeze(release)
    assert release.path.read_text() == "another one's"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"status": "old"}, "status: Input should be 'draft' or 'frozen'"),
        ({"manifest_version": 2}, "manifest_version: Input should be 1"),
        ({"name": "A b"}, "name: String should match pattern"),
        ({"date": "soon"}, "date: "),
        ({"protocol": {}}, "protocol.traced_sizes: Field required"),
    ],
    ids=str,
)
def test_a_manifest_that_is_not_valid_is_refused_in_one_line(load, change, message):
    freeze(load())
    path = load().path
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ReleaseError) as refused:
        load()
    assert str(refused.value).startswith(f"{path}: not a valid manifest: {message}")
    assert "\n" not in str(refused.value)


def test_a_manifest_lists_a_workload_once(load):
    freeze(load())
    path = load().path
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"workloads": 2 * manifest["workloads"]}))
    with pytest.raises(ReleaseError, match="lists scaled_product more than once"):
        load()


def test_the_manifest_of_another_release_is_refused(load):
    freeze(load())
    load().path.rename(load().path.with_name("2026.2.json"))
    with pytest.raises(ReleaseError, match=r"2026\.2\.json is the manifest of '2026\.1', not of '2026\.2'"):
        load(name="2026.2")


def test_a_name_that_looks_like_a_draft_is_refused(load):
    with pytest.raises(ReleaseError, match="records of drafts end in '-draft'"):
        load(name="2026.1-draft")


@pytest.mark.parametrize("part", CHANGES)
def test_a_changed_workload_is_refused_naming_what_changed(load, workload, part):
    freeze(load(), final=True)
    changed = replace(workload, **CHANGES[part])
    frozen, now = snapshot(load()).workloads[0].digest, snapshot(load(changed)).workloads[0].digest
    with pytest.raises(ReleaseError) as refused:
        load(changed).require_unchanged(changed)
    assert str(refused.value) == (
        f"scaled_product is not what release 2026.1 froze: {part} changed, digest {now[:12]} now, "
        f"{frozen[:12]} frozen; install jaxbench-harness {load().manifest.versions['jaxbench-harness']}, "
        "or make a new release"
    )


def test_a_changed_draft_is_to_be_frozen_anew(load, workload):
    freeze(load())
    changed = replace(workload, version=3)
    with pytest.raises(ReleaseError, match=r"freeze the draft anew with `jaxbench release freeze 2026\.1 --replace`"):
        load(changed).require_unchanged(changed)


def test_a_workload_that_came_later_is_refused(load, workload):
    freeze(load())
    later = replace(workload, id="later")
    with pytest.raises(ReleaseError, match=r"later was added after release 2026\.1 was frozen"):
        load(workload, later).require_unchanged(later)


@pytest.mark.parametrize("part", CHANGES)
def test_differences_name_the_part(load, workload, part):
    before, after = snapshot(load()), snapshot(load(replace(workload, **CHANGES[part])))
    (difference,) = differences(before, after)
    assert (difference.where, difference.what) == ("scaled_product", part)
    assert str(difference) == f"scaled_product: {part} is {difference.after}, was {difference.before}"
    assert differences(after, after) == []


def test_differences_name_what_came_and_went(load, workload):
    other = replace(workload, id="other")
    before, after = snapshot(load(workload)), snapshot(load(other))
    assert list(map(str, differences(before, after))) == [
        "scaled_product: workload is absent, was version 2",
        "other: workload is version 2, was absent",
    ]


def test_differences_do_not_look_at_name_status_date_and_versions(load):
    before = snapshot(load())
    other = {"name": "x", "status": "frozen", "date": date(2000, 1, 1), "versions": {"python": "4"}}
    assert differences(before, before.model_copy(update=other)) == []


CONSTANTS = [
    (systematic, "STANDARD_ERRORS"),
    (systematic, "MIN_FIT_ELEMENTS"),
    (systematic, "MIN_SPREAD"),
    (systematic, "MIN_SPREAD_OF_MEAN"),
    (systematic, "BLOCK_COLUMNS"),
    (systematic, "BLOCK_ROWS"),
    (systematic, "MIN_BLOCK_ELEMENTS"),
    (systematic, "MIN_BLOCK_SPREAD"),
    (limits, "BLOCK_SYSTEMATIC_MULTIPLE"),
    (limits, "BLOCK_RMS_MULTIPLE"),
    (metrics, "CONSTANT_SPREAD"),
]


def test_every_constant_of_the_protocol_is_covered_here():
    assert {name.lower() for _, name in CONSTANTS} == set(current_protocol().constants.model_dump())


@pytest.mark.parametrize(("module", "name"), CONSTANTS, ids=[name for _, name in CONSTANTS])
def test_a_changed_constant_of_the_check_is_refused_by_name(load, workload, monkeypatch, module, name):
    freeze(load(), final=True)
    before = getattr(module, name)
    monkeypatch.setattr(module, name, 2 * before)
    (difference,) = differences(load().manifest, snapshot(load()))
    assert (difference.where, difference.what) == ("protocol", f"constants.{name.lower()}")
    assert (float(difference.before), float(difference.after)) == (before, 2 * before)
    with pytest.raises(ReleaseError, match=rf"release 2026\.1: protocol: constants\.{name.lower()} is"):
        load().require_unchanged(workload)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TRACED_SIZES", ("full",), "protocol: traced_sizes is full, was full, check"),
        ("CHECK_SIZE", "full", "protocol: check_size is full, was check"),
    ],
)
def test_changed_sizes_are_named(load, monkeypatch, name, value, said):
    before = snapshot(load())
    monkeypatch.setattr(protocol, name, value)
    assert list(map(str, differences(before, snapshot(load())))) == [said]


@pytest.mark.parametrize(("name", "value"), [("draws_per_distribution", 2), ("require_pallas", True)])
def test_a_changed_default_is_named(load, monkeypatch, name, value):
    before = snapshot(load())
    monkeypatch.setattr(ResolvedConfig.model_fields[name], "default", value)
    (difference,) = differences(before, snapshot(load()))
    assert (difference.where, difference.what, difference.after) == ("protocol", name, str(value))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"draws_per_distribution": 2}, "draws_per_distribution is 2, not 1 as in release 2026.1; leave the option"),
        ({"require_pallas": True}, "require_pallas is True, not False as in release 2026.1; leave the option"),
    ],
    ids=str,
)
def test_an_option_that_contradicts_the_protocol_is_refused(load, option, said):
    freeze(load())
    load().require_protocol(CONFIG)
    load().require_protocol(CONFIG.model_copy(update={"seed": 3, "check_timeout_s": 7.0}))
    with pytest.raises(ReleaseError) as refused:
        load().require_protocol(CONFIG.model_copy(update=option))
    assert str(refused.value).startswith(said)
