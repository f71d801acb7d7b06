"""Sources of candidates beside their records."""

import zipfile

import pytest

from jaxbench_leaderboard.kernel_sources import find_source, joined

DIGEST = "a" * 64


def test_a_source_is_found_in_the_folder_and_in_the_archive(tmp_path):
    folder, archived = tmp_path / "folder", tmp_path / "archived"
    (folder / "sources" / DIGEST / "package").mkdir(parents=True)
    (folder / "sources" / DIGEST / "package" / "kernel.py").write_text("1")
    archived.mkdir()
    with zipfile.ZipFile(archived / "sources.zip", "w") as archive:
        archive.writestr(f"{DIGEST}/package/kernel.py", "2")
        archive.writestr(f"{DIGEST}/config.json", "{}")
        archive.writestr(f"{'b' * 64}/other.py", "3")
    assert find_source([str(folder)], DIGEST) == {"package/kernel.py": "1"}
    assert find_source([str(archived)], DIGEST) == {"package/kernel.py": "2"}
    assert find_source(["published", str(archived), str(folder)], "c" * 64) is None


@pytest.mark.parametrize("digest", [None, "", "../" * 20, "A" * 64])
def test_what_is_no_digest_is_not_looked_for(tmp_path, digest):
    assert find_source([str(tmp_path)], digest) is None


def test_a_source_of_unbelievable_size_is_not_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "sources.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{DIGEST}/kernel.py", b" " * (2**21 + 1))
    assert find_source([str(tmp_path)], DIGEST) is None


def test_an_archive_that_is_none_has_no_sources(tmp_path):
    (tmp_path / "sources.zip").write_bytes(b"PK, but no archive")
    assert find_source([str(tmp_path)], DIGEST) is None


def test_what_no_other_file_names_comes_first_and_packages_last():
    files = {
        "package/__init__.py": "",
        "package/tiles.py": "SIZE = 8",
        "package/zzz_kernel.py": "from package.tiles import SIZE",
    }
    names = [line.removeprefix("# ---- ") for line in joined(files).splitlines() if line.startswith("# ---- ")]
    assert names == ["package/zzz_kernel.py", "package/tiles.py", "package/__init__.py"]


def test_a_single_file_stands_as_it_is():
    assert joined({"candidate.py": "x = 1\n"}) == "x = 1\n"
