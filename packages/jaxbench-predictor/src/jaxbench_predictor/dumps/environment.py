"""How libtpu is told to compile for a chip that is not there, and to print its schedules. Imports no JAX."""

from pathlib import Path

from jaxbench_predictor.machines import Machine

_LABELS = ("packed-bundles-post-ra", "pre-delay_hlo-static-per-bundle-utilization", "deduplication-map")
"""Passes whose output is kept.

The packed listing shows latencies as empty bundles; the final one folds them away, so that counting its lines
says too little.
"""


_OFFLOADED = ("copy", "dynamic_padding", "gather", "reduce", "reshape", "scatter", "sort")
"""What libtpu may hand to the SparseCore. It knows the flags of these since it does so."""


def dump_environment(machine: Machine, directory: Path, *, sparse_core: bool = True) -> dict[str, str]:
    """Returns the environment variables for a process that compiles for `machine` and dumps into `directory`.

    Where `sparse_core` is false, the compiler is told to keep everything on the TensorCore.

    libtpu reads its flags once, when it is loaded; hence one process for each directory.
    """
    flags = (
        # Threads compile variants of one kernel at a time, with gigabytes for a large one. What comes out is the same.
        "--xla_jf_internal_num_threads=1",
        f"--xla_jf_dump_to={directory}",
        "--xla_jf_dump_llo_text=true",
        f"--xla_jf_dump_llo_pass_label_regex={'|'.join(_LABELS)}",
    )
    if not sparse_core:
        flags += ("--xla_tpu_offload_gather_to_sparsecore=false",)
        flags += tuple(f"--xla_tpu_enable_offloading_{kind}_to_sparsecore=false" for kind in _OFFLOADED)
    return {
        "JAX_PLATFORMS": "cpu",
        # A compilation that comes out of a cache dumps nothing.
        "JAX_ENABLE_COMPILATION_CACHE": "false",
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_ACCELERATOR_TYPE": machine.accelerator_type,
        "TPU_WORKER_HOSTNAMES": "localhost",
        # libtpu takes a process-wide lock file; without this a second compile at the same time aborts.
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        "LIBTPU_INIT_ARGS": " ".join(flags),
    }
