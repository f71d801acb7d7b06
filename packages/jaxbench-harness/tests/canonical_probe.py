"""Prints the canonical form of `original.reference.reference` in the folder given, as the test computes it."""

import importlib
import json
import sys

from jaxbench_harness.canonical_code import canonical

sys.path.insert(0, sys.argv[1])
module = importlib.import_module("original.reference")
sys.stdout.write(json.dumps(canonical(module.reference), sort_keys=True) + "\n")
