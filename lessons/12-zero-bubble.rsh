# lesson: Zero bubble, and interleaved stages
# minutes: 35
# ranks: 4 8
# learned: Only the gradient of the input is awaited; the weights' can wait.
# learned: Delayed weights keep activations longer: time is bought with memory.
# learned: Chunks make the bubble smaller, and every hop happens more often.
# source: zero bubble, ZB-H1, ZB-H2: Qi et al., arXiv:2401.10241.
# source: interleaved 1F1B: Narayanan et al., arXiv:2104.04473, 2.2.
# source: docs.pytorch.org/docs/stable/distributed.pipelining.html

## Fill the bubble with weight gradients
# Autograd makes both gradients before it passes one on (`both m`). But only
# the input's is awaited, by the stage before; the weights' may come later:
# `backward m` makes and sends the first, `weights m` makes the second and
# frees the activations. A stage that delays `weights` by `rank` micro-batches
# has some left for the gaps of the end, and holds `world` micro-batches: as
# many as 1F1B's first stage.
# Task: 1F1B, `weights` so delayed, for any M that is at least world.
#: start
let M = 10
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
    spin 1ms
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
  on compute { dz$m = relu_grad dy$m z$m;  da$m = matmul dz$m w.T;  spin 1ms }
}
def weights_of m { on compute { dw += matmul a$m.T dz$m;  spin 1ms } }
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
#: choice each backward makes both gradients before it sends
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m;  both m-early }
for m in M-early:M { both m }
#: check
expect close(dw, r)   # dw is not the gradient of the whole batch: forward, backward and weights once for each micro-batch
expect peak(activation) <= best(peak(activation))   # a stage holds more than `world` micro-batches: some `weights` could come earlier
expect time <= 1.05 * best(time)   # stages stand empty in the end: they have no `weights` left to do
#: hint
# In the turns: forward m, backward m-early, and the weights of the micro-batch
# `rank` before that one, if there is such a one. Afterwards, for each backward
# that is left, a `weights`, and then the `weights` that are left.
#: solution
let early = min(world-1-rank, M)
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
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m;  backward m-early;  weights m-early }
for m in M-early:M { backward m;  weights m }
#: wrong
let early = min(world-1-rank, M)
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
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m;  backward m-early }
for m in M-early:M { backward m;  weights m }
#: wrong
for m in 0:M { forward m;  backward m;  weights m }
#: wrong
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m;  both m-early }
for m in M-early:M { both m }
#: naive
let early = min(world-1-rank, M)
for m in 0:early { forward m }
for m in early:M { forward m;  both m-early }
for m in M-early:M { both m }
#: ask on which rank does `weights 0` begin last? = world-1
