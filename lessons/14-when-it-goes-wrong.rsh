# lesson: When it goes wrong, and what to choose
# minutes: 40
# ranks: 4 8
# learned: The last rank is seldom the cause: ask which rank it waited for.
# learned: Give a slow rank less work, or all ranks wait for it.
# learned: Choose a strategy by figures: does it fit, how much does it send?
# source: local SGD: Stich, arXiv:1805.09767; ZeRO: arXiv:1910.02054.
# source: pageable memory is staged by the driver: CUDA C++ programming guide,
#   "Page-Locked Host Memory"; CUDA runtime API, "API synchronization
#   behavior".
# source: docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html
# source: github.com/pytorch/pytorch, torch/distributed/algorithms/
#   model_averaging/averagers.py: parameters are averaged, no optimizer state
# source: docs.pytorch.org/docs/stable/data.html, DistributedSampler

## Three traces
# There are three traces, the sections a, b and c, of four steps each. A step
# ends with an allreduce in which the other ranks wait for one rank. Look:
#    timeline b     stalls b     stats b     @0 why 3.2ms
# The rank that arrives last is not always the cause: it may have waited for a
# rank whose GPU, host or copy is slower than the others'.
# `blame a 0` says that rank 0 is the root of the delay in a.
# Task: name the root rank of each trace.
#: start unseen
slow 1x
tensor said[3] = -1
def blame where who { $(where)_is who }
def a_is who { fill said[0:1] who }
def b_is who { fill said[1:2] who }
def c_is who { fill said[2:3] who }
tensor x[128,128] w[128,128] g[4k] = randn seed=1 scale=0.1
tensor near[128k] pinned = 1;  tensor far[128k] host = 1
tensor batch[128k] token[4k] = 0
stream compute io
def look_at_a {
  mark a;  @2 slow 2x
  for i in 0:4 {
    y = matmul x w on compute;  spin 1ms on compute;  allreduce g on compute
  }
  sync;  @2 slow 1x
}
def look_at_b {
  mark b
  for i in 0:4 {
    y = matmul x w on compute;  spin 1ms on compute
    if rank == 1 { sync compute;  host 1ms }
    if rank > 1 { recv token from=rank-1 on compute }
    if rank > 0 and rank < world-1 { send token to=rank+1 on compute }
    allreduce g on compute
  }
  sync
}
def look_at_c {
  mark c
  for i in 0:4 {
    if rank == 3 { copy far -> batch on io }
    if rank != 3 { copy near -> batch on io }
    wait io on compute;  y = matmul x w on compute;  spin 1ms on compute
    allreduce g on compute;  wait compute on io
  }
  sync
}
look_at_a;  look_at_b;  look_at_c
mark task
#: reference
tensor r[3] = 2
fill r[1:2] 1
fill r[2:3] 3
sync
#: check
expect close(said, r)   # at least one rank is not the root: which rank did it wait for, and why was that one late?
#: hint
# `why g@0` explains the last g on rank 0; `@0 why 3.2ms` explains rank 0's
# wait at that time; `stalls a` names each stream's cause. Follow the causes
# from rank to rank.
#: solution
blame a 2
blame b 1
blame c 3
#: right
blame c 3;  blame b 0;  blame b 1;  blame a 2
sync
#: right
let one = 2
blame b one-1;  blame a one;  blame c one+1
@0 print said[0]
#: wrong
blame a 2;  blame b 3;  blame c 3
#: wrong
blame a 0;  blame b 0;  blame c 0
#: wrong
blame a 2;  blame b 1;  blame c 0
#: ask which of the three traces would pinned memory repair? = "c"
#: transfer
# PyTorch: torch.profiler shows a rank that spends long in
# ncclDevKernel_AllReduce; dumps of its Flight Recorder show the ranks missing
# in a collective.
# On 8 ranks the chain in b is longer; its root is the same.

## Rows for a slow GPU
# Rank 2's GPU takes twice as long for everything. N rows must be multiplied,
# each by one rank: `work 0 56` multiplies rows 0 to 55 of x by w and writes
# them to the same rows of y; the rest of y stays 0. Then `allreduce y` gives
# all rows to all ranks. If the shares are equal, all wait for rank 2. A
# variable may differ by rank: `if rank == 2 { let n = 1 }`.
# Task: divide the N rows so that all ranks reach `allreduce y` at the same
# time, within a row or two, for any N and any number of ranks.
#: start
slow 1x
set peak_f32=3.2MFLOP/s   # small GPUs: a row of the matmul takes 0.2 ms
let N = 448
tensor x[N,16] w[16,16] = randn seed=1
tensor y[N,16] = zeros
def work from to { y[from:to] = matmul x[from:to] w }
@2 slow 2x
barrier;  mark task
#: reference
r = matmul x w
sync
#: vary N=300:450 ranks=4,8
#: predict how long will the slowest rank take? = time
#: choice all ranks had equally many rows
work rank*N//world (rank+1)*N//world;  allreduce y
#: check
expect close(y, r)   # y is not x w: exactly one rank must compute each row
expect time <= best(time) + 0.85ms   # a rank still waits: for which rank, and how many rows does that rank have?
#: hint
# Rank 2 has one share, each other rank two: 2 x world - 1 shares in all. The
# ranks before yours have 2 x rank shares, or one less if rank is above 2.
#: solution
let shares = 2*world - 1;  let mine = 2;  let before = 2*rank
if rank == 2 { let mine = 1 }
if rank > 2 { let before = 2*rank - 1 }
work N*before//shares N*(before+mine)//shares
allreduce y
#: right
let n = N//(2*world-1)
@2 work 0 n
let place = rank;  if rank > 2 { let place = rank-1 }
if rank != 2 { work n+place*(N-n)//(world-1) n+(place+1)*(N-n)//(world-1) }
allreduce y
sync; timeline
#: right
let shares = 2*world - 1;  let before = 2*rank - (rank > 2)
let mine = 2 - (rank == 2);  let low = N*before//shares
let high = N*(before+mine)//shares;  let middle = (low+high)//2
work low middle;  work middle high
allreduce y
#: wrong
work rank*N//world (rank+1)*N//world
allreduce y
#: wrong
let shares = 3*world - 2;  let before = 3*rank - 2*(rank > 2)
work N*before//shares N*(before+3-2*(rank==2))//shares
allreduce y
#: wrong
let n = 2*N//(2*world-1);  if rank == 2 { let n = N//(2*world-1) }
work 0 n
allreduce y
#: wrong
let place = rank;  if rank > 2 { let place = rank-1 }
if rank != 2 { work place*N//(world-1) (place+1)*N//(world-1) }
allreduce y
#: wrong
let n = N//(2*world-1)
if rank == 2 { work 4*n 5*n }
if rank < 2 { work 2*rank*n (2*rank+2)*n }
if rank > 2 { work (2*rank-1)*n (2*rank+1)*n }
allreduce y
#: wrong
let shares = 2*world - 1;  let before = 2*rank - (rank > 2)
work N*before//shares N*(before+2-(rank==2))//shares
#: wrong
let shares = 2*world - 1;  let before = 2*rank - (rank > 2)
work N*before//shares N*(before+2-(rank==2))//shares
allreduce y op=avg
#: wrong
work 0 N
#: naive
work rank*N//world (rank+1)*N//world
allreduce y
#: ask how many rows has rank 2? = N//(2*world-1)
#: transfer
# In PyTorch DistributedSampler gives all ranks equally many samples. A slow
# rank needs its own sampler, and the mean needs weights: the sum of losses
# divided by the sum of rows, not the mean of the ranks' means.
# On 8 ranks: if shares are equal, one slow GPU doubles the time, as on 4.

## Average less often
# Between nodes the links are slow: here an allreduce of the weights takes
# longer than a step. `local_step 3` runs step 3 on this rank's own rows:
# forward, backward and sgd. ddp would average the gradient in each step. In
# local SGD each rank trains alone, and all average the weights after every K
# steps. It is not the same training: the ranks' weights differ in between.
# Task: run 8 steps; average w over all ranks after every K steps (any K).
#: start
slow 1x
set link_rate=20MB/s
let K = 4
tensor w[64,64] = zeros
tensor x[8,32,64] t[8,32,64] = randn seed=rank
def local_step i {
  xi = x[i];  y = matmul xi w;  dy = mse_grad y t[i];  dw = matmul xi.T dy
  spin 1ms;  sgd w dw lr=2
}
barrier;  mark task
#: reference
for i in 0:8 {
  xi = x[i];  y = matmul xi w;  dy = mse_grad y t[i];  dw = matmul xi.T dy
  sgd w dw lr=2;  if (i+1)%K == 0 { allreduce w op=avg }
}
tensor r[64,64];  copy w -> r;  sync
#: vary K=2:8 ranks=4,8
#: predict how much does a rank send in the 8 steps? = sent
#: choice the gradients were averaged in each step
for i in 0:8 { local_step i;  allreduce dw op=avg }
#: check
expect close(w, r)   # w is not the result of local SGD: local steps, and the mean of the weights after every K of them
expect sent <= 1.4 * best(sent)   # a rank sends more than one average of w every K steps
#: hint
# After step i, if (i+1) % K is 0, average the weights.
#: solution
for i in 0:8 { local_step i;  if (i+1)%K == 0 { allreduce w op=avg } }
#: right
let round = 0
repeat 8//K {
  for i in round*K:(round+1)*K { local_step i }
  allreduce w op=avg;  let round = round+1
}
for i in round*K:8 { local_step i }
sync; timeline
#: right
stream comm
for i in 0:8 {
  local_step i
  if i%K == K-1 {
    wait default on comm;  allreduce w op=avg on comm;  wait comm on default
  }
}
#: right
for i in 0:8 {
  local_step i
  if (i+1)%K == 0 { reduce w op=avg root=0;  broadcast w root=0 }
}
#: wrong
for i in 0:8 { local_step i;  allreduce w op=avg }
#: wrong
for i in 0:8 { local_step i;  if (i+1)%K == 0 { allreduce w } }
#: wrong
for i in 0:8 { local_step i;  if (i+1)%K == 0 { allreduce dw op=avg } }
#: wrong
for i in 0:8 { local_step i;  if i%K == 0 { allreduce w op=avg } }
#: wrong
for i in 0:8 { local_step i }
allreduce w op=avg
#: wrong
for i in 0:8 { local_step i }
#: wrong
for i in 0:8 { local_step i;  if (i+1)%K == 0 { broadcast w root=0 } }
#: wrong
for i in 0:8 {
  local_step i
  if (i+1)%K == 0 { allreduce w op=avg;  allreduce dw op=avg }
}
#: naive
for i in 0:8 { local_step i;  allreduce w op=avg }
#: transfer
# PyTorch: torch.distributed.algorithms.model_averaging.averagers has
# PeriodicModelAverager(period=4); Adam's two averages stay local too.
# On 8 ranks an average sends 2 x 7/8 of the weights, not 2 x 3/4. And more
# ranks drift apart: choose K by the loss, not by the time.

## Choose, and defend it by figures
# The model is an mlp with 8 layers and Adam. A GPU has 1.3 MB. A link carries
# 40 MB/s, a seventh of the earlier rate. Which strategy fits here and is
# fast? There are ddp, zero, fsdp, tp, local and pipeline; `strategy ddp help`
# shows how one splits and sends. With P bytes of weights ddp sends
# 2 (n-1)/n P a step, fsdp 3 (n-1)/n P. A pipeline sends activations between
# stages, and has a bubble. `strategy ddp; run 3; stats` shows ddp's figures;
# `again` starts again.
# Task: `run 3` with a strategy that fits, is fast, and trains the same model
# as one rank would (`verify`).
#: start
slow 1x
set link_rate=40MB/s
model mlp layers=8 hidden=128 batch=64 optimizer=adam
mark task
#: allow strategy
#: predict how much will the busiest rank send in 3 steps? = sent
#: choice you took ddp
strategy ddp
run 3
#: choice you took fsdp
strategy fsdp
run 3
#: check
expect count(adam) >= 3   # run three steps: `strategy ...`, then `run 3`
expect peak <= 1.3MB   # this strategy does not fit: which tensors does each rank keep whole?
expect time <= 1.7 * best(time)   # this strategy is slow: how much does it send over the slow links? In a pipeline: are stages idle, or micro-batches tiny?
expect mfu*time >= 0.8 * best(mfu*time)   # this trains less than three steps of this model with this batch
expect verify   # this does not train the model that one rank would: whose gradients does each rank have?
#: hint
# With ddp and local each rank has the whole model and its optimizer. zero and
# fsdp send as much as ddp, or more. In each step tp sums every second layer's
# output over all ranks, and nearly as much again in backward. Which strategy
# sends to neighbours only?
#: solution
strategy pipeline schedule=gpipe micro=8
run 3
#: right
strategy pipeline schedule=1f1b micro=8
run 3
stats
#: right
strategy pipeline schedule=zb-h1 micro=8
run 3
#: wrong
strategy ddp
run 3
#: wrong
strategy local
run 3
#: wrong
strategy zero stage=2
run 3
#: wrong
strategy fsdp
run 3
#: wrong
strategy tp
run 3
#: wrong
strategy pipeline=$(world//2) + local=2
run 3
#: wrong
strategy pipeline micro=8 batch=32
run 3
#: wrong
strategy pipeline micro=8
run 2
#: wrong
strategy pipeline micro=8
#: naive
strategy tp
run 3
#: ask of those that fit, which decides: peak, sent or bubble? = "sent"
