"""Search spaces: what each kernel may be told, and what cannot fit before a compiler is asked."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from jaxbench_baselines.expert import Expert
from jaxbench_baselines.experts.lagged_product import VMEM_MIB
from jaxbench_baselines.settings import Settings
from jaxbench_harness.workload import ArraySpec, Workload

_MIB = 2**20


@dataclass(frozen=True)
class Space:
    """What may be set.

    Attributes:
        choices: Values by the name of the setting.
        vmem_bytes: Estimate of the VMEM that a kernel with these settings takes at full size.
        vmem_limit_bytes: What it may take.
        is_consistent: Whether the settings go together.
    """

    choices: Mapping[str, tuple[int, ...]]
    vmem_bytes: Callable[[Settings], int] = lambda settings: 0 * len(settings)
    vmem_limit_bytes: int = VMEM_MIB * _MIB
    is_consistent: Callable[[Settings], bool] = lambda _: True

    def __len__(self) -> int:
        """Combinations, those that cannot be used included."""
        return math.prod(map(len, self.choices.values()))

    def __iter__(self) -> Iterator[Settings]:
        """Yields every combination."""
        for values in itertools.product(*self.choices.values()):
            yield dict(zip(self.choices, values, strict=True))

    def fault(self, settings: Settings) -> str | None:
        """Returns why settings are not worth compiling, or None."""
        if not self.is_consistent(settings):
            return "the settings do not go together"
        needed = self.vmem_bytes(settings)
        if needed > self.vmem_limit_bytes:
            return f"needs about {needed / _MIB:.0f} MiB of VMEM, the limit is {self.vmem_limit_bytes / _MIB:.0f}"
        return None


class NoSpaceError(LookupError):
    """Nothing is known that could be set."""


def space_of(expert: Expert, workload: Workload) -> Space:
    """Returns the search space of an expert.

    Raises:
        NoSpaceError: If it has nothing to set, or no space is declared.
    """
    keys = (f"{expert.module}.{expert.function}", expert.kernel, expert.module)
    build = next((_SPACES[key] for key in keys if key in _SPACES), None)
    if build is None:
        declared = ", ".join(sorted(_SPACES))
        raise NoSpaceError(f"{workload.id}: no search space for {expert.module!r}; there are {declared}")
    return build(workload)


def _splash(workload: Workload) -> Space:
    """Blocks, layouts and schedulers as Tokamax enumerates them; skipping the diagonal needs square blocks."""
    del workload
    layouts = (1, 2)
    return Space(
        {
            "block_q": (512, 1024, 2048),
            "block_kv": (512, 1024, 2048),
            "block_kv_compute": (256, 512, 1024),
            "q_layout": layouts,
            "k_layout": layouts,
            "v_layout": layouts,
            "use_experimental_scheduler": (0, 1),
            "qk_diag_skip": (0, 1),
            "qk_diag_grid": (2, 4),
            "sv_diag_skip": (0, 1),
        },
        is_consistent=_square_where_skipped,
    )


def _square_where_skipped(settings: Settings) -> bool:
    square = settings["block_q"] == settings["block_kv"] == settings["block_kv_compute"]
    if settings["block_kv"] % settings["block_kv_compute"]:
        return False
    return square or not (settings["qk_diag_skip"] or settings["sv_diag_skip"])


def _fused(workload: Workload, **others: tuple[int, ...]) -> Space:
    """Tiles of a dense product; the estimate is that of the docstring of `fused_matmul`."""
    arrays = [spec for spec in workload.arguments(workload.size("full")) if isinstance(spec, ArraySpec)]
    depth = arrays[0].shape[-1]

    def vmem(settings: Settings) -> int:
        bm, bn = settings["bm"], settings["bn"]
        waiting = 4 * bm * bn * settings.get("lag", 1)
        return 4 * depth * (bm + bn) + waiting + 4 * bm * bn

    return Space(
        {"bm": (512, 1024, 2048), "bn": (256, 512, 768, 1024), "rows_at_once": (128, 256, 512, 1024), **others},
        vmem_bytes=vmem,
        is_consistent=lambda settings: settings["rows_at_once"] <= settings["bm"],
    )


def _pointwise(workload: Workload) -> Space:
    return _fused(workload, lag=(0, 1))


def _grouped(workload: Workload) -> Space:
    """Tiles of the first ragged dot, with the buffers that Tokamax does not enumerate; no limit is set but its own."""
    del workload

    def vmem(settings: Settings) -> int:
        m, k, n = settings["tile_m"], settings["tile_k"], settings["tile_n"]
        return 2 * settings["input_buffer_count"] * k * (m + n) + 2 * 2 * m * n + 4 * m * n

    return Space(
        {
            "tile_m": (128, 256, 512, 1024),
            "tile_k": (1024, 2048, 4096),
            "tile_n": (512, 768, 1024, 1536, 2048),
            "input_buffer_count": (2, 3, 4),
        },
        vmem_bytes=vmem,
    )


def _sparse_moe(workload: Workload) -> Space:
    """Tiles of both ragged dots; those of the second have names of their own."""
    return _doubled(_grouped(workload), "down_")


def _twice(workload: Workload) -> Space:
    """Tiles of a dense product, and of another before it."""
    return _doubled(_fused(workload), "first_")


def _doubled(one: Space, prefix: str) -> Space:
    """Returns the space of a kernel that runs twice, with a prefix to the names of the other run's settings."""

    def other(settings: Settings) -> Settings:
        return {name: settings[prefix + name] for name in one.choices}

    return Space(
        {**one.choices, **{prefix + name: values for name, values in one.choices.items()}},
        vmem_bytes=lambda settings: max(one.vmem_bytes(settings), one.vmem_bytes(other(settings))),
        is_consistent=lambda settings: one.is_consistent(settings) and one.is_consistent(other(settings)),
    )


def _only(**choices: tuple[int, ...]) -> Callable[[Workload], Space]:
    def build(workload: Workload) -> Space:
        del workload
        return Space(choices)

    return build


_SPACES: Mapping[str, Callable[[Workload], Space]] = {
    "SplashAttention": _splash,
    "row_fusions.gemm_sigmoid_log_sum_exp": _twice,
    "grouped_matmul.sparse_moe": _sparse_moe,
    "pointwise_fusions": _pointwise,
    "row_fusions": _fused,
    "group_fusions": _fused,
    "grouped_matmul": _grouped,
    "attention": _only(block_q=(256, 512, 1024, 2048), block_k_major=(512, 1024, 2048), block_k=(256, 512, 1024, 2048)),
    "paged_decode": _only(pages_per_block=(4, 8, 16, 32, 64)),
    "paged_attention": _only(pages_per_compute_block=(16, 32, 64, 128, 256)),
    "ragged_paged_attention": _only(
        num_kv_pages_per_block=(16, 32, 64, 128),
        num_queries_per_block=(16, 32, 64, 128, 256),
        vmem_limit_bytes=(100 * _MIB,),
    ),
    "LinearSoftmaxCrossEntropyLoss": _only(
        b_block_size=(512, 1024, 2048),
        h_block_size=(512, 1024, 2048, 4096),
        v_block_size=(1024, 2048, 4096),
        buffer_count=(2, 3),
    ),
    "normalization": _only(block_rows=(32, 64, 128, 256)),
    "retention": _only(block=(256, 512, 1024, 2048)),
    "state_space": _only(chunk=(128, 256, 512)),
    "triangle": _only(pairs=(1024, 2048, 4096, 8192), rows=(256, 512, 768, 1536), out_pairs=(1024, 2048, 4096, 8192)),
}
"""By function, kernel or module, whichever is found first."""
