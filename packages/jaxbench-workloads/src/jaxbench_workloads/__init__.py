"""The JAXBench workloads: references, sizes, input distributions and tolerances.

One module or folder per family; `WORKLOADS` lists them all in benchmark order.
"""

from importlib.metadata import version

from jaxbench_harness.workload import Workload
from jaxbench_workloads import (
    linear_attention,
    loss,
    matmul,
    mlp,
    moe,
    normalization,
    paged_attention,
    ssm,
    triangle,
)
from jaxbench_workloads.attention import causal, latent
from jaxbench_workloads.conv_fusion import conv2d, conv3d
from jaxbench_workloads.matmul_fusion import batch_norms, norms, pointwise, reductions, softmax
from jaxbench_workloads.published import with_published_times

__all__ = ["WORKLOADS", "__version__"]

__version__ = version("jaxbench-workloads")

WORKLOADS: tuple[Workload, ...] = with_published_times(
    causal.FLASH_ATTENTION,
    causal.GQA_ATTENTION,
    latent.MLA_ATTENTION,
    causal.SPARSE_ATTENTION,
    causal.FLEX_ATTENTION,
    paged_attention.PAGED_ATTENTION,
    paged_attention.RAGGED_PAGED_ATTENTION,
    matmul.GEMM,
    mlp.SWIGLU_MLP,
    moe.SPARSE_MOE,
    moe.MEGABLOX_GMM,
    normalization.RMS_NORM,
    loss.CROSS_ENTROPY,
    moe.RAGGED_DOT,
    linear_attention.RETNET_RETENTION,
    ssm.MAMBA2_SSD,
    triangle.TRIANGLE_MULTIPLICATION,
    conv2d.CONV2D_RELU_BIAS_ADD,
    pointwise.MATMUL_SUBTRACT_MULTIPLY_RELU,
    pointwise.GEMM_MULTIPLY_LEAKY_RELU,
    reductions.GEMM_DIVIDE_SUM_SCALING,
    conv2d.CONV2D_INSTANCE_NORM_DIVIDE,
    reductions.MATMUL_SUM_MAX_AVG_POOL_LOG_SUM_EXP_LOG_SUM_EXP,
    reductions.MATMUL_SCALE_RESIDUAL_ADD_CLAMP_LOG_SUM_EXP_MISH,
    conv3d.CONV3D_GROUP_NORM_MEAN,
    norms.BMM_INSTANCE_NORM_SUM_RESIDUAL_ADD_MULTIPLY,
    pointwise.MATMUL_MISH_MISH,
    conv3d.CONV_TRANSPOSE3D_LAYER_NORM_GELU_SCALING,
    norms.MATMUL_SWISH_SUM_GROUP_NORM,
    pointwise.MATMUL_SCALING_RESIDUAL_ADD,
    batch_norms.GEMM_BATCH_NORM_GELU_RELU,
    reductions.GEMM_SIGMOID_LOG_SUM_EXP,
    conv3d.CONV3D_MISH_TANH,
    conv2d.CONV2D_ACTIVATION_BATCH_NORM,
    pointwise.GEMM_SCALING_HARDTANH_GELU,
    reductions.MATMUL_SIGMOID_SUM,
    pointwise.MATMUL_SWISH_SCALING,
    softmax.MATMUL_DROPOUT_SOFTMAX,
    conv2d.CONV2D_GELU_GLOBAL_AVG_POOL,
    norms.GEMM_GROUP_NORM_MIN_BIAS_ADD,
    pointwise.GEMM_ADD_RELU,
    reductions.GEMM_MAX_SUBTRACT_GELU,
    softmax.GEMM_BATCH_NORM_SCALING_SOFTMAX,
    pointwise.MATMUL_DIVIDE_GELU,
    norms.GEMM_GROUP_NORM_SWISH_MULTIPLY_SWISH,
    conv2d.CONV2D_GROUP_NORM_TANH_HARD_SWISH_RESIDUAL_ADD_LOG_SUM_EXP,
    pointwise.MATMUL_ADD_SWISH_TANH_GELU_HARDTANH,
    batch_norms.MATMUL_BATCH_NORM_BIAS_ADD_DIVIDE_SWISH,
    reductions.MATMUL_AVG_POOL_GELU_SCALE_MAX,
    softmax.MATMUL_GELU_SOFTMAX,
)
