"""The command: compiles what has no record yet, fits, and writes constants and accuracy."""

import argparse
import datetime as dt
import logging
from pathlib import Path

from jaxbench_calibration.cases import load_cases
from jaxbench_calibration.comparing import compare
from jaxbench_calibration.compiling import NotRecordedError, make_record, record_path
from jaxbench_calibration.fitting import fit
from jaxbench_calibration.models import CHOSEN, MODELS
from jaxbench_calibration.programs.catalogue import programs
from jaxbench_calibration.programs.references import UNKNOWN_FORM
from jaxbench_calibration.writing import write_constants, write_results

_ROOT = Path(__file__).parents[2]
_RECORDS = _ROOT / "records"
_CONSTANTS = _ROOT.parent / "src/jaxbench_predictor/machines/v6e.json"
_LOG = logging.getLogger(__name__)


def main() -> None:
    """Runs the calibration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="compile all programs again, about an hour on one core")
    parser.add_argument("--no-compile", action="store_true", help="fit to the programs that have a record")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    _RECORDS.mkdir(exist_ok=True)
    if not arguments.no_compile:
        _make_records(again=arguments.again)
    _fit()


def _make_records(*, again: bool) -> None:
    for program in programs().values():
        if again or not record_path(_RECORDS, program.name).exists():
            try:
                make_record(program, _RECORDS)
            except NotRecordedError as error:
                _LOG.warning("%s is left out: %s", program.name, error)


def _unrecorded() -> dict[str, str]:
    unknown = {f"{workload}/xla": "another form was measured, and it is not known which" for workload in UNKNOWN_FORM}
    fitted = [name for name, program in programs().items() if program.fitted]
    missing = [name for name in fitted if not record_path(_RECORDS, name).exists()]
    return unknown | dict.fromkeys(missing, "no record: its compilation failed or took too long")


def _fit() -> None:
    every = load_cases(list(programs().values()), _RECORDS)
    cases = [case for case in every if case.program.fitted]
    fits = [fit(model, cases) for model in (CHOSEN, *(model for model in MODELS if model is not CHOSEN))]
    date = dt.datetime.now(tz=dt.UTC).date().isoformat()
    comparisons = compare(CHOSEN, fits[0].constants, every)
    others = [case for case in every if not case.program.fitted]
    write_results(_ROOT / "results", date, fits, cases, others, comparisons, _unrecorded())
    write_constants(_CONSTANTS, date, fits[0], cases)
    _LOG.info("fitted to %d programs: %s", len(cases), fits[0].constants)
