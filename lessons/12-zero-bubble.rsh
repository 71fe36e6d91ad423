# lesson: Zero bubble, and interleaved stages
# minutes: 40
# ranks: 4 8
# learned: Other stages need only input gradients; weight gradients can wait.
# learned: Delayed weight gradients keep activations longer: memory buys time.
# learned: More chunks per stage make the bubble smaller, but add hops.
# source: zero bubble, ZB-H1, ZB-H2: Qi et al., arXiv:2401.10241.
# source: interleaved 1F1B: Narayanan et al., arXiv:2104.04473, 2.2.
# source: docs.pytorch.org/docs/stable/distributed.pipelining.html
# source: --num-layers-per-virtual-pipeline-stage:
#   github.com/NVIDIA/Megatron-LM, megatron/training/arguments.py

## Fill the bubble with weight gradients
# `both m` works like autograd: it makes the gradients of input and weights,
# and only then sends the first to the previous stage, which needs no other.
# The gradient of the weights can come later: `backward m` makes and sends the
# input's gradient; `weights m` makes the weights' and frees the activations.
# If a stage delays `weights` by `rank` micro-batches, it has some `weights`
# left for the gaps at the end. It then holds the activations of `world`
# micro-batches, as many as 1F1B's first stage.
# Task: queue 1F1B with `weights` delayed like this, for any M of at least
# world.
#: start
let M = 10
set peak_f32=20.5MFLOP/s   # small GPUs: a matmul takes 1 ms
let first = rank == 0;  let last = rank == world-1
tensor w[32,32] = randn seed=rank scale=0.25
tensor x[M,8,32] t[M,8,32] = randn seed=100
tensor dw[32,32] = zeros
stream compute up down;  group acts by 0;  group grads by 0
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
def get_grad m {
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[8,32]
    recv dy$m from=rank+1 on down in grads;  wait down on compute
  }
}
def send_grad m {
  wait compute on down
  if not first { send da$m to=rank-1 on down in grads }
  free da$m on down
}
def inputs_of m {
  on compute {
    dz$m = relu_grad dy$m z$m;  da$m = matmul dz$m w.T
  }
}
def weights_of m { on compute { dw += matmul a$m.T dz$m } }
def backward m { phase B$m;  get_grad m;  inputs_of m;  send_grad m }
def weights m {
  phase W$m;  weights_of m;  free a$m z$m y$m dz$m dy$m on compute
}
def both m {
  phase B$m;  get_grad m;  inputs_of m;  weights_of m;  send_grad m
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
#: vary M=8:14 ranks=4,8
#: predict how long will it take? = time
#: choice each backward made both gradients before it sent one
let early = world-1-rank
for m in 0:early { forward m }
for m in early:M { forward m;  both m-early }
for m in M-early:M { both m }
#: check
expect close(dw, r)   # dw is not the gradient of the whole batch: each micro-batch needs forward, backward and weights once
expect peak(activation) <= best(peak(activation))   # a stage holds more than `world` micro-batches: some `weights` could come earlier
expect time <= 1.05 * best(time)   # stages are idle at the end: they have no `weights` left to do
#: hint
# Let early = world-1-rank. First run `forward` early times. Then in each
# turn: forward m, backward m-early, and `weights m-early-rank` if that number
# is not negative. After the turns: one `weights` after each remaining
# backward, then all `weights` that are left.
#: solution
let early = world-1-rank
let done = 0
for m in 0:early { forward m }
for m in early:M {
  forward m;  backward m-early
  if m-early-rank >= 0 { weights m-early-rank;  let done = done+1 }
}
for m in M-early:M {
  backward m
  if done <= m-rank { weights done;  let done = done+1 }
}
for m in done:M { weights m }
#: right
schedule "zb-h1" micro=M
def F m { forward m }
def B m { backward m }
def W m { weights m }
for k in 0:slots { $(work(k)) micro(k) }
#: right
let early = world-1-rank
for k in 0:M+world-1 {
  if k < M { forward k }
  if k >= early and k < M+early { backward k-early }
  if k >= world-1 { weights k-world+1 }
}
sync; timeline
#: wrong
let early = world-1-rank
for m in 0:early { forward m }
for m in early:M { forward m;  backward m-early;  weights m-early }
for m in M-early:M { backward m;  weights m }
#: wrong
let early = world-1-rank
for m in 0:early { forward m }
for m in early:M { forward m;  backward m-early }
for m in M-early:M { backward m }
for m in 0:M { weights m }
#: wrong
for m in 0:M { forward m }
for m in 0:M { backward m;  weights m }
#: wrong
for m in 0:M { forward m }
for m in 0:M { backward m }
for m in 0:M { weights m }
#: wrong
schedule "zb-h2" micro=M
def F m { forward m }
def B m { backward m }
def W m { weights m }
for k in 0:slots { $(work(k)) micro(k) }
#: wrong
let early = world-1-rank
for m in 0:early { forward m }
for m in early:M { forward m;  backward m-early }
for m in M-early:M { backward m;  weights m }
#: wrong
for m in 0:M { forward m;  backward m;  weights m }
#: wrong
let early = world-1-rank
for m in 0:early { forward m }
for m in early:M { forward m;  both m-early }
for m in M-early:M { both m }
#: naive
let early = world-1-rank
for m in 0:early { forward m }
for m in early:M { forward m;  both m-early }
for m in M-early:M { both m }
#: ask `@0-3 timeline compute`: on which rank does W0 begin last? = world-1
#: transfer
# PyTorch: ScheduleInterleavedZeroBubble and ScheduleZBVZeroBubble split
# backward in this way (torch.distributed.pipelining).
# On 8 ranks the bubble is 7 x (F + B - W) instead of 7 x (F + B + W): a third
# of it if F = B = W, for every M.

## Two chunks a stage
# Another method: give each stage two short chunks of the model instead of one
# long one. Chunk 0 is on ranks 0 to world-1, then chunk 1 on ranks 0 to
# world-1, so a micro-batch passes all ranks twice. Filling takes half as
# long. `F m c` is the forward of micro-batch m in chunk c, `BW m c` its
# backward. `schedule 1f1b micro=M` lays out an order. For each slot k in
# 0:slots, work(k) is F or BW, micro(k) the micro-batch, chunk(k) 0 or 1. A
# command's name may come from an expression: `$(work(k)) 3 0` calls F or BW.
# A rank has nine streams; `@0-3 timeline compute` draws one row per rank.
# Task: lay out `interleaved` with chunks=2 (M is a multiple of world), and
# run the work of all slots.
#: start
let M = 8
set peak_f32=41MFLOP/s   # small GPUs: a matmul takes 0.5 ms
let first = rank == 0;  let last = rank == world-1
tensor w0[32,32] w1[32,32] = randn seed=2*rank scale=0.25
tensor x[M,8,32] t[M,8,32] = randn seed=100
tensor dw0[32,32] dw1[32,32] = zeros
let up = (rank+1)%world;  let down = (rank-1)%world
stream compute
for c in 0:2 {
  stream fin$c fout$c bin$c bout$c;  group f$c by 0;  group b$c by 0
}
group f_on by 0;  group b_on by 0   # from one chunk to the other
def F m c {
  phase F$m.$c
  if c == 0 and first { a0_$m = x[m] } else {
    let via = c;  if first { let via = "_on" }
    tensor a$(c)_$m[8,32] kind=buffer
    recv a$(c)_$m from=down on fin$c in f$via;  wait fin$c on compute
  }
  on compute {
    z$(c)_$m = matmul a$(c)_$m w$c kind=activation
    y$(c)_$m = relu z$(c)_$m kind=activation
  }
  if c == 0 or not last {
    let via = c;  if last { let via = "_on" }
    wait compute on fout$c;  send y$(c)_$m to=up on fout$c in f$via
  }
}
def BW m c {
  phase B$m.$c
  if c == 1 and last { dy1_$m = mse_grad y1_$m t[m] on compute } else {
    let via = c;  if last { let via = "_on" }
    tensor dy$(c)_$m[8,32]
    recv dy$(c)_$m from=up on bin$c in b$via;  wait bin$c on compute
  }
  on compute {
    dz$(c)_$m = relu_grad dy$(c)_$m z$(c)_$m
    dw$c += matmul a$(c)_$m.T dz$(c)_$m
    da$(c)_$m = matmul dz$(c)_$m w$c.T
  }
  wait compute on bout$c
  let via = c;  if first { let via = "_on" }
  if c == 1 or not first { send da$(c)_$m to=down on bout$c in b$via }
  free a$(c)_$m z$(c)_$m y$(c)_$m dz$(c)_$m dy$(c)_$m on compute
}
barrier;  mark task
#: reference
W0 = allgather w0;  W1 = allgather w1
tensor r0[32,32] r1[32,32] = zeros
for m in 0:M {
  A0 = x[m]
  for s in 0:2*world {
    let c = s//world;  let q = (s%world)*32
    V$s = W$c[q:q+32];  Z$s = matmul A$s V$s;  A$(s+1) = relu Z$s
  }
  D = mse_grad A$(2*world) t[m]
  for s in 2*world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { r0 += matmul A$s.T E }
    if s == rank+world { r1 += matmul A$s.T E }
    D = matmul E V$s.T
  }
}
sync
#: vary M=8:17 ranks=4,8
#: predict how long will it take? (1F1B: (M+world-1) x 3 ms) = time
#: check
expect close(dw0, r0) and close(dw1, r1)   # a gradient is not the whole batch's: run the work of every slot once, with its chunk
expect time <= 1.05 * best(time)   # that is not the interleaved order: stages are idle although they have work
expect peak(activation) <= best(peak(activation))   # a stage holds more activations than interleaved 1F1B does
#: hint
# `schedule interleaved micro=M chunks=2` lays it out. Loop over all slots,
# and run each slot's work with its micro-batch and its chunk.
#: solution
schedule interleaved micro=M chunks=2
for k in 0:slots { $(work(k)) micro(k) chunk(k) }
#: right
schedule interleaved micro=M chunks=2
for k in 0:slots {
  let m = micro(k);  let c = chunk(k)
  if "$(work(k))" == "F" { F m c } else { BW m c }
}
sync; timeline
#: right
let ahead = min(2*(world-1-rank)+world, 2*M);  let span = 2*world
for i in 0:2*M+ahead {
  if i < 2*M { F i//span*world+i%world i%span//world }
  let j = i-ahead
  if j >= 0 { BW j//span*world+j%world 1-j%span//world }
}
#: wrong
schedule "1f1b" micro=M
for k in 0:slots { $(work(k)) micro(k) 0 }
#: wrong
let ahead = min(2*(world-1-rank)+world, 2*M)
for i in 0:2*M+ahead {
  if i < 2*M { F i//2 i%2 }
  let j = i-ahead
  if j >= 0 { BW j//2 1-j%2 }
}
#: wrong
for m in 0:M { F m 0;  F m 1 }
for m in 0:M { BW m 1;  BW m 0 }
#: wrong
for c in 0:2 { for m in 0:M { F m c } }
for c in 0:2 { for m in 0:M { BW m 1-c } }
#: wrong
schedule interleaved micro=M chunks=2
for k in 0:slots//2 { $(work(k)) micro(k) chunk(k) }
#: naive
for m in 0:M { F m 0;  F m 1 }
for m in 0:M { BW m 1;  BW m 0 }
#: transfer
# PyTorch: ScheduleInterleaved1F1B([stage0, stage1], n_microbatches=8), with
# two stages per rank; Megatron-LM: --num-layers-per-virtual-pipeline-stage.
# On 8 ranks M is a multiple of 8, and the bubble is 7/(2M+7) of the time.

## Slow links
# F, B and W of a micro-batch take 1 ms each; now a hop to the next stage
# takes 1.5 ms. A stage has memory for the activations of 1.5 x world
# micro-batches. `drive "1f1b" 1` lays out 1f1b, with one chunk per stage,
# and runs it. These orders exist:
#    "gpipe" 1    "1f1b" 1    "interleaved" 2    "zb-h1" 1    "zb-h2" 1
# Try them: `check` shows time and memory, `again` starts again.
# Task: run, once, the fastest order whose activations fit.
#: start
set link_latency=1.5ms;  set peak_f32=2.56MFLOP/s   # a matmul takes 0.5 ms
let M = 16;  let chunks = 1
let first = rank == 0;  let last = rank == world-1
let up = (rank+1)%world;  let down = (rank-1)%world
tensor x[M,8,8] t[M,8,8] = randn seed=100
@(rank != 0) fill x 0
@(rank != world-1) fill t 0
tensor w[8,8] done[8,8] = zeros
for i in 0:8 { fill w[i:i+1,i:i+1] 1 }
for m in 0:M {
  for c in 0:2 {
    tensor a$(c)_$(m)_0[8,8] kind=buffer
    for l in 0:3 { tensor g$(c)_$(m)_$l[8,8] kind=buffer }
  }
}
stream compute
for c in 0:2 {
  stream fin$c fout$c bin$c bout$c;  group f$c by 0;  group b$c by 0
}
group f_on by 0;  group b_on by 0   # from one chunk to the other
def drive kind pieces {
  let chunks = pieces;  schedule $kind micro=M chunks=pieces
  for k in 0:slots { $(work(k)) micro(k) chunk(k) }
}
# A stage has two layers, in one chunk or two. Each layer's output equals its
# input (w is the identity), so the output is the same in any order.
def F m c {
  phase F$m.$c;  let n = 2//chunks
  if c == 0 and first { copy x[m] -> a0_$(m)_0 on compute } else {
    let via = c;  if first { let via = "_on" }
    recv a$(c)_$(m)_0 from=down on fin$c in f$via;  wait fin$c on compute
  }
  for l in 1:n+1 {
    a$(c)_$(m)_$l = matmul a$(c)_$(m)_$(l-1) w on compute kind=activation
  }
  if c < chunks-1 or not last {
    let via = c;  if last { let via = "_on" }
    wait compute on fout$c;  send a$(c)_$(m)_$n to=up on fout$c in f$via
  }
}
def get_grad m c {
  let n = 2//chunks
  if c == chunks-1 and last {
    copy t[m] -> g$(c)_$(m)_$n on compute
  } else {
    let via = c;  if last { let via = "_on" }
    recv g$(c)_$(m)_$n from=up on bin$c in b$via;  wait bin$c on compute
  }
}
def inputs_of m c {
  for l in 2//chunks:0:-1 {
    g$(c)_$(m)_$(l-1) = matmul g$(c)_$(m)_$l w.T on compute
  }
}
def send_grad m c {
  wait compute on bout$c
  let via = c;  if first { let via = "_on" }
  if c > 0 or not first { send g$(c)_$(m)_0 to=down on bout$c in b$via }
}
def weights_of m c {
  for l in 1:2//chunks+1 {
    done += matmul a$(c)_$(m)_$l.T g$(c)_$(m)_$l on compute
    free a$(c)_$(m)_$l on compute
  }
}
def B m c { phase B$m.$c;  get_grad m c;  inputs_of m c;  send_grad m c }
def W m c { phase W$m.$c;  weights_of m c }
def BW m c {
  phase B$m.$c;  get_grad m c;  inputs_of m c;  weights_of m c
  send_grad m c
}
barrier;  mark task
#: reference
broadcast x;  broadcast t root=world-1
tensor r[8,8] = zeros
for m in 0:M { u = x[m];  r += matmul u.T t[m] scale=2 }
sync
#: vary ranks=4,8
#: predict how long will the best of them take? = time
#: choice you took 1f1b
drive "1f1b" 1
#: choice hops took no time
set link_latency=10us
drive "zb-h1" 1
#: check
expect close(done, r)   # not all micro-batches went through all stages and back, or some went more than once: run one `drive`, once
expect time >= 3ms*M   # this takes less time than a stage's own work, 3 ms a micro-batch: a part of the work is missing
expect peak(activation) <= 1.5 * best(peak(activation))   # this order holds more micro-batches than fit
expect time <= 1.05 * best(time)   # another order is faster in the same memory: this one leaves a larger bubble, or crosses the slow link more often
#: hint
# gpipe and zb-h2 hold too much. Of the three others, which one crosses each
# link twice as often, and which one leaves the largest bubble?
#: solution
drive "zb-h1" 1
#: right
drive "zb-auto" 1
#: right
schedule "zb-h1" micro=M
for k in 0:slots { $(work(k)) micro(k) 0 }
sync; timeline
#: wrong
drive "gpipe" 1
#: wrong
drive "1f1b" 1
#: wrong
drive "interleaved" 2
#: wrong
drive "zb-h2" 1
#: wrong
drive "zb-h1" 1;  drive "zb-h1" 1
#: wrong
broadcast x;  broadcast t root=world-1
for m in 0:M { u = x[m];  done += matmul u.T t[m] scale=2 }
#: naive
drive "1f1b" 1
