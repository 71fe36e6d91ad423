# lesson: Data parallel: from naive to overlapped buckets
# minutes: 30
# ranks: 2

## Average the gradients
# Every rank holds the same two layers, w1 and w2, and its own part of the
# batch. Forward and backward have been queued on `compute`: dw1 and dw2 are
# the gradients of this rank's part. One rank with the whole batch would have
# had their average.
# Task: average dw1 and dw2 over the ranks on stream `comm`, then update both
# on `compute` (`sgd w1 dw1 lr=0.1`). Say with `wait` who waits for whom.
#: start
let B = 32; let d = 64; let h = 128
tensor X[B*world,d] T[B*world,d] = randn seed=1
x = shard X;  t = shard T
tensor w1[d,h] w2[h,d] = randn seed=5 scale=0.1
tensor r1[d,h] r2[h,d] = randn seed=5 scale=0.1
stream compute comm
Z = matmul X r1;  A = relu Z;  Y = matmul A r2;  DY = mse_grad Y T
D2 = matmul A.T DY;  DA = matmul DY r2.T
DZ = relu_grad DA Z;  D1 = matmul X.T DZ
sgd r1 D1 lr=0.1;  sgd r2 D2 lr=0.1;  sync
mark task
on compute {
  z = matmul x w1;  a = relu z;  y = matmul a w2
  dy = mse_grad y t;  dw2 = matmul a.T dy
  da = matmul dy w2.T;  dz = relu_grad da z;  dw1 = matmul x.T dz
}
#: check
expect count(allreduce) == 2 and count(sgd) == 2   # two gradients to average, two layers to update
expect races == 0   # something is read before it is there: comm must wait for compute, and compute for comm
expect close(w1, r1) and close(w2, r2)   # the weights are not those of one rank with the whole batch (is it an average?)
expect count(sync) == 0   # let the streams wait, not the host
#: hint
# wait compute on comm,  then the two allreduces (op=avg) on comm,
# wait comm on compute,  then the two sgd on compute
#: solution
wait compute on comm
allreduce dw1 op=avg on comm;  allreduce dw2 op=avg on comm
wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
wait compute on comm
allreduce dw1 on comm;  allreduce dw2 on comm
wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
allreduce dw1 op=avg on comm;  allreduce dw2 op=avg on comm
wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
wait compute on comm
allreduce dw1 op=avg on comm;  allreduce dw2 op=avg on comm
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute

## One bucket
# Every message costs its latency again. DDP therefore keeps the gradients in
# one flat memory, a bucket: here dw1 and dw2 are views of g.
# Task: average both with one message, and update as before.
#: start
let B = 32; let d = 64; let h = 128
tensor X[B*world,d] T[B*world,d] = randn seed=1
x = shard X;  t = shard T
tensor w1[d,h] w2[h,d] = randn seed=5 scale=0.1
tensor r1[d,h] r2[h,d] = randn seed=5 scale=0.1
tensor g[2*d*h]
dw1 = reshape g[0:d*h] [d,h];  dw2 = reshape g[d*h:] [h,d]
stream compute comm
Z = matmul X r1;  A = relu Z;  Y = matmul A r2;  DY = mse_grad Y T
D2 = matmul A.T DY;  DA = matmul DY r2.T
DZ = relu_grad DA Z;  D1 = matmul X.T DZ
sgd r1 D1 lr=0.1;  sgd r2 D2 lr=0.1;  sync
mark task
on compute {
  z = matmul x w1;  a = relu z;  y = matmul a w2
  dy = mse_grad y t;  dw2 = matmul a.T dy
  da = matmul dy w2.T;  dz = relu_grad da z;  dw1 = matmul x.T dz
}
#: check
expect count(allreduce) == 1 and count(sgd) == 2   # one message for both gradients, and two updates
expect races == 0   # something is read before it is there
expect close(w1, r1) and close(w2, r2)   # the weights are not those of one rank with the whole batch
#: hint
# allreduce g: the views see what happens to it.
#: solution
wait compute on comm;  allreduce g op=avg on comm;  wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
wait compute on comm;  allreduce dw1 op=avg on comm
allreduce dw2 op=avg on comm;  wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
wait compute on comm;  allreduce dw2 op=avg on comm;  wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute

## Let layer 2's gradient travel while layer 1 computes
# Backward makes dw2 first. While it travels, layer 1's backward can run.
# Forward has been queued; `layer2` and `layer1` run the two halves of
# backward: call them on compute.
# Task: queue layer2, send dw2 on its way, queue layer1, then dw1, then both
# updates, so that more than 35% overlaps.
#: start
let B = 32; let d = 64; let h = 128
tensor X[B*world,d] T[B*world,d] = randn seed=1
x = shard X;  t = shard T
tensor w1[d,h] w2[h,d] = randn seed=5 scale=0.1
tensor r1[d,h] r2[h,d] = randn seed=5 scale=0.1
stream compute comm
Z = matmul X r1;  A = relu Z;  Y = matmul A r2;  DY = mse_grad Y T
D2 = matmul A.T DY;  DA = matmul DY r2.T
DZ = relu_grad DA Z;  D1 = matmul X.T DZ
sgd r1 D1 lr=0.1;  sgd r2 D2 lr=0.1;  sync
def layer2 { dy = mse_grad y t;  dw2 = matmul a.T dy }
def layer1 {
  da = matmul dy w2.T;  dz = relu_grad da z;  dw1 = matmul x.T dz
}
mark task
on compute { z = matmul x w1;  a = relu z;  y = matmul a w2 }
#: check
expect count(allreduce) == 2 and count(sgd) == 2   # two messages and two updates
expect races == 0   # something is read before it is there
expect close(w1, r1) and close(w2, r2)   # the weights are not those of one rank with the whole batch
expect overlap(comm,compute) > 35%   # dw2 does not travel while layer 1 computes: queue its allreduce before layer1
#: hint
# on compute { layer2 },  wait compute on comm,  allreduce dw2 op=avg on comm,
# on compute { layer1 },  and the same for dw1. What compute still has queued
# when `wait compute on comm` is read is what comm waits for.
#: solution
on compute { layer2 }
wait compute on comm;  allreduce dw2 op=avg on comm
on compute { layer1 }
wait compute on comm;  allreduce dw1 op=avg on comm
wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
on compute { layer2; layer1 }
wait compute on comm;  allreduce dw2 op=avg on comm
allreduce dw1 op=avg on comm
wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
#: wrong
on compute { layer2 }
allreduce dw2 op=avg on comm
on compute { layer1 }
allreduce dw1 op=avg on comm
wait comm on compute
sgd w1 dw1 lr=0.1 on compute;  sgd w2 dw2 lr=0.1 on compute
