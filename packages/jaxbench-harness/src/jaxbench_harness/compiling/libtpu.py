"""How libtpu is told to compile for a chip that is not there. Imports no JAX."""

from jaxbench_harness.targets import Target

NO_LIBTPU = "libtpu is not installed; install jaxbench-harness[tpu] on x86-64 Linux"


def compiler_environment(target: Target) -> dict[str, str]:
    """Returns the environment variables with which libtpu compiles for `target` on a host without a TPU."""
    return {
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_ACCELERATOR_TYPE": target.accelerator_type,
        "TPU_WORKER_HOSTNAMES": "localhost",
        # libtpu takes a process-wide lock file; without this a second compile at the same time aborts.
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        # Threads compile variants of one kernel at a time, each with gigabytes for a large convolution. Evaluations
        # run side by side instead. What comes out is the same.
        "LIBTPU_INIT_ARGS": "--xla_jf_internal_num_threads=1",
    }
