# torch_gpt.py -- the gpt of bench_gpt.c in PyTorch on one core: the same shapes, parameters (no biases, layernorm without weights) and work
# (forward, backward, Adam). Not run by `make bench`: `taskset -c 0 python3 tests/bench/torch_gpt.py [fused] [TURNS]`
import sys, time
import torch
import torch.nn as nn
import torch.nn.functional as F

LAYERS, HIDDEN, HEADS, SEQ, BATCH, VOCAB, ITERATIONS = 4, 64, 4, 64, 8, 64, 5
torch.set_num_threads(1)

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN, bias=False), nn.Linear(4 * HIDDEN, HIDDEN, bias=False)

    def forward(self, x):
        n = F.layer_norm(x, [HIDDEN])
        q, k, v = (part(n).view(BATCH, SEQ, HEADS, HIDDEN // HEADS).transpose(1, 2) for part in (self.q, self.k, self.v))
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(o.transpose(1, 2).reshape(BATCH, SEQ, HIDDEN))
        return x + self.down(F.gelu(self.up(F.layer_norm(x, [HIDDEN])), approximate='tanh'))

class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.pos = nn.Embedding(VOCAB, HIDDEN), nn.Embedding(SEQ, HIDDEN)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.head = nn.Linear(HIDDEN, VOCAB, bias=False)

    def forward(self, ids, targets):
        x = self.blocks(self.table(ids) + self.pos.weight)
        return F.cross_entropy(self.head(F.layer_norm(x, [HIDDEN])).view(-1, VOCAB), targets.reshape(-1))

model = Gpt()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused='fused' in sys.argv)
turns = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 8
best = float('inf')
for turn in range(turns):
    begin = time.process_time()
    for _ in range(ITERATIONS):
        text = torch.randint(0, VOCAB, (BATCH, SEQ + 1))
        loss = model(text[:, :-1], text[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    best = min(best, (time.process_time() - begin) / ITERATIONS)
print(f'torch {torch.__version__}: best {best * 1e3:.2f} ms an iteration')
