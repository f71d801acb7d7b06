"""Reports: tables and figures of one set of records, as a self-contained HTML page and as Markdown."""

from jaxbench_analysis.report.contents import Report, Section, report_of
from jaxbench_analysis.report.writing import write_report

__all__ = ["Report", "Section", "report_of", "write_report"]
