# lesson: Accumulate, and exchange once
# minutes: 30
# ranks: 4 8
# learned: Add up gradients over micro-batches; send them once, at the end.
# learned: Only the last micro-batch's backward can hide the exchange.
# learned: A falling loss proves nothing: compare with one rank (`verify`).

## Four micro-batches, one step
# A batch of 128 rows does not fit: it comes in K micro-batches of 32 rows.
# `micro M` queues forward and backward for micro-batch M on `compute`, and
# adds its gradient, a mean over 32 rows, to G. G still contains the last
# step's gradients: `fill G 0` makes them zero.
# Task: run one step, `sgd W G lr=...`, that subtracts from W the mean
# gradient over all K micro-batches (any K) of all ranks. Send gradients on
# `comm` or `compute`, no more often than necessary.
#: start
let K = 4
let L = 8;  let B = 32;  let d = 64
set launch=5us
tensor W[L*d*d] = randn seed=5 scale=0.18
tensor G[L*d*d] = randn seed=9
tensor x[K,B,d] t[K,B,d] = randn seed=10*rank+100
for k in 0:L {
  w$k = reshape W[k*d*d:(k+1)*d*d] [d,d]
  dw$k = reshape G[k*d*d:(k+1)*d*d] [d,d]
}
stream compute comm
def micro M { on compute {
  a0 = relu x[M]
  for k in 0:L { let u = k + 1;  z$k = matmul a$k w$k;  a$u = relu z$k }
  dy = sub a$L t[M];  dy = scale dy 1/B
  for k in L-1:-1:-1 {
    dz = relu_grad dy z$k;  dw$k += matmul a$k.T dz;  dy = matmul dz w$k.T
  }
} }
mark task
#: reference
fill G 0 on compute
for m in 0:K { micro m }
sync
allreduce G op=avg
sgd W G lr=1/K
R = scale W 1
sync
#: vary K=4:6 ranks=4,8
#: predict how long does the step take? = time
#: choice each micro-batch's gradients travelled
fill G 0 on compute
for m in 0:K {
  micro m
  wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
}
sgd W G lr=1/K on compute
#: choice nothing travelled at all
fill G 0 on compute
for m in 0:K { micro m }
sgd W G lr=1/K on compute
#: check
# source: pytorch.org/docs/stable/generated/
#   torch.nn.parallel.DistributedDataParallel.html, no_sync
# source: PyTorch Distributed, arXiv:2006.15704, 3.2.4 (gradient accumulation)
expect races == 0   # a tensor is read before it is written, or written while it is read
expect close(W, R)   # the weights differ from those of one rank with all micro-batches: which gradients are in G, and how often?
expect sent("nvlink") <= 1.2 * best(sent("nvlink"))   # gradients are sent before they are needed: add them up first
expect time <= 1.05 * best(time)   # the step waits for more than one message
#: hint
# A rank can add up its K gradients without the other ranks. The mean is the
# sum / K: divide in the update, because it is cheapest there.
#: solution
fill G 0 on compute
for m in 0:K { micro m }
wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
sgd W G lr=1/K on compute
#: right
fill G 0 on compute
let m = 0
repeat K { micro m; let m = m + 1 }
record all on compute;  wait all on comm
part = reducescatter G on comm
G = allgather part on comm
wait comm on compute
for k in 0:L { sgd w$k dw$k lr=1/(K*world) on compute }
sync; timeline
@0 print W[0]
#: right
g = scale G -1 on compute
G += g on compute
for m in K-1:-1:-1 { micro m }
G = scale G 1/K on compute
allreduce G op=avg on compute
sgd W G lr=1 on compute
#: naive
fill G 0 on compute
for m in 0:K {
  micro m
  wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
}
sgd W G lr=1/K on compute
#: wrong
for m in 0:K { micro m }
wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
sgd W G lr=1/K on compute
#: wrong
fill G 0 on compute
for m in 0:K { micro m }
wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
sgd W G lr=1 on compute
#: wrong
for m in 0:K { fill G 0 on compute;  micro m }
wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
sgd W G lr=1/K on compute
#: wrong
for m in 0:K {
  fill G 0 on compute;  micro m
  wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
  sgd W G lr=1/K on compute
}
#: wrong
fill G 0 on compute
for m in 0:K { micro m }
allreduce G op=avg on comm
wait comm on compute
sgd W G lr=1/K on compute
#: wrong
for m in 0:K { fill G 0 on compute;  micro m;  sgd W G lr=1/K on compute }
allreduce W op=avg on compute
#: wrong
fill G 0 on compute
for m in 0:4 { micro m }
wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
sgd W G lr=1/4 on compute
#: wrong
fill G 0 on compute
for m in 0:K-1 { micro m }
wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
micro K-1
sgd W G lr=1/K on compute
#: wrong
fill G 0 on compute
for m in 0:K { micro m }
wait compute on comm
for k in 0:L { allreduce dw$k op=avg algo=ring on comm }
wait comm on compute
sgd W G lr=1/K on compute
#: ask How many bytes did a rank send (`traffic`; answer like 100k)? = sent
#: transfer
# In PyTorch:  with model.no_sync():
#                for x in micro_batches[:-1]: loss(x).backward()
#              loss(micro_batches[-1]).backward();  opt.step()
# with each loss divided by K. On 8 ranks the message takes 14 hops.

## The last micro-batch can hide the exchange
# The gradients are complete only in the last micro-batch. But there, as soon
# as backward has passed layers 7 and 6, their part of G is complete, and can
# travel during the remaining backward. `forward m` queues micro-batch m's
# forward. `backward k` queues layer k's backward for the latest forward, and
# adds to dw$k in G. G is zero at first.
# Task: run one step with M micro-batches (any M): for each, forward, then
# backward 7, 6 ... 0. Send four buckets of two layers, G[k*d*d:(k+2)*d*d], on
# `comm`, each once, as soon as it is complete. Then sgd W G lr=1/M.
#: start
let M = 2
let L = 8;  let B = 96;  let d = 64
set launch=5us
tensor W[L*d*d] = randn seed=5 scale=0.18
tensor G[L*d*d] = zeros
tensor x[M,B,d] t[M,B,d] = randn seed=10*rank+100
for k in 0:L {
  w$k = reshape W[k*d*d:(k+1)*d*d] [d,d]
  dw$k = reshape G[k*d*d:(k+1)*d*d] [d,d]
}
stream compute comm
def forward m { on compute {
  a0 = relu x[m]
  for k in 0:L { let u = k + 1;  z$k = matmul a$k w$k;  a$u = relu z$k }
  dy = sub a$L t[m];  dy = scale dy 1/B
} }
def backward k { on compute {
  dz = relu_grad dy z$k;  dw$k += matmul a$k.T dz;  dy = matmul dz w$k.T
} }
mark task
#: reference
for m in 0:M { forward m;  for k in L-1:-1:-1 { backward k } }
sync
allreduce G op=avg
sgd W G lr=1/M
R = scale W 1
sync
#: vary M=2:4 ranks=4,8
#: predict one message takes 3.2 ms (8 ranks: 3.4). Four buckets? = time
#: choice the whole exchange was hidden
for m in 0:M { forward m;  for k in L-1:-1:-1 { backward k } }
sgd W G lr=1/M on compute
#: choice nothing travelled during any computation
for m in 0:M {
  forward m;  for k in L-1:-1:-1 { backward k }
  wait compute on comm;  allreduce G op=avg on comm;  wait comm on compute
}
sgd W G lr=1/M on compute
#: check
# source: PyTorch Distributed, arXiv:2006.15704, 3.2.3 and 3.2.4
# source: pytorch.org/docs/stable/notes/ddp.html (hooks, buckets, no_sync)
expect races == 0   # a tensor is read before it is written, or written while it is read
expect close(W, R)   # the weights differ from those of one rank: is each part of G complete when it leaves, and does W use a mean?
expect rank != 1 or sent("nvlink") <= 1.2 * best(sent("nvlink"))   # a bucket travels more than once
expect time <= 1.05 * best(time)   # a complete bucket does not leave while backward still runs
#: hint
# Write a loop over micro-batches, with a loop over layers inside; send a
# bucket if the micro-batch is the last one and k is even.
#: solution
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if m == M-1 and k % 2 == 0 {
      wait compute on comm;  allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
    }
  }
}
wait comm on compute
sgd W G lr=1/M on compute
#: right
for m in 0:M-1 { forward m;  for k in L-1:-1:-1 { backward k } }
forward M-1
for b in 3:-1:-1 {
  backward 2*b+1;  backward 2*b
  record full on compute;  wait full on comm
  allreduce G[2*b*d*d:(2*b+2)*d*d] on comm
}
wait comm on compute
for k in 0:L { sgd w$k dw$k lr=1/(M*world) on compute }
sync; timeline
@0 print W[0]
#: right
for m in M-1:-1:-1 {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if m == 0 and k % 2 == 0 {
      wait compute on comm;  v$k = G[k*d*d:(k+2)*d*d]
      p$k = reducescatter v$k op=avg on comm
      v$k = allgather p$k on comm
    }
  }
}
wait comm on compute
sgd W G lr=1/M on compute
#: naive
for m in 0:M { forward m;  for k in L-1:-1:-1 { backward k } }
wait compute on comm
for b in 3:-1:-1 { allreduce G[2*b*d*d:(2*b+2)*d*d] op=avg on comm }
wait comm on compute
sgd W G lr=1/M on compute
#: wrong
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if k % 2 == 0 {
      wait compute on comm;  allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
      wait comm on compute
    }
  }
}
sgd W G lr=1/M on compute
#: wrong
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if k % 2 == 0 {
      wait compute on comm;  allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
    }
  }
}
wait comm on compute
sgd W G lr=1/M on compute
#: wrong
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if m == 0 and k % 2 == 0 {
      wait compute on comm;  allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
      wait comm on compute
    }
  }
}
sgd W G lr=1/M on compute
#: wrong
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if m == M-1 and k % 2 == 0 {
      allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
    }
  }
}
wait comm on compute
sgd W G lr=1/M on compute
#: wrong
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if m == M-1 and k % 2 == 1 {
      wait compute on comm;  allreduce G[(k-1)*d*d:(k+1)*d*d] op=avg on comm
    }
  }
}
wait comm on compute
sgd W G lr=1/M on compute
#: wrong
for m in 0:M {
  forward m
  for k in L-1:-1:-1 {
    backward k
    if m == M-1 and k % 2 == 0 {
      wait compute on comm;  allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
    }
  }
}
wait comm on compute
sgd W G lr=1 on compute
#: wrong
for m in 0:M { forward m }
for m in 0:M { for k in L-1:-1:-1 {
  backward k
  if m == M-1 and k % 2 == 0 {
    wait compute on comm;  allreduce G[k*d*d:(k+2)*d*d] op=avg on comm
  }
} }
wait comm on compute
sgd W G lr=1/M on compute
#: ask Which stream works last before the update: compute or comm? = "comm"
#: transfer
# In PyTorch the last backward is outside no_sync: DDP's hooks then send the
# buckets with the accumulated sum. On 8 ranks each bucket takes longer, so
# backward hides a smaller part.

## The last rank's short part
# A data set seldom divides evenly: here the last rank has 64 rows, the others
# 128 each; `rows` is a rank's own count, `total` the sum over all ranks.
# `local` has queued kernels on `compute` that make g, the mean gradient over
# this rank's rows.
# Task: make g, on every rank, the mean over all rows of all ranks.
#: start
let d = 64
if rank == world-1 { let rows = 64 } else { let rows = 128 }
let total = 128*world - 64
tensor x[rows,d] y[rows,d] = randn seed=10*rank+100
stream compute
def local { on compute { g = matmul x.T y;  g = scale g 1/rows } }
mark task
local
#: reference
s = matmul x.T y
sync
allreduce s
R = scale s 1/total
sync
#: vary ranks=4,8
#: predict mean of means: a last rank's row counts how many times? = 128/64
#: check
# source: pytorch.org/docs/stable/generated/
#   torch.nn.parallel.DistributedDataParallel.html (averaged by world size)
# source: docs.pytorch.org/docs/stable/data.html, DistributedSampler
expect races == 0   # g is read or written before it is made
expect close(g, R)   # g is not the mean over all rows: how much does each row count?
#: hint
# Weight each rank's mean by its share of the rows, and add up over the ranks.
#: solution
g = scale g rows/total on compute
allreduce g on compute
#: right
g = scale g rows on compute
stream comm
wait compute on comm
allreduce g on comm
g = scale g 1/total on comm
sync; timeline
@0 print g[0,0]
#: right
g = scale g rows*world/total on compute
allreduce g op=avg on compute
#: wrong
allreduce g op=avg on compute
#: wrong
allreduce g on compute
#: wrong
g = scale g rows/total on compute
allreduce g op=avg on compute
#: wrong
allreduce g op=avg on compute
g = scale g rows*world/total on compute
#: wrong
if rank == world-1 { g = scale g 2 on compute }
allreduce g op=avg on compute
#: wrong
g = scale g rows/total
allreduce g
#: transfer
# DDP divides by the number of ranks. If ranks have different numbers of rows,
# scale each loss by rows * world / total, or let the sampler pad
# (DistributedSampler repeats rows) or drop (drop_last=True). One short part
# among 8 does less harm than one among 4.

## The loss falls, but the training is wrong
# A colleague trains with `strategy ddp accumulate=2`, and the run has an
# error. Two iterations have run, and the loss falls. `verify` trains a second
# model on one rank with the same batches, and compares every weight;
# `@0,1 print w1[0,0]` shows this weight on two ranks. `stats` and `traffic`
# show the traffic between ranks, `strategy ddp help` the expected traffic.
# Task: start the strategy again without the error, and train at most four
# iterations. Each rank must train on its own rows, and all must end with the
# weights that training on one rank gives.
#: start
# a colleague's run: four matrices of 16 x 16 (4 kB), synthetic rows,
# 64 rows a step for all ranks together, in two micro-batches;
# two iterations have already run
data synthetic
model mlp layers=4 hidden=16 batch=64
strategy ddp accumulate=2 broken=nosync
run 2
mark task
#: allow strategy
#: predict how many bytes does a rank send in 4 steps? = sent("nvlink")
#: choice each micro-batch's gradients travelled
strategy ddp
run 8
#: check
# source: PyTorch, no_sync as above: gradients inside it are not synchronized
# source: pytorch.org/docs/stable/notes/ddp.html: it is DDP's own forward that
#   prepares the hooks for backward (prepare_for_backward)
expect sent("nvlink") > 0B   # no rank sends to another: none has trained, or each trains alone
expect count(matmul) >= best(count(matmul)) / 4   # a rank has hardly trained, or not at all: each rank must train on its own rows
expect min(rank,1) * sent("pcie") <= best(sent("pcie"))   # a rank has read more than its own rows of four iterations
expect verify   # the weights differ from those of one rank: `verify` shows where
#: hint
# Nothing travels between the ranks: `traffic` is empty. `strategy` shows the
# options that the run was started with.
#: solution
strategy ddp accumulate=2
run 4
#: right
strategy ddp accumulate=2 broken=no bucket=1k
run 2
run 2
#: right
strategy ddp
run 4
#: right
strategy zero accumulate=2
run 4
#: right
strategy dataparallel
run 4
#: wrong
run 4
#: wrong
strategy ddp accumulate=2 broken=nosync
run 4
#: wrong
run 4
for p in w1 w2 w3 w4 { allreduce $p op=avg }
#: wrong
strategy local every=4
run 4
#: wrong
strategy ddp accumulate=2
#: wrong
strategy serial accumulate=2
run 4
#: wrong
strategy serial accumulate=2
run 4
tensor word[4] = 1;  allreduce word
#: wrong
strategy ddp accumulate=2
tensor word[4] = 1;  allreduce word
#: wrong
strategy tp accumulate=2
run 4
#: ask in `verify`, which matrix had the largest error before? = "w1"
#: transfer
# PyTorch sends nothing, and reports no error, if the last micro-batch is
# inside model.no_sync(), or if forward calls model.module instead of the DDP
# model. The loss falls, because each rank learns by itself. So compare a
# weight over ranks from time to time.
# On 8 ranks each learns from an eighth, so the ranks drift farther apart.
