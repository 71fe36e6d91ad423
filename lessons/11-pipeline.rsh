# lesson: A pipeline: from naive to 1F1B to zero bubble
# minutes: 40
# ranks: 2

## Do not wait for the way back
# Each rank is a stage with one layer. Micro-batches go up the stages forward
# and come down backward: `forward 3` and `backward 3` queue this rank's part
# of micro-batch 3, with its sends and receives. If each micro-batch comes
# back before the next one starts, one stage works and the others wait.
# The check's `bubble` is what the order alone leaves empty; `timeline` also
# shows launches and transfers.
# Task: queue all M forwards first, then all M backwards (this is GPipe).
#: start
let M = 8; let B = 32; let d = 256
let first = rank == 0;  let last = rank == world-1
tensor w[d,d] = randn seed=rank scale=0.1
tensor dw[d,d] ref[d,d] = zeros
tensor x[M,B,d] t[M,B,d] = randn seed=100
for s in 0:world { tensor W$s[d,d] = randn seed=s scale=0.1 }
for m in 0:M {
  A0 = x[m]
  for s in 0:world { let u = s + 1; Z$s = matmul A$s W$s;  A$u = relu Z$s }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { ref += matmul A$s.T E } else { D = matmul E W$s.T }
  }
}
sync
stream compute up down
def forward m {
  phase F$m
  if first { a$m = x[m] } else {
    tensor a$m[B,d];  recv a$m from=rank-1 on up;  wait up on compute
  }
  on compute { z$m = matmul a$m w;  y$m = relu z$m }
  if not last { wait compute on up; send y$m to=rank+1 on up }
}
def backward m {
  phase B$m
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[B,d];  recv dy$m from=rank+1 on down;  wait down on compute
  }
  on compute { dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m }
  if not first {
    da$m = matmul dz$m w.T on compute;  wait compute on down
    send da$m to=rank-1 on down;  free da$m on down
  }
  free a$m z$m y$m dz$m dy$m on compute
}
barrier;  mark task
#: check
expect count(relu) == M and count(relu_grad) == M   # each of the M micro-batches goes forward once and backward once
expect not stuck   # the stages wait for each other in a circle
expect close(dw, ref)   # dw is not the whole batch's gradient of this stage
expect bubble < (world-1)/(M+world-1) + 2%   # stages still stand empty: queue all forwards before the first backward
#: hint
# for m in 0:M { forward m },  and then the same for backward
#: solution
for m in 0:M { forward m }
for m in 0:M { backward m }
#: wrong
for m in 0:M { forward m; backward m }
#: wrong
for m in 0:M-1 { forward m }
for m in 0:M-1 { backward m }

## One forward, one backward
# GPipe keeps the activations of all M micro-batches until the first backward.
# 1F1B starts a micro-batch's backward as soon as it can: stage `rank` goes
# world-1-rank forwards ahead, then takes turns. The bubble is the same, but
# stage `rank` never holds more than world-rank micro-batches.
# Task: order the micro-batches so that little memory is needed.
#: start
let M = 8; let B = 32; let d = 256
let first = rank == 0;  let last = rank == world-1
tensor w[d,d] = randn seed=rank scale=0.1
tensor dw[d,d] ref[d,d] = zeros
tensor x[M,B,d] t[M,B,d] = randn seed=100
for s in 0:world { tensor W$s[d,d] = randn seed=s scale=0.1 }
for m in 0:M {
  A0 = x[m]
  for s in 0:world { let u = s + 1; Z$s = matmul A$s W$s;  A$u = relu Z$s }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { ref += matmul A$s.T E } else { D = matmul E W$s.T }
  }
}
sync
stream compute up down
let held = 0; let most = 0
def forward m {
  phase F$m
  let held = held + 1
  let most = max(most, held)
  if first { a$m = x[m] } else {
    tensor a$m[B,d];  recv a$m from=rank-1 on up;  wait up on compute
  }
  on compute { z$m = matmul a$m w;  y$m = relu z$m }
  if not last { wait compute on up; send y$m to=rank+1 on up }
}
def backward m {
  phase B$m
  let held = held - 1
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[B,d];  recv dy$m from=rank+1 on down;  wait down on compute
  }
  on compute { dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m }
  if not first {
    da$m = matmul dz$m w.T on compute;  wait compute on down
    send da$m to=rank-1 on down;  free da$m on down
  }
  free a$m z$m y$m dz$m dy$m on compute
}
barrier;  mark task
#: check
expect count(relu) == M and count(relu_grad) == M   # each of the M micro-batches goes forward once and backward once
expect not stuck   # the stages wait for each other in a circle
expect close(dw, ref)   # dw is not the whole batch's gradient of this stage
expect most <= world - rank   # too many micro-batches are held at once: stage `rank` may hold world-rank
expect bubble < (world-1)/(M+world-1) + 2%   # stages stand empty: go world-1-rank forwards ahead
#: hint
# let warm = world-1-rank: so many forwards first. Then M-warm times a forward
# and a backward, then the backwards that are left.
#: solution
let warm = min(world-1-rank, M)
for m in 0:warm { forward m }
for m in warm:M { forward m; backward m-warm }
for m in M-warm:M { backward m }
#: wrong
for m in 0:M { forward m }
for m in 0:M { backward m }
#: wrong
for m in 0:M { forward m; backward m }

## Fill the bubble with weight gradients
# Only the gradient of the input is awaited by the stage below; the gradient
# of the weights can come any time later. So backward is split here: `backward
# m` makes and sends the input's gradient, `weights m` the weights'.
# Task: 1F1B, with the `weights` of a micro-batch delayed by `rank`
# micro-batches, so that the later stages have something left to do in the
# end. The bubble must shrink well below 1F1B's, for the memory of 1F1B.
#: start
let M = 8; let B = 32; let d = 256
let first = rank == 0;  let last = rank == world-1
tensor w[d,d] = randn seed=rank scale=0.1
tensor dw[d,d] ref[d,d] = zeros
tensor x[M,B,d] t[M,B,d] = randn seed=100
for s in 0:world { tensor W$s[d,d] = randn seed=s scale=0.1 }
for m in 0:M {
  A0 = x[m]
  for s in 0:world { let u = s + 1; Z$s = matmul A$s W$s;  A$u = relu Z$s }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {
    E = relu_grad D Z$s
    if s == rank { ref += matmul A$s.T E } else { D = matmul E W$s.T }
  }
}
sync
stream compute up down
def forward m {
  phase F$m
  if first { a$m = x[m] } else {
    tensor a$m[B,d];  recv a$m from=rank-1 on up;  wait up on compute
  }
  on compute { z$m = matmul a$m w;  y$m = relu z$m }
  if not last { wait compute on up; send y$m to=rank+1 on up }
}
def backward m {
  phase B$m
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[B,d];  recv dy$m from=rank+1 on down;  wait down on compute
  }
  on compute { dz$m = relu_grad dy$m z$m;  da$m = matmul dz$m w.T }
  if not first {
    wait compute on down;  send da$m to=rank-1 on down;  free da$m on down
  }
}
def weights m {
  phase W$m
  dw += matmul a$m.T dz$m on compute
}
barrier;  mark task
#: check
expect count(relu) == M and count(relu_grad) == M and count(matmul) == 3*M   # each micro-batch: forward, backward and weights, once
expect not stuck   # the stages wait for each other in a circle
expect close(dw, ref)   # dw is not the whole batch's gradient of this stage
expect bubble < 0.6 * (world-1)/(M+world-1)   # the bubble is still too large: delay `weights` by `rank` micro-batches
#: hint
# In the turns: forward m, backward m-warm, and weights m-warm-rank when that
# is not below 0. Afterwards, for each backward that is left, a `weights`, and
# then the `weights` that are left.
#: solution
let warm = min(world-1-rank, M)
let done = 0
for m in 0:warm { forward m }
for m in warm:M {
  forward m; backward m-warm
  if m - warm - rank >= 0 { weights m-warm-rank; let done = done + 1 }
}
for m in M-warm:M {
  backward m
  if done < m - rank + 1 { weights done; let done = done + 1 }
}
for m in done:M { weights m }
#: wrong
let warm = min(world-1-rank, M)
for m in 0:warm { forward m }
for m in warm:M { forward m; backward m-warm; weights m-warm }
for m in M-warm:M { backward m; weights m }
#: wrong
for m in 0:M { forward m }
for m in 0:M { backward m; weights m }
