"""The step of `bench_neural.py` in PyTorch: a Transformer of the same sizes, all weights, fused Adam, one thread."""

import json
import sys
import time

import torch
from torch import nn

width, heads, inner, encoders, decoders, pieces, length, count = json.loads(sys.argv[1])
torch.set_num_threads(1)
embedding = nn.Embedding(pieces, width)
body = nn.Transformer(width, heads, encoders, decoders, inner, dropout=0.0, batch_first=True, norm_first=True)
weights = [*embedding.parameters(), *body.parameters()]
adam = torch.optim.Adam(weights, lr=1e-4, betas=(0.9, 0.98), fused=True)
source = torch.arange(10, 10 + length + 1)[None]
target = torch.arange(40, 40 + length + 4)[None]
mask = nn.Transformer.generate_square_subsequent_mask(length + 4)
names, parts = ("forward", "backward", "Adam"), [0.0, 0.0, 0.0]
for n in range(count + 2):
    times = [time.process_time()]
    states = body(embedding(source), embedding(target), tgt_mask=mask, tgt_is_causal=True)
    loss = nn.functional.cross_entropy((states @ embedding.weight.T)[0], target[0])
    times.append(time.process_time())
    loss.backward()
    nn.utils.clip_grad_norm_(weights, 1.0, foreach=True)
    times.append(time.process_time())
    adam.step()
    adam.zero_grad(set_to_none=True)
    times.append(time.process_time())
    if n >= 2:
        parts = [total + end - begin for total, begin, end in zip(parts, times, times[1:], strict=False)]
said = ", ".join(f"{name} {1e3 * each / count:.0f} ms" for name, each in zip(names, parts, strict=True))
print(f"PyTorch {torch.__version__}: {said}")
