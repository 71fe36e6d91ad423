## A two-layer MLP on every rank, each with its own part of the batch
let B = 32; let d = 64; let h = 128
let lr = 0.1
tensor X[B*world,d] T[B*world,d] = randn seed=1
x = shard X;  t = shard T              # this rank's rows: views, no copy
tensor g[2*d*h]                        # one flat gradient and two views into it
dw1 = reshape g[0:d*h] [d,h];  dw2 = reshape g[d*h:] [h,d]
stream compute comm

def start { tensor w1[d,h] w2[h,d] = randn seed=5 scale=0.1 }
def forward x t {
  phase F
  z1 = matmul x w1;  a1 = relu z1
  y = matmul a1 w2;  loss = mse y t
}
def backward2 t { phase B; dy = mse_grad y t;  dw2 = matmul a1.T dy }
def backward1 x { phase B; da1 = matmul dy w2.T;  dz1 = relu_grad da1 z1;  dw1 = matmul x.T dz1 }
def update { phase O; for p in w1 w2 { sgd p d$p lr=lr } }

## The answer: one rank's arithmetic on the whole batch
start
on compute { forward X T; backward2 T; backward1 X; update }
sync
tensor r1[d,h] r2[h,d]
copy w1 -> r1;  copy w2 -> r2;  sync

## Naive: an allreduce a parameter, after the backward
start;  mark naive
on compute { forward x t; backward2 t; backward1 x }
wait compute on comm
for p in w1 w2 { allreduce d$p op=avg on comm }
wait comm on compute
on compute { update }
sync
expect close(w1, r1) and close(w2, r2)

## One bucket: the flat gradient in one message
start;  mark bucket
on compute { forward x t; backward2 t; backward1 x }
wait compute on comm;  allreduce g op=avg on comm;  wait comm on compute
on compute { update }
sync
expect close(w1, r1) and close(w2, r2) and count(allreduce) == 1

## Overlapped: layer 2's gradient travels while layer 1 computes
start;  mark overlapped
on compute { forward x t; backward2 t }
wait compute on comm;  allreduce dw2 op=avg on comm
on compute { backward1 x }
wait compute on comm;  allreduce dw1 op=avg on comm
wait comm on compute
on compute { update }
sync
expect close(w1, r1) and close(w2, r2) and races == 0
diff naive overlapped
expect overlap(comm,compute) > 40% and time(overlapped) < time(naive)
# ranks 2 3 4 8
# sim: that collectives slow kernels down is not played
