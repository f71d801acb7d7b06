"""What a machine model holds."""

from enum import StrEnum

from jaxbench_predictor.model import Model, NonEmptyStr, PositiveFloat, PositiveInt


class Standing(StrEnum):
    """How well a constant is known."""

    STATED = "stated"
    """The vendor, libtpu or JAX states it."""
    DERIVED = "derived"
    """It follows from stated numbers."""
    FITTED = "fitted"
    """It was fitted to measured times; `fit_set` says to which."""
    PROVISIONAL = "provisional"
    """A placeholder, carried over from another machine."""


class Constant(Model):
    """One number of a machine model."""

    value: PositiveFloat
    """The number; the unit is in the name of the field that holds it."""
    standing: Standing
    """How well it is known."""
    source: NonEmptyStr
    """Where it comes from."""
    fit_set: NonEmptyStr | None = None
    """The measurements it was fitted to; null for a number that was not fitted."""


class Machine(Model):
    """One JAX device of a TPU generation, as the prediction sees it."""

    name: NonEmptyStr
    """Name of the target, such as `v6e`."""
    version: NonEmptyStr
    """Changes whenever a number changes, so that predictions of different constants are not mixed."""
    topology_name: NonEmptyStr
    """Topology that `jax.experimental.topologies` resolves: one chip."""
    accelerator_type: NonEmptyStr
    """Value of `TPU_ACCELERATOR_TYPE` when libtpu compiles for it without a TPU."""
    device_kind: NonEmptyStr
    """Device kind of that topology, as libtpu reports it."""
    num_cores: PositiveInt
    """TensorCores of one JAX device. Two is a megacore device: one of the cores is predicted, with its share of HBM."""
    matrix_unit_width: PositiveInt
    """Rows and columns of the weights that one matrix unit multiplies with."""
    clock_hz: Constant
    """TensorCore clock in Hz: one bundle issues per cycle."""
    peak_bf16_flops_per_s: Constant
    """Peak bf16 matrix FLOP/s of one device, for the compute bound."""
    peak_hbm_bytes_per_s: Constant
    """HBM bytes/s of one device on the data sheet, for the memory bound."""
    hbm_bytes_per_s: Constant
    """HBM bytes/s that DMAs reach, reads and writes together."""
    hbm_sustained_bytes_per_s: Constant | None
    """The same for transfers that begin later than `hbm_sustained_after_s`; null where it is not known."""
    hbm_sustained_after_s: Constant | None
    """Seconds since a program began after which HBM is at its sustained rate."""
    dma_latency_cycles: Constant
    """Cycles from the moment the last byte is transferred until the waiting core sees it."""
    matmul_slowdown: Constant | None
    """Time lost per time in which the matrix units work at their peak, with operands other than zeros; null where
    nothing was compared. The likely cause is the limit of the chip's power."""
    low_ratio: Constant | None
    """Lower end of the 80% interval, as a multiple of the predicted time; null where nothing was compared."""
    high_ratio: Constant | None
    """Upper end of it."""
    branch_delay_slots: PositiveInt
    """Bundles after a branch that execute before it takes effect."""
    granule_bytes: PositiveInt
    """Unit of DMA sizes in the listings."""

    @property
    def core_flops_per_s(self) -> float:
        """Peak bf16 matrix FLOP/s of one core."""
        return self.peak_bf16_flops_per_s.value / self.num_cores

    @property
    def core_peak_hbm_bytes_per_s(self) -> float:
        """HBM bytes/s on the data sheet for one core while all of them take their share."""
        return self.peak_hbm_bytes_per_s.value / self.num_cores

    @property
    def flops_per_listed_flop(self) -> float:
        """Operations that the matrix units do for one of a listing, whose count is that of units of 256 x 256."""
        return (self.matrix_unit_width / 256) ** 2

    @property
    def lost_cycles_per_matmul_flop(self) -> float:
        """Cycles that a matrix operation costs beyond its bundles, per floating-point operation of a listing."""
        if self.matmul_slowdown is None:
            return 0.0
        return self.matmul_slowdown.value * self.clock_hz.value / self.core_flops_per_s * self.flops_per_listed_flop

    @property
    def calibrated(self) -> bool:
        """Whether every constant that a predicted time follows from is more than a placeholder."""
        constants = (self.clock_hz, self.hbm_bytes_per_s, self.dma_latency_cycles)
        return all(constant.standing is not Standing.PROVISIONAL for constant in constants)
