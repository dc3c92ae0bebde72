"""The parts of a Transformer, each forward and backward.

All arrays are float32 and have the shape [pairs, pieces, width], unless they say otherwise; the pairs of a batch have
equal lengths, so that nothing has to be masked but the future. `p` are the parameters, by their names in CTranslate2's
files. A forward function returns its result and what its backward function needs to have kept. A backward function is
given dy, the derivative of the loss by the result, adds those by its weights to `g` and returns dx.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from dragoman.kernels import exercise
from dragoman.neural.gradients import Gradients
from dragoman.neural.layers_kernels import error_function

Parameters = Mapping[str, np.ndarray]


def linear(p: Parameters, name: str, x: np.ndarray) -> np.ndarray:
    """Compute y = x Wᵀ + b, with W [outputs, inputs] and b [outputs]."""
    w, b = p[f"{name}/weight"], p.get(f"{name}/bias")
    y = x.reshape(-1, x.shape[-1]) @ w.T
    if b is not None:
        y += b
    return y.reshape(*x.shape[:-1], w.shape[0])


def linear_backward(p: Parameters, g: Gradients, name: str, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Compute dx = dy W; ∂W = Σ dyᵀ x, ∂b = Σ dy."""
    w, flat = p[f"{name}/weight"], dy.reshape(-1, dy.shape[-1])
    g.add_outer(f"{name}/weight", flat, x.reshape(-1, x.shape[-1]))
    if f"{name}/bias" in p:
        g.add_vector(f"{name}/bias", flat.sum(0))
    return (flat @ w).reshape(x.shape)


class NormKept(NamedTuple):
    """What the derivative of a normalisation needs."""

    z: np.ndarray  # x without its mean and spread
    inverse: np.ndarray  # [pairs, pieces, 1] one over the spread


def layer_norm(p: Parameters, name: str, x: np.ndarray, epsilon: float) -> tuple[np.ndarray, NormKept]:
    """Compute y = γ z + β, z = (x - mean) / √(variance + ε), over the width (Ba et al. 2016)."""
    z = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((z * z).mean(-1, keepdims=True) + np.float32(epsilon))
    z *= inverse
    return z * p[f"{name}/gamma"] + p[f"{name}/beta"], NormKept(z, inverse)


def layer_norm_backward(p: Parameters, g: Gradients, name: str, kept: NormKept, dy: np.ndarray) -> np.ndarray:
    """Compute dx = (dz - mean(dz) - z mean(dz z)) / spread, with dz = γ dy; ∂γ = Σ dy z, ∂β = Σ dy."""
    z, inverse = kept
    g.add_vector(f"{name}/gamma", (dy * z).sum((0, 1)))
    g.add_vector(f"{name}/beta", dy.sum((0, 1)))
    dx = dy * p[f"{name}/gamma"]
    dx -= dx.mean(-1, keepdims=True) + z * (dx * z).mean(-1, keepdims=True)
    dx *= inverse
    return dx


class AttentionKept(NamedTuple):
    """What the derivative of attention needs."""

    x: np.ndarray
    memory: np.ndarray | None
    q: np.ndarray  # [pairs, heads, pieces, width of a head]
    k: np.ndarray
    v: np.ndarray
    a: np.ndarray  # [pairs, heads, pieces that look, pieces that are looked at] what each looks at; sums to 1
    mixed: np.ndarray  # a v, heads side by side


def attention(
    p: Parameters, name: str, x: np.ndarray, heads: int, *, memory: np.ndarray | None = None, causal: bool = False
) -> tuple[np.ndarray, AttentionKept]:
    """Compute softmax(Q Kᵀ / √width of a head) V for each head (Vaswani et al. 2017, eq. 1), and join the heads.

    The pieces x look at themselves, those of a `causal` stack only back, or at those of another stack, the `memory`.
    """
    if memory is None:
        q, k, v = np.split(linear(p, f"{name}/linear_0", x), 3, -1)
    else:
        q = linear(p, f"{name}/linear_0", x)
        k, v = np.split(linear(p, f"{name}/linear_1", memory), 2, -1)
    q, k, v = (split_heads(each, heads) for each in (q, k, v))
    a = softmax(scores(q, k, causal=causal))
    mixed = join_heads(a @ v)
    last = "linear_1" if memory is None else "linear_2"
    return linear(p, f"{name}/{last}", mixed), AttentionKept(x, memory, q, k, v, a, mixed)


def attention_backward(
    p: Parameters, g: Gradients, name: str, kept: AttentionKept, dy: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Compute dx and, of attention to another stack, dmemory.

    dV = Aᵀ dM and dA = dM Vᵀ, where M = A V; dS = A (dA - Σ A dA), of a softmax; dQ = dS K / √w, dK = dSᵀ Q / √w.
    """
    x, memory, q, k, v, a, mixed = kept
    heads, last = q.shape[1], "linear_1" if memory is None else "linear_2"
    dmixed = split_heads(linear_backward(p, g, f"{name}/{last}", mixed, dy), heads)
    dv = a.swapaxes(-1, -2) @ dmixed
    ds = dmixed @ v.swapaxes(-1, -2)
    ds -= (ds * a).sum(-1, keepdims=True)
    ds *= a
    ds *= np.float32(1 / math.sqrt(q.shape[-1]))
    dq, dk, dv = join_heads(ds @ k), join_heads(ds.swapaxes(-1, -2) @ q), join_heads(dv)
    if memory is None:
        return linear_backward(p, g, f"{name}/linear_0", x, np.concatenate([dq, dk, dv], -1)), None
    dmemory = linear_backward(p, g, f"{name}/linear_1", memory, np.concatenate([dk, dv], -1))
    return linear_backward(p, g, f"{name}/linear_0", x, dq), dmemory


def scores(q: np.ndarray, k: np.ndarray, *, causal: bool) -> np.ndarray:
    """How much each piece would look at each, [pairs, heads, looking, looked at]; never at the future if causal."""
    s: np.ndarray = q @ k.swapaxes(-1, -2)
    s *= np.float32(1 / math.sqrt(q.shape[-1]))
    if causal:
        s[..., np.triu(np.ones(s.shape[-2:], bool), 1)] = -np.inf
    return s


def softmax(s: np.ndarray) -> np.ndarray:
    """Compute exp(s) / Σ exp(s) over the last axis."""
    a: np.ndarray = np.exp(s - s.max(-1, keepdims=True))
    a /= a.sum(-1, keepdims=True)
    return a


def log_softmax(s: np.ndarray) -> np.ndarray:
    """Compute s - log Σ exp(s) over the last axis, which overwrites s."""
    s -= s.max(-1, keepdims=True)
    s -= np.log(np.exp(s).sum(-1, keepdims=True))
    return s


def split_heads(x: np.ndarray, heads: int) -> np.ndarray:
    """[pairs, pieces, width] → [pairs, heads, pieces, width of a head]."""
    return np.ascontiguousarray(x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2))


def join_heads(x: np.ndarray) -> np.ndarray:
    """[pairs, heads, pieces, width of a head] → [pairs, pieces, width]."""
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


class FeedForwardKept(NamedTuple):
    """What the derivative of a feed-forward block needs."""

    x: np.ndarray
    h: np.ndarray  # before the activation
    f: np.ndarray  # after it


def feed_forward(p: Parameters, name: str, x: np.ndarray, activation: str) -> tuple[np.ndarray, FeedForwardKept]:
    """Compute W₁ f(W₀ x + b₀) + b₁."""
    h = linear(p, f"{name}/linear_0", x)
    f = ACTIVATIONS[activation](h)
    return linear(p, f"{name}/linear_1", f), FeedForwardKept(x, h, f)


def feed_forward_backward(
    p: Parameters, g: Gradients, name: str, kept: FeedForwardKept, activation: str, dy: np.ndarray
) -> np.ndarray:
    """Compute dx through both matrices: dh = f'(h) df."""
    dh = linear_backward(p, g, f"{name}/linear_1", kept.f, dy)
    dh *= DERIVATIVES[activation](kept.h)
    return linear_backward(p, g, f"{name}/linear_0", kept.x, dh)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Compute 1 / (1 + exp(-x)), which as a hyperbolic tangent cannot overflow."""
    y: np.ndarray = np.tanh(x * np.float32(0.5))
    y += np.float32(1)
    y *= np.float32(0.5)
    return y


def normal_distribution(x: np.ndarray) -> np.ndarray:
    """Φ(x), the share of a standard normal distribution below x."""
    root = np.float32(math.sqrt(0.5))
    y = np.empty_like(x)
    error_function((x * root).reshape(-1), y.reshape(-1))
    y += np.float32(1)
    y *= np.float32(0.5)
    return y


TANH_SCALE, TANH_CUBE = np.float32(math.sqrt(2 / math.pi)), np.float32(0.044715)
SIGMOID_SCALE = np.float32(1.702)


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    y: np.ndarray = np.float32(0.5) * x * (1 + np.tanh(TANH_SCALE * (x + TANH_CUBE * x * x * x)))
    return y


def _silu_derivative(x: np.ndarray) -> np.ndarray:
    s = sigmoid(x)
    y: np.ndarray = s * (1 + x * (1 - s))
    return y


def _gelu_derivative(x: np.ndarray) -> np.ndarray:
    density = np.exp(np.float32(-0.5) * x * x) * np.float32(1 / math.sqrt(2 * math.pi))
    y: np.ndarray = normal_distribution(x) + x * density
    return y


def _gelu_tanh_derivative(x: np.ndarray) -> np.ndarray:
    t = np.tanh(TANH_SCALE * (x + TANH_CUBE * x * x * x))
    inner = TANH_SCALE * (1 + 3 * TANH_CUBE * x * x)
    y: np.ndarray = np.float32(0.5) * (1 + t + x * (1 - t * t) * inner)
    return y


def _gelu_sigmoid_derivative(x: np.ndarray) -> np.ndarray:
    s = sigmoid(SIGMOID_SCALE * x)
    y: np.ndarray = s + SIGMOID_SCALE * x * s * (1 - s)
    return y


# GELU and its two approximations: Hendrycks and Gimpel 2016
ACTIVATIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x * sigmoid(x),
    "gelu": lambda x: x * normal_distribution(x),
    "gelu_tanh": _gelu_tanh,
    "gelu_sigmoid": lambda x: x * sigmoid(SIGMOID_SCALE * x),
}

DERIVATIVES: dict[str, Callable[[np.ndarray], Any]] = {
    "relu": lambda x: x > 0,
    "silu": _silu_derivative,
    "gelu": _gelu_derivative,
    "gelu_tanh": _gelu_tanh_derivative,
    "gelu_sigmoid": _gelu_sigmoid_derivative,
}


@exercise
def _exercise() -> None:
    normal_distribution(np.zeros(1, np.float32))
