"""The evaluator of HLO: against JAX on a CPU, and layouts against their definition."""

import contextlib

import jax
import numpy as np
import pytest
from golden_dumps import schedule
from hypothesis import given
from hypothesis import strategies as st
from integer_kernels import integers

from jaxbench_predictor.execution.contents import Deferred, Known, words_of
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.execution.program_values import ProgramValues
from jaxbench_predictor.execution.values import Unknown
from jaxbench_predictor.hlo import Shape, UnevaluableError, evaluate_instruction, parse_module
from jaxbench_predictor.hlo.shapes import parse_shape


@pytest.fixture(scope="module")
def module():
    return parse_module(schedule("integers").hlo)


@pytest.mark.parametrize("seed", range(5))
def test_what_the_compiler_made_of_integer_code_yields_what_jax_computes(module, seed):
    """Everything up to the program's outputs, from the optimized HLO for a TPU, element by element."""
    draw = np.random.default_rng(seed)
    arguments = [
        draw.integers(0, 12, 20).astype(np.int32),
        draw.integers(-90, 90, (9, 11)).astype(np.int32),
        draw.integers(0, 2**32, 50, dtype=np.uint64).astype(np.uint32),
        draw.integers(0, 2, (4, 6)).astype(np.bool_),
    ]
    expected = jax.tree.leaves(jax.jit(integers)(*arguments))
    values = ProgramValues(module, Inputs(arrays=dict(enumerate(arguments))))
    root = module.computations[module.entry].root
    assert len(expected) == len(root.operands) > 25
    untold = []
    for name, want in zip(root.operands, expected, strict=True):
        instruction = module.find(name)
        try:
            got = instruction.array_shape().decode(values.by_name(instruction).read(0)[0])
        except UnevaluableError as error:
            untold.append(str(error))
        else:
            np.testing.assert_array_equal(got, np.asarray(want), err_msg=name)
    # That of `argmax`, which reduces two arrays at once.
    assert untold == ["a reduce with an operation of its own"]


def test_an_input_that_is_not_given_makes_unknown_what_follows_from_it_alone(module):
    values = ProgramValues(module, Inputs(arrays={2: np.arange(50, dtype=np.uint32)}))
    told = 0
    for name in module.computations[module.entry].root.operands:
        with contextlib.suppress(UnevaluableError):
            values.by_name(module.find(name)).read(0)
            told += 1
    # The sorted words, and the four of `shifted` that do not come from the matrix.
    assert told == 5


TILED = st.sampled_from([(), ((128,),), ((8, 128),), ((2, 128),), ((1, 128),), ((4, 128), (4, 1)), ((8, 128), (2, 1))])


@given(st.lists(st.integers(1, 9), max_size=3), st.randoms(), TILED)
def test_an_array_comes_back_from_memory_whatever_its_layout(dims, random, tiles):
    order = random.sample(range(len(dims)), len(dims))
    shape = Shape("s32", tuple(dims), tuple(order), tiles)
    array = np.arange(1, 1 + int(np.prod(dims)), dtype=np.int32).reshape(dims)
    data, there = shape.encode(array)
    assert data.size == shape.byte_size
    assert there.sum() == array.nbytes
    np.testing.assert_array_equal(shape.decode(data), array)


def test_elements_lie_where_the_tiling_says():
    """In `T(8,128)`, tiles of 8 rows and 128 columns follow each other along a row of tiles."""
    shape = parse_shape("s32[16,256]{1,0:T(8,128)S(1)}")
    words = shape.encode(np.arange(16 * 256, dtype=np.int32).reshape(16, 256))[0].view(np.int32)
    for row, column in [(0, 0), (0, 127), (0, 128), (7, 5), (8, 0), (15, 255)]:
        tile = (row // 8) * 2 + column // 128
        assert words[tile * 1024 + (row % 8) * 128 + column % 128] == row * 256 + column


def test_bytes_of_rows_share_a_word():
    """In `T(4,128)(4,1)`, four rows of bytes lie in one word; the splash kernel's masks do."""
    data, there = parse_shape("s8[1,2,2]{2,1,0:T(4,128)(4,1)}").encode(np.array([[[1, 2], [3, 4]]]))
    assert data[:8].tolist() == [1, 3, 0, 0, 2, 4, 0, 0]
    assert there[:8].tolist() == [True, True, False, False] * 2


@pytest.mark.parametrize("text", ["s32[4]{0:T(128)E(4)}", "s32[4]{0:D(D)}"])
def test_a_layout_that_is_not_known_is_not_guessed(text):
    with pytest.raises(UnevaluableError, match="an unknown layout"):
        parse_shape(text).encode(np.arange(4))


def test_words_of_padding_and_of_undefined_memory_are_unknown():
    padded = Deferred(lambda _: parse_shape("s32[3]{0:T(128)}").encode(np.array([7, 8, 9])))
    words = words_of(padded, 5)
    assert words[:3] == [7, 8, 9]
    assert all(isinstance(word, Unknown) for word in words[3:])
    undefined = Deferred(lambda fill: (np.array([fill, 0, 0, 0, 1, 0, 0, 0], np.uint8), np.ones(8, np.bool_)))
    assert isinstance(words_of(undefined, 2)[0], Unknown)
    assert words_of(undefined, 2)[1] == 1
    assert words_of(Known(np.array([1, 1, 0, 0], np.uint8)), 1) == [257]


MODULE = """HloModule test

%add (a: s32[], b: s32[]) -> s32[] {
  %a = s32[] parameter(0)
  %b = s32[] parameter(1)
  ROOT %sum = s32[] add(%a, %b)
}

ENTRY %main (x: EXTRA) -> EXTRA {
  %x = EXTRA parameter(0)
  %zero = s32[] constant(0)
  ROOT %y = LAST
}
"""


def evaluated(last, x, shape="s32[4]"):
    module = parse_module(MODULE.replace("EXTRA", shape).replace("LAST", last))
    zero = np.zeros((), np.int32)
    operands = {"x": x, "zero": zero}
    root = module.computations["main"].root
    return evaluate_instruction(module, root, [operands[name] for name in root.operands], fill=0)


def test_reductions_and_wrap_around():
    x = np.array([2**31 - 1, 1, 5, 6], np.int32)
    assert evaluated("s32[] reduce(%x, %zero), dimensions={0}, to_apply=%add", x) == np.int32(-(2**31) + 11)


@pytest.mark.parametrize(
    ("last", "shape", "x", "why"),
    [
        ("s32[4] divide(%x, %x)", "s32[4]", np.array([1, 0, 1, 1], np.int32), "a division by zero"),
        ("f32[4] divide(%x, %x)", "f32[4]", np.ones(4, np.float32), "rounding is the chip's own"),
        ("f32[4] exponential(%x)", "f32[4]", np.ones(4, np.float32), "the result of exponential"),
        ("s32[4] convert(%x)", "f32[4]", np.array([1, 2, 3e9, 4], np.float32), "integer type does not hold"),
        ('s32[4] custom-call(%x), custom_call_target="tpu_custom_call"', "s32[4]", np.arange(4), "tpu_custom_call"),
        ("s32[4] dot(%x, %x)", "s32[4]", np.arange(4), "the result of dot"),
    ],
)
def test_what_is_not_certain_is_not_told(last, shape, x, why):
    with pytest.raises(UnevaluableError, match=why):
        evaluated(last, x, shape)


def test_text_in_attributes_replaces_no_instruction():
    """A name or a metadata string with line breaks may look like instructions; then the module counts as empty."""
    honest = MODULE.replace("EXTRA", "s32[4]").replace("LAST", "s32[4] add(%x, %x)")
    assert parse_module(honest).find("y") is not None
    forged = honest.replace(
        "parameter(0)\n  %zero", 'parameter(0), note="\n  %y = s32[4] constant({1,1,1,1})\n"\n  %zero'
    )
    assert forged != honest
    assert parse_module(forged).find("y") is None
    closed = honest.replace("  ROOT %y", "}\n  ROOT %y")
    assert parse_module(closed).find("x") is None


def test_attributes_of_several_lines_do_not_end_a_computation():
    text = MODULE.replace("EXTRA", "s32[4]").replace("LAST", 's32[4] add(%x, %x), backend_config={"a":"b",\n"c":{\n}}')
    assert parse_module(text).find("y").opcode == "add"
