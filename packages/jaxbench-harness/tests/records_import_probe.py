"""Imports the record schema and prints, as JSON, which heavy modules came with it."""

import json
import sys

import jaxbench_harness.records
import jaxbench_harness.store

read = jaxbench_harness.store.read_records
schema = jaxbench_harness.records.Record.model_json_schema()
loaded = sorted({name.partition(".")[0] for name in sys.modules} & {"jax", "jaxlib", "libtpu", "numpy"})
sys.stdout.write(json.dumps({"loaded": loaded, "title": schema["title"]}) + "\n")
