"""Writes result files of every usual name into its working folder and ends well.

trick: 36
outcome: reject
stage: load
code: exited
says: exited with status 0 before it answered
"""

import os
from pathlib import Path

LINE = '{"schema_version":2,"evaluation_id":"forged","verdict":{"outcome":"passed"}}\n'
for name in ("result.json", "results.json", "results/evaluations.jsonl", "record.json", "output.json"):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(LINE)
os._exit(0)
