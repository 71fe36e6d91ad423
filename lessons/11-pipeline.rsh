# lesson: A pipeline: in which order?
# minutes: 40
# ranks: 2 4 8
# learned: A pipeline is idle (p-1)/(M+p-1) of the time: it fills and drains.
# learned: 1F1B is no faster than GPipe, but holds p micro-batches, not M.
# learned: Stages that exchange data do it `together`, or they deadlock.
# source: bubble: GPipe, arXiv:1811.06965; 1F1B: arXiv:1806.03377, 2104.04473.
# source: sends and receives that are to go on at once are merged in a group:
#   NCCL user guide, Point-to-point communication, Group calls; operations of
#   one communicator run in order: github.com/NVIDIA/nccl/issues/574; a send
#   may wait for its receive: github.com/NVIDIA/nccl/issues/783.
# source: M = G / (data parallel ranks x micro-batch): arXiv:2104.04473, 3.
# source: torch.distributed.batch_isend_irecv; Megatron-LM,
#   p2p_communication.py, send_forward_recv_backward.
# source: docs.pytorch.org/docs/stable/distributed.pipelining.html

## Do not wait for the way back
# Each rank is a stage: a few layers of one model. The batch is cut into M
# micro-batches. `forward 3` queues this rank's part of micro-batch 3, with
# its receive and its send; `backward 3` does the same for the gradients. If
# each micro-batch returns before the next one starts, one stage works and all
# others are idle.
# Task: queue all M forwards, then all M backwards (GPipe), for any M.
#: start
let M = 8
let first = rank == 0;  let last = rank == world-1
set peak_f32=41MFLOP/s   # small GPUs: a matmul takes 0.5 ms
tensor w[32,32] = randn seed=rank scale=0.25
tensor x[M,8,32] t[M,8,32] = randn seed=100
tensor dw[32,32] = zeros
stream compute up down;  group acts by 0;  group grads by 0
# one communicator per direction: NCCL runs the operations of each in order
def forward m {
  phase F$m
  if first { a$m = x[m] } else {
    tensor a$m[8,32] kind=buffer
    recv a$m from=rank-1 on up in acts;  wait up on compute
  }
  on compute {
    z$m = matmul a$m w kind=activation;  y$m = relu z$m kind=activation
  }
  if not last { wait compute on up;  send y$m to=rank+1 on up in acts }
}
def backward m {
  phase B$m
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[8,32]
    recv dy$m from=rank+1 on down in grads;  wait down on compute
  }
  on compute {
    dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m
    da$m = matmul dz$m w.T
  }
  wait compute on down
  if not first { send da$m to=rank-1 on down in grads }
  free da$m on down
  free a$m z$m y$m dz$m dy$m on compute
}
barrier;  mark task
#: reference
W = allgather w
tensor r[32,32] = zeros
for m in 0:M {
  A0 = x[m]
  for s in 0:world {
    V$s = W[s*32:s*32+32];  Z$s = matmul A$s V$s;  A$(s+1) = relu Z$s
  }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { r += matmul A$s.T E } else { D = matmul E V$s.T }
  }
}
sync
#: vary M=2:9 ranks=2,4,8
#: predict what per cent of the GPU time will be idle? = round(100*bubble)
#: choice each micro-batch returned before the next one started
for m in 0:M { forward m; backward m }
#: check
expect close(dw, r)   # dw is not the gradient of the whole batch: each micro-batch goes forward once and comes back once
expect time <= 1.05 * best(time)   # stages are idle although they have work: which stage waits for which?
#: hint
# After sending micro-batch 0 a stage can begin with micro-batch 1, before 0
# comes back. `for m in 0:M { ... }` runs its lines M times.
#: solution
for m in 0:M { forward m }
for m in 0:M { backward m }
#: right
for m in 0:M { forward m }
for i in 0:M { let m = M-1-i;  backward m }
sync; timeline
#: right
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m; backward m-early }
for m in M-early:M { backward m }
@0 print dw[0,0]
#: right
forward 0
for m in 1:M { forward m }
repeat 1 { for k in 0:M { backward k } }
#: wrong
for m in 0:M { forward m; backward m }
#: wrong
for m in 0:M { forward m }
for m in 0:M-1 { backward m }
#: wrong
for m in 0:M { forward m; sync }
for m in 0:M { backward m; sync }
#: wrong
let half = M//2
for m in 0:half { forward m }
for m in 0:half { backward m }
for m in half:M { forward m }
for m in half:M { backward m }
#: wrong
for m in 0:M { forward 0; backward 0 }
#: naive
for m in 0:M { forward m; backward m }
#: ask `@0-3 timeline compute`: which rank runs B0 right after F7? = world-1

## One forward, one backward
# GPipe keeps the activations of all M micro-batches until the first one
# returns. This is not necessary: a stage may run a micro-batch's backward as
# soon as its gradient arrives, and so free its activations before the next
# forward. Stage `rank` first runs world-1-rank forwards, then alternates: one
# forward, one backward (1F1B). The order differs, the time is the same.
# Task: queue 1F1B, for any M, even if M is smaller than the number of stages.
#: start
let M = 12
let first = rank == 0;  let last = rank == world-1
set peak_f32=41MFLOP/s   # small GPUs: a matmul takes 0.5 ms
tensor w[32,32] = randn seed=rank scale=0.25
tensor x[M,8,32] t[M,8,32] = randn seed=100
tensor dw[32,32] = zeros
stream compute up down;  group acts by 0;  group grads by 0
# one communicator per direction: NCCL runs the operations of each in order
def forward m {
  phase F$m
  if first { a$m = x[m] } else {
    tensor a$m[8,32] kind=buffer
    recv a$m from=rank-1 on up in acts;  wait up on compute
  }
  on compute {
    z$m = matmul a$m w kind=activation;  y$m = relu z$m kind=activation
  }
  if not last { wait compute on up;  send y$m to=rank+1 on up in acts }
}
def backward m {
  phase B$m
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[8,32]
    recv dy$m from=rank+1 on down in grads;  wait down on compute
  }
  on compute {
    dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m
    da$m = matmul dz$m w.T
  }
  wait compute on down
  if not first { send da$m to=rank-1 on down in grads }
  free da$m on down
  free a$m z$m y$m dz$m dy$m on compute
}
barrier;  mark task
#: reference
W = allgather w
tensor r[32,32] = zeros
for m in 0:M {
  A0 = x[m]
  for s in 0:world {
    V$s = W[s*32:s*32+32];  Z$s = matmul A$s V$s;  A$(s+1) = relu Z$s
  }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { r += matmul A$s.T E } else { D = matmul E V$s.T }
  }
}
sync
#: vary M=2:13 ranks=2,4,8
#: predict how many micro-batches are held? = peak(activation)/bytes(x[0:2])
#: choice all forwards came first
for m in 0:M { forward m }
for m in 0:M { backward m }
#: check
expect close(dw, r)   # dw is not the gradient of the whole batch: each micro-batch goes forward once and comes back once
expect peak(activation) <= best(peak(activation))   # more micro-batches are held at once than necessary: which backward could come earlier?
expect peak <= 1.1 * best(peak)   # the activations are still held, under another kind or name
expect time <= 1.05 * best(time)   # stages are idle although they have work: the stages before the last one must run ahead
#: hint
# How many forwards does rank 0 need before its first gradient can arrive? And
# the last rank? Run these, then alternate forward and backward, then run the
# rest. min(world-1-rank, M) is right for few micro-batches too.
#: solution
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m; backward m-early }
for m in M-early:M { backward m }
#: right
let ahead = world-1-rank
for k in 0:M+ahead {
  if k < M { forward k }
  if k >= ahead { backward k-ahead }
}
sync; timeline
#: right
schedule "1f1b" micro=M
def F m { forward m }
def BW m { backward m }
for k in 0:slots { $(work(k)) micro(k) }
#: wrong
for m in 0:M { forward m }
for m in 0:M { backward m }
#: wrong
for m in 0:M { forward m; backward m }
#: wrong
let ahead = world-rank
for k in 0:M+ahead {
  if k < M { forward k }
  if k >= ahead { backward k-ahead }
}
#: wrong
let ahead = max(world-2-rank, 0)
for k in 0:M+ahead {
  if k < M { forward k }
  if k >= ahead { backward k-ahead }
}
#: wrong
let ahead = world-1
for k in 0:M+ahead {
  if k < M { forward k }
  if k >= ahead { backward k-ahead }
}
#: wrong
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m; backward m-early }
#: wrong
let early = min(world-1-rank, M)
for m in 0:early { forward m; sync }
for m in early:M { forward m; sync; backward m-early; sync }
for m in M-early:M { backward m; sync }
#: wrong
def held m {
  if first { a$m = x[m] } else {
    tensor a$m[8,32] kind=buffer
    recv a$m from=rank-1 on up in acts;  wait up on compute
  }
  on compute { z$m = matmul a$m w kind=buffer;  y$m = relu z$m kind=buffer }
  if not last { wait compute on up;  send y$m to=rank+1 on up in acts }
}
for m in 0:M { held m }
for m in 0:M { backward m }
#: transfer
# PyTorch (torch.distributed.pipelining) has both orders ready:
#   schedule = Schedule1F1B(stage, n_microbatches=12)   # or ScheduleGPipe
#   schedule.step(x)
# On 8 ranks the first stage holds 8 micro-batches, and the bubble is 7/19:
# more stages need more micro-batches, and 1F1B has memory for them.

## Both ways on one communicator
# Until now each direction had its own communicator. If both share one, sends
# and receives run in queue order, and a send ends when the other side
# receives. Here all transfers are on one stream, comm. A forward is
# `take_act m; f m; give_act m`, a backward `take_grad m; b m; give_grad m`.
# In 1F1B's turns a stage sends an activation up while the next one sends a
# gradient down. If each of them first sends, then receives, both deadlock
# (`stuck`).
#   together { give_act 3; take_grad 1 }      starts them as one
# Task: run `warm_up`, 1F1B's turns `for m in early:M { ... }`, and
# `cool_down`.
#: start
let M = 8;  let early = min(world-1-rank, M)
set peak_f32=41MFLOP/s   # small GPUs: a matmul takes 0.5 ms
tensor w[32,32] = randn seed=rank scale=0.25
tensor x[M,8,32] t[M,8,32] = randn seed=100
tensor dw[32,32] = zeros;  stream compute comm
let first = rank == 0;  let last = rank == world-1
def warm_up {
  for m in 0:early { take_act m;  f m;  give_act m }
  take_act early
}
def cool_down { for k in M-early:M { take_grad k;  b k;  give_grad k } }
def take_act m { if not first and m < M { recv a$m from=rank-1 on comm } }
def give_act m { if not last { send y$m to=rank+1 on comm } }
def take_grad m { if not last { recv dy$m from=rank+1 on comm } }
def give_grad m { if not first { send da$m to=rank-1 on comm } }
def f m {
  phase F$m;  wait comm on compute
  on compute {
    z$m = matmul a$m w kind=activation;  y$m = relu z$m kind=activation
  }
  wait compute on comm
}
def b m {
  phase B$m;  wait comm on compute
  if last { dy$m = mse_grad y$m t[m] on compute }
  on compute {
    dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m
    da$m = matmul dz$m w.T;  free z$m y$m dz$m
  }
  wait compute on comm
}
for m in 0:M {
  if first { a$m = x[m] } else { tensor a$m[8,32] kind=buffer }
  if not last { tensor dy$m[8,32] kind=buffer }
}
barrier;  mark task
#: reference
W = allgather w
tensor r[32,32] = zeros
for m in 0:M {
  A0 = x[m]
  for s in 0:world {
    V$s = W[s*32:s*32+32];  Z$s = matmul A$s V$s;  A$(s+1) = relu Z$s
  }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { r += matmul A$s.T E } else { D = matmul E V$s.T }
  }
}
sync
#: vary M=2:9 ranks=2,4,8
#: predict without transfers: (M+world-1) x 1.5 ms. And with them? = time
#: check
expect close(dw, r)   # dw is not the gradient of the whole batch: each micro-batch goes forward once and comes back once
expect peak(activation) <= best(peak(activation))   # more micro-batches are held at once than necessary: alternate forward and backward
expect time <= 1.05 * best(time)   # a transfer or a stage waits without need
#: hint
# A turn: forward; send its output up while a gradient comes down; backward;
# send its gradient down while the next activation comes up.
#: solution
warm_up
for m in early:M {
  f m;  together { give_act m;  take_grad m-early }
  b m-early;  together { give_grad m-early;  take_act m+1 }
}
cool_down
#: right
warm_up
for k in 0:M-early {
  let m = k+early
  f m
  together { take_grad k;  give_act m }
  b k
  if m+1 < M { together { take_act m+1;  give_grad k } }
  if m+1 == M { give_grad k }
}
cool_down
sync; @0 print dw[0,0]
#: wrong
warm_up
for m in early:M {
  f m;  give_act m;  take_grad m-early
  b m-early;  give_grad m-early;  take_act m+1
}
cool_down
#: right
warm_up
for m in early:M {
  f m;  together { give_act m;  take_grad m-early }
  b m-early;  give_grad m-early;  take_act m+1
}
cool_down
#: wrong
warm_up
for m in early:M { f m;  give_act m;  take_act m+1 }
for k in 0:M-early { take_grad k;  b k;  give_grad k }
cool_down
#: wrong
warm_up
for m in early:M {
  f m;  b m-early
  together { give_act m;  take_grad m-early }
  together { give_grad m-early;  take_act m+1 }
}
cool_down
#: wrong
warm_up
for m in early:M {
  f m;  together { give_act m;  take_grad m-early };  sync
  b m-early;  together { give_grad m-early;  take_act m+1 };  sync
}
cool_down
#: transfer
# PyTorch:  ops = [P2POp(isend, y, up), P2POp(irecv, dy, up)]
#           for work in batch_isend_irecv(ops): work.wait()
# NCCL: ncclGroupStart(); ncclSend(...); ncclRecv(...); ncclGroupEnd();
# On 8 ranks the turns are the same; `warm_up` is longer.

## How many micro-batches?
# More micro-batches make the bubble smaller. But each micro-batch adds
# launches, latencies and less efficient small kernels. Here forward and
# backward of one micro-batch take 48 ms / M, and up to 0.9 ms more for any M,
# because each kernel costs 0.15 ms, however small it is.
# `train 4` runs one step with the 64 rows cut into 4 parts (M divides 64).
# Task: run one step, with the best M for this number of stages.
#: start
set peak_f32=10.24MFLOP/s;  set kernel_latency=0.15ms
tensor w[32,32] = randn seed=rank scale=0.25
tensor x[64,32] t[64,32] = randn seed=100
tensor dw[32,32] = zeros
stream compute up down;  group acts by 0;  group grads by 0
let first = rank == 0;  let last = rank == world-1
def train M {
  let ahead = world-1-rank
  for k in 0:M+ahead {
    if k < M { forward k M };  if k >= ahead { backward k-ahead M }
  }
}
def forward m M {
  phase F$m;  let low = m*64/M;  let high = low+64/M
  if first { a$m = x[low:high] } else {
    tensor a$m[64/M,32] kind=buffer
    recv a$m from=rank-1 on up in acts;  wait up on compute
  }
  on compute { z$m = matmul a$m w;  y$m = relu z$m }
  if not last { wait compute on up;  send y$m to=rank+1 on up in acts }
}
def backward m M {
  phase B$m;  let low = m*64/M;  let high = low+64/M
  if last { dy$m = mse_grad y$m t[low:high] on compute } else {
    tensor dy$m[64/M,32]
    recv dy$m from=rank+1 on down in grads;  wait down on compute
  }
  on compute {
    dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m scale=1/M
    da$m = matmul dz$m w.T
  }
  wait compute on down
  if not first { send da$m to=rank-1 on down in grads }
  free da$m on down
  free a$m z$m y$m dz$m dy$m on compute
}
barrier;  mark task
#: reference
W = allgather w
A0 = x
for s in 0:world {
  V$s = W[s*32:s*32+32];  Z$s = matmul A$s V$s;  A$(s+1) = relu Z$s
}
D = mse_grad A$world t
for s in world-1:rank-1:-1 {
  E = relu_grad D Z$s
  if s == rank { r = matmul A$s.T E } else { D = matmul E V$s.T }
}
sync
#: vary seed
#: predict which M is best? = 16 - 8*(world==2)
#: check
expect close(dw, r)   # dw is not the gradient of the batch: run one `train M`, once
expect time <= 1.02 * best(time)   # another M is better: is the bubble large, or are the parts too small?
#: hint
# A step takes (M+p-1) x (48 ms / M + 0.9 ms). Calculate it for M = 4, 16, 64.
# `again` gives you a clean world after a trial.
#: solution
if world == 2 { train 8 } else { train 16 }
#: right
let least = inf;  let take = 1
for m in 1 2 4 8 16 32 64 {
  let cost = (m+world-1)*(48/m+0.9)
  if cost < least { let least = cost;  let take = m }
}
train take
#: right
train 8*min(world//2,2)
sync; timeline; @0 print dw[0,0]
#: wrong
train world
#: wrong
if world == 2 { train 4 }
if world == 4 { train 8 }
if world == 8 { train 32 }
#: wrong
train 64
#: wrong
train 1
#: wrong
train 16; train 16
#: naive
train 64
#: ask which rank finishes first? = world-1
#: transfer
# If a global batch has G sequences, M = G / (data parallel ranks
# x micro-batch). So M is not a free choice: twice the data parallel ranks
# halve M, and the bubble grows. At 8 stages it is 7/(M+7): use a larger M.
