"""GEMM, SwiGLU MLP and RMSNorm."""

import numpy as np

from workload_numpy_references.common import swish


def gemm(A, B, **dims):
    out = np.zeros((dims["M"], dims["N"]))
    for k in range(dims["K"]):
        out += A[:, k, None] * B[None, k, :]
    return out


def swiglu_mlp(x, gate_kernel, up_kernel, down_kernel, **dims):
    positions = x.reshape(-1, dims["emb_dim"])
    hidden = swish(positions @ gate_kernel) * (positions @ up_kernel)
    return (hidden @ down_kernel).reshape(x.shape)


def rms_norm(x, scale, **dims):
    mean_square = (x**2).sum(axis=-1) / dims["emb_dim"]
    return x / np.sqrt(mean_square + dims["epsilon"])[..., None] * scale


REFERENCES = {
    "8p_GEMM": gemm,
    "9p_SwiGLU_MLP": swiglu_mlp,
    "12p_RMSNorm": rms_norm,
}
