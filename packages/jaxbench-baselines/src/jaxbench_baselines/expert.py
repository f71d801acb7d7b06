"""Expert: the declaration of a baseline of this package, and the candidate that it becomes."""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from jaxbench_baselines.configs import find_config
from jaxbench_baselines.settings import CONFIG_FILE
from jaxbench_harness.baseline import EXPERT, Baseline
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.records import Method

_PACKAGE = Path(__file__).parent
_SHARED = ("__init__.py", "settings.py", "experts/__init__.py", "experts/tiling.py")
"""Files that every candidate of this package has, besides its own."""


@dataclass(frozen=True, kw_only=True)
class Expert:
    """What is declared of one expert.

    Attributes:
        workload_id: What it computes.
        module: Module of `experts` that has its function, such as `attention` or `fusions.pointwise`.
        function: Its function there; it takes the inputs of the workload.
        library: Distribution that the kernel comes from.
        kernel: Name of the kernel there.
        timed: What a time of it includes beyond the kernel.
        needs: Further modules of `experts` that the module imports.
        name: `expert`, or `expert:NAME` for an alternative.
    """

    workload_id: str
    module: str
    function: str
    library: str
    kernel: str
    timed: str = "the kernel alone"
    needs: tuple[str, ...] = ()
    name: str = EXPERT

    def baseline(self) -> Baseline:
        """Returns it as the harness knows baselines."""
        return Baseline(
            workload_id=self.workload_id,
            name=self.name,
            library=self.library,
            library_version=version(self.library),
            kernel=self.kernel,
            timed=self.timed,
            build=self.candidate,
        )

    def candidate(self, target: str) -> Candidate:
        """Returns the candidate: the kernel's source with all that it imports of this package, and its config.

        The files keep their places in the package, so that imports find the candidate's own copies and none but
        them: its digest tells all that it does, but for installed libraries.

        Raises:
            FileNotFoundError: If there is no config.
        """
        config = find_config(self.workload_id, self.name, target).read_bytes()
        return self.candidate_with(config)

    def candidate_with(self, config: bytes) -> Candidate:
        """Returns the candidate with another config file."""
        main = _path_of(self.module)
        paths = {*_SHARED, main, *map(_path_of, self.needs)}
        paths |= {str(folder / "__init__.py") for path in paths for folder in Path(path).parents}
        files = {f"{_PACKAGE.name}/{path}": (_PACKAGE / path).read_bytes() for path in paths}
        return Candidate(
            name=self.name,
            files={**files, CONFIG_FILE: config},
            main=f"{_PACKAGE.name}/{main}",
            entry_point=self.function,
            role=EXPERT,
            method=Method(name="human"),
        )


def _path_of(module: str) -> str:
    return f"experts/{module.replace('.', '/')}.py"
