## 1F1B on 4 stages with 8 micro-batches; a stage is one layer
let M = 8; let B = 16; let d = 64
let first = rank == 0;  let last = rank == world-1
tensor w[d,d] = randn seed=rank scale=0.1
tensor dw[d,d] = zeros
tensor x[M,B,d] t[M,B,d] = randn seed=100
stream compute up down                 # activations go up the stages, gradients come down

def forward m {
  phase F$m
  if first { a$m = x[m] } else {
    tensor a$m[B,d]
    recv a$m from=rank-1 on up
    wait up on compute
  }
  on compute { z$m = matmul a$m w;  y$m = relu z$m }
  if not last {
    wait compute on up
    send y$m to=rank+1 on up
  }
}

def backward m {
  phase B$m
  if last { dy$m = mse_grad y$m t[m] on compute } else {
    tensor dy$m[B,d]
    recv dy$m from=rank+1 on down
    wait down on compute
  }
  on compute { dz$m = relu_grad dy$m z$m;  dw += matmul a$m.T dz$m }
  if not first {
    da$m = matmul dz$m w.T on compute
    wait compute on down
    send da$m to=rank-1 on down
    free da$m on down
  }
  free a$m z$m y$m dz$m dy$m on compute
}

## Warm up, one forward one backward, cool down
let warm = min(world-1-rank, M)
mark schedule
for m in 0:warm { forward m }
for m in warm:M { forward m; backward m-warm }
for m in M-warm:M { backward m }
sgd w dw lr=0.1 on compute
sync
print bubble

## Is it right? Every rank computes its stage's gradient alone
tensor ref[d,d] = zeros
for s in 0:world { tensor W$s[d,d] = randn seed=s scale=0.1 }
for m in 0:M {
  A0 = x[m]
  for s in 0:world {
    let u = s + 1
    Z$s = matmul A$s W$s;  A$u = relu Z$s
  }
  D = mse_grad A$world t[m]
  for s in world-1:rank-1:-1 {         # down to this rank's own stage
    E = relu_grad D Z$s
    if s == rank { ref += matmul A$s.T E } else { D = matmul E W$s.T }
  }
}
sync
expect close(dw, ref)
expect bubble < 32%                    # (p-1)/(m+p-1) = 3/11 and the hand-offs
# ranks 1 2 3 4
