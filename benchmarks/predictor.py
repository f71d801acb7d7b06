"""Measures what a prediction takes after the program is compiled, on one core; prints Markdown.

Usage: uv run benchmarks/predictor.py [NAME ...]
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from jaxbench_predictor import Inputs, get_machine, predict_schedule
from jaxbench_predictor.dumps.compiling import Limits, compile_into
from jaxbench_predictor.dumps.reading import read_schedule

TARGET = "v6e"
REFERENCES = (
    "8p_GEMM",
    "9p_SwiGLU_MLP",
    "12p_RMSNorm",
    "13p_Cross_Entropy",
    "22k_Conv2d_InstanceNorm_Divide",
    "50k_Matmul_GELU_Softmax",
)
"""Workloads whose references are measured: products, a long pipeline, a loop, a convolution, fusions."""

Arguments = tuple[Any, ...]
Built = tuple[Callable[..., Any], Arguments]


def flash(block: int) -> Built:
    """Returns causal attention of 4 x 64 heads, 4096 long."""
    import jax  # noqa: PLC0415 - what only predicts does not load JAX
    from jax.experimental.pallas.ops.tpu import flash_attention  # noqa: PLC0415

    sizes = flash_attention.BlockSizes(block_q=block, block_k_major=block, block_k=min(block, 1024), block_b=1)
    function = partial(flash_attention.flash_attention, causal=True, sm_scale=128**-0.5, block_sizes=sizes)
    return function, (jax.ShapeDtypeStruct((4, 64, 4096, 128), "bfloat16"),) * 3


def tiled_matmul(*, rows: int, columns: int, k: int) -> Built:
    """Returns a product of 8192 x 8192 and 8192 x 28672."""
    import jax  # noqa: PLC0415
    from jax.experimental.pallas.ops.tpu.matmul import matmul  # noqa: PLC0415

    function = partial(matmul, block_shape=(rows, columns), block_k=k)
    return function, tuple(jax.ShapeDtypeStruct((8192, n), "bfloat16") for n in (8192, 28672))


def grouped_matmul(*tiling: int) -> Built:
    """Returns 128 products of 256 x 4096 and 4096 x 2048."""
    import jax  # noqa: PLC0415
    from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm  # noqa: PLC0415

    shapes = (jax.ShapeDtypeStruct(shape, "bfloat16") for shape in ((32768, 4096), (128, 4096, 2048)))
    return partial(gmm, tiling=tiling), (*shapes, np.full(128, 256, np.int32))


def paged_attention(pages: int) -> Built:
    """Returns one step of decoding for 64 sequences of up to 4096 tokens, in pages of 16."""
    import jax  # noqa: PLC0415
    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention as kernel  # noqa: PLC0415

    random = np.random.default_rng(0)
    pool = jax.ShapeDtypeStruct((8, 16384, 16, 128), "bfloat16")
    lengths = random.integers(1, 4097, 64).astype(np.int32)
    table = np.arange(64 * 256, dtype=np.int32).reshape(64, 256)
    query = jax.ShapeDtypeStruct((64, 64, 128), "bfloat16")
    return partial(kernel, pages_per_compute_block=pages), (query, pool, pool, lengths, table)


def reference(workload_id: str) -> Built:
    """Returns the reference of a workload at full size."""
    from jaxbench_harness.registry import find_workload  # noqa: PLC0415

    workload = find_workload(workload_id)
    size = workload.size("full")
    bound: Callable[..., Any] = workload.bound_reference(size)
    import jax  # noqa: PLC0415

    arrays = [spec.at(size.dims) for spec in workload.array_inputs]
    return bound, tuple(jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays)


PROGRAMS: Mapping[str, Callable[[], Built]] = {
    "flash_attention, blocks of 1024": partial(flash, 1024),
    "flash_attention, blocks of 2048": partial(flash, 2048),
    "matmul, 1024 x 2048 x 1024": partial(tiled_matmul, rows=1024, columns=2048, k=1024),
    "matmul, 512 x 512 x 512": partial(tiled_matmul, rows=512, columns=512, k=512),
    "megablox.gmm, 256 x 1024 x 1024": partial(grouped_matmul, 256, 1024, 1024),
    "megablox.gmm, 128 x 512 x 512": partial(grouped_matmul, 128, 512, 512),
    "paged_attention, 128 pages": partial(paged_attention, 128),
    "paged_attention, 32 pages": partial(paged_attention, 32),
} | {f"{workload_id}, XLA": partial(reference, workload_id) for workload_id in REFERENCES}


def compile_program(name: str, directory: Path) -> None:
    """Writes the schedule of a program, and its integer arguments, into a directory."""
    from jaxbench_predictor.exporting import export_program, known_inputs  # noqa: PLC0415

    machine = get_machine(TARGET)
    function, specs = PROGRAMS[name]()
    inputs = known_inputs(function, specs, {})
    np.savez(directory / "inputs.npz", **{str(place): array for place, array in inputs.arrays.items()})
    dump = directory / "dump"
    dump.mkdir()
    compile_into(dump, export_program(function, specs, machine), machine, Limits(), sparse_core=False)


def predict_program(directory: Path) -> dict[str, Any]:
    """Predicts from what `compile_program` wrote, and returns what that took."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with np.load(directory / "inputs.npz") as kept:
        inputs = Inputs(arrays={int(place): kept[place] for place in kept.files})
    wall, cpu = time.monotonic(), time.process_time()
    schedule = read_schedule(directory / "dump")
    read = time.process_time()
    outcome = predict_schedule(schedule, get_machine(TARGET), inputs)
    return {
        "predicted": outcome.model_dump(mode="json", include={"time_ns", "reason"}),
        "listing_mb": sum(path.stat().st_size for path in (directory / "dump").iterdir()) / 1e6,
        "wall_s": time.monotonic() - wall,
        "read_s": read - cpu,
        "cpu_s": time.process_time() - cpu,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def measure(name: str) -> dict[str, Any]:
    """Compiles and predicts one program, each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="jaxbench-benchmark-") as folder:
        for step in ("compile", "predict"):
            done = subprocess.run(
                [sys.executable, __file__, "--step", step, name, folder],
                stdout=subprocess.PIPE,
                check=True,
                env=os.environ | {"JAX_PLATFORMS": "cpu"},
            )
        return json.loads(done.stdout)


def report(names: list[str]) -> Iterator[str]:
    """Yields the lines of the report."""
    software = ", ".join(f"{package} {version(package)}" for package in ("jax", "jaxlib", "libtpu"))
    yield f"One core, Python {sys.version.split()[0]}, {software}; load before {os.getloadavg()[0]:.1f}."
    yield ""
    yield "| program | predicted | dump | wall | CPU | of it reading | peak memory |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    found: list[dict[str, Any]] = []
    for name in names:
        row = measure(name)
        found.append(row)
        time_ns = row["predicted"].get("time_ns")
        predicted = f"{time_ns / 1e6:.3f} ms" if time_ns else row["predicted"]["reason"]
        yield (
            f"| {name} | {predicted} | {row['listing_mb']:.1f} MB | {row['wall_s']:.1f} s | {row['cpu_s']:.1f} s "
            f"| {row['read_s']:.1f} s | {row['peak_gb']:.2f} GB |"
        )
    kernels = [row for name, row in zip(names, found, strict=True) if not name.endswith("XLA")]
    for what, rows in (("Pallas kernels", kernels), ("all", found)):
        cpu = sorted(row["cpu_s"] for row in rows)
        yield f"| median, {what} | | | | {np.median(cpu):.1f} s | | {max(row['peak_gb'] for row in rows):.2f} GB |"


def main() -> None:
    """Measures and prints, or takes one step of a measurement."""
    if sys.argv[1:2] == ["--step"]:
        _, _, step, name, folder = sys.argv
        if step == "compile":
            compile_program(name, Path(folder))
        else:
            sys.stdout.write(json.dumps(predict_program(Path(folder))))
        return
    for line in report(sys.argv[1:] or list(PROGRAMS)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
