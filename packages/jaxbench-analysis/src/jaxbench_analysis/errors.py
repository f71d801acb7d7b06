"""What the analysis refuses, each with a line that says what to do."""


class AnalysisError(ValueError):
    """A request that has no honest answer; the base of every error here."""


class ResultsError(AnalysisError):
    """A results folder or file that cannot be read."""


class NewerSchemaError(ResultsError):
    """Records of a schema version that this version does not know."""


class MixedRecordsError(AnalysisError):
    """Records of different kinds, targets, releases or workload definitions in one aggregate."""


class MissingColumnsError(AnalysisError):
    """A frame without the declared columns."""
