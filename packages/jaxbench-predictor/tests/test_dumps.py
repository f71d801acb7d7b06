import pytest
from golden_dumps import files

from jaxbench_predictor import Limits, Unavailable, get_machine, predict
from jaxbench_predictor.dumps.environment import dump_environment
from jaxbench_predictor.dumps.equivalence import Equivalence
from jaxbench_predictor.dumps.reading import read_schedule, schedule_of
from jaxbench_predictor.listing.model import ListingError


def test_a_schedule_is_read_from_the_files_of_a_directory(tmp_path):
    for name, text in files("matmul_twice").items():
        (tmp_path / name).write_text(text)
    schedule = read_schedule(tmp_path)
    assert {"TLP", "<late-initialization>", "<late-finalization>"} < set(schedule.listings)
    assert schedule.utilization.keys() == schedule.listings.keys()
    assert "ENTRY" in schedule.hlo


def test_equal_computations_are_found_under_the_name_of_the_first():
    dump = files("copy")
    name = next(name for name in dump if "deduplication-map" in name)
    kernel = next(name for name in schedule_of(dump).listings if name != "TLP" and not name.startswith("<"))
    dump[name] += f"key:{kernel}\nordinal:1\nequivalent_hlos[size=2]:\n  {kernel}\n  another.7\n"
    schedule = schedule_of(dump)
    assert schedule.find("another.7") is schedule.find(kernel)


_EQUAL_FUSIONS = """HloModule m

%first (a: f32[8,128]) -> f32[8,128] {
  %a = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %twice = f32[8,128]{1,0:T(8,128)} add(%a, %a), metadata={op_name="one"}
}

%second (b: f32[8,128]) -> f32[8,128] {
  %b = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %sum = f32[8,128]{1,0:T(8,128)} add(%b, %b), metadata={op_name="two {}"}
}

%third (c: f32[8,128]) -> f32[8,128] {
  %c = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %product = f32[8,128]{1,0:T(8,128)} multiply(%c, %c)
}

ENTRY %main (x: f32[8,128]) -> f32[8,128] {
  %x = f32[8,128]{1,0:T(8,128)} parameter(0)
  %fusion = f32[8,128]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%first
  %fusion.1 = f32[8,128]{1,0:T(8,128)} fusion(%fusion), kind=kLoop, calls=%second
  %fusion.2 = f32[8,128]{1,0:T(8,128)S(1)} fusion(%fusion.1), kind=kLoop, calls=%second
  ROOT %fusion.3 = f32[8,128]{1,0:T(8,128)} fusion(%fusion.2), kind=kLoop, calls=%third
}
"""


def test_without_a_map_equal_instructions_are_found_in_the_module():
    """`fusion.1` differs in names only; `fusion.2` in where its result lies, and `fusion.3` in what it computes."""
    equal = Equivalence(_EQUAL_FUSIONS).representatives({"fusion": None})
    assert equal["fusion.1"] == "fusion"
    assert {"fusion.2", "fusion.3"}.isdisjoint(equal)


def test_two_modules_in_one_directory_are_refused():
    dump = files("copy")
    dump |= {f"9{name}": text for name, text in files("copy").items()}
    with pytest.raises(ListingError, match="more than one module"):
        schedule_of(dump)


def test_a_directory_without_a_schedule_is_refused(tmp_path):
    with pytest.raises(ListingError, match="no schedule of a top-level program"):
        read_schedule(tmp_path)


def test_the_compiler_is_told_where_to_dump_and_not_to_use_a_cache(tmp_path):
    environment = dump_environment(get_machine("v5e"), tmp_path)
    assert environment["TPU_ACCELERATOR_TYPE"] == "v5litepod-1"
    assert f"--xla_jf_dump_to={tmp_path} " in environment["LIBTPU_INIT_ARGS"]
    assert environment["JAX_ENABLE_COMPILATION_CACHE"] == "false"


def test_what_is_no_program_does_not_compile():
    outcome = predict(b"no program")
    assert isinstance(outcome, Unavailable)
    assert outcome.stage == "compile"
    assert "Traceback" in outcome.log


def test_a_compilation_ends_at_its_time_limit():
    outcome = predict(b"no program", limits=Limits(wall_s=0.001))
    assert isinstance(outcome, Unavailable)
    assert outcome.reason == "the compilation took more than 0.001 s"
