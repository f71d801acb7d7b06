"""The workloads once more in float64 NumPy, written from the workloads' definitions in words.

Loops and plain formulas, so that they share neither operations nor mistakes with the references in JAX.
"""

import math

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax_of_row(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


def flash_attention(query, key, value, **dims):
    out = np.empty_like(query)
    for batch, head, row in np.ndindex(query.shape[:3]):
        seen = slice(0, row + 1)
        scores = key[batch, head, seen] @ query[batch, head, row] / math.sqrt(dims["head_dim"])
        out[batch, head, row] = softmax_of_row(scores) @ value[batch, head, seen]
    return out


def gemm(A, B, **dims):
    out = np.zeros((dims["M"], dims["N"]))
    for k in range(dims["K"]):
        out += A[:, k, None] * B[None, k, :]
    return out


def swiglu_mlp(x, gate_kernel, up_kernel, down_kernel, **dims):
    positions = x.reshape(-1, dims["emb_dim"])
    gate = positions @ gate_kernel
    hidden = gate * sigmoid(gate) * (positions @ up_kernel)
    return (hidden @ down_kernel).reshape(x.shape)


def rms_norm(x, scale, **dims):
    mean_square = (x**2).sum(axis=-1) / dims["emb_dim"]
    return x / np.sqrt(mean_square + dims["epsilon"])[..., None] * scale


def matmul_scaling_residual_add(x, weight, bias, **dims):
    return (1 + dims["scaling_factor"]) * (x @ weight + bias)


def matmul_gelu_softmax(x, weight, bias, **dims):
    out = gelu_tanh(x @ weight + bias)
    for row in range(dims["batch_size"]):
        out[row] = softmax_of_row(out[row])
    return out


REFERENCES = {
    "1p_Flash_Attention": flash_attention,
    "8p_GEMM": gemm,
    "9p_SwiGLU_MLP": swiglu_mlp,
    "12p_RMSNorm": rms_norm,
    "30k_Matmul_Scaling_ResidualAdd": matmul_scaling_residual_add,
    "50k_Matmul_GELU_Softmax": matmul_gelu_softmax,
}
