"""Entry modules of worker processes: `python -m jaxbench_harness.workers.<name> CHANNEL_FD PARENT LIMITS`."""
