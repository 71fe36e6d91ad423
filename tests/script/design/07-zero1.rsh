## ZeRO-1: every rank keeps Adam's state for its own part of the parameters
let d = 64; let h = 128; let B = 16
let N = 2*d*h                          # parameters, flat
tensor X[B*world,d] T[B*world,d] = randn seed=1
x = shard X;  t = shard T
tensor p[N] = randn seed=5 scale=0.1
tensor q[N] = randn seed=5 scale=0.1   # the same numbers: the plain model beside it
tensor g[N]
dw1 = reshape g[0:d*h] [d,h];  dw2 = reshape g[d*h:] [h,d]
stream compute comm

def gradients p {
  w1 = reshape p[0:d*h] [d,h];  w2 = reshape p[d*h:] [h,d]
  z = matmul x w1;  a = relu z;  y = matmul a w2
  dy = mse_grad y t;  dw2 = matmul a.T dy
  da = matmul dy w2.T;  dz = relu_grad da z;  dw1 = matmul x.T dz
}

## Plain: everybody keeps all of m and v
tensor M[N] V[N] = zeros
mark plain
for i in 1:4 {
  on compute { gradients q }
  wait compute on comm;  allreduce g op=avg on comm;  wait comm on compute
  adam q g M V lr=1e-3 t=i on compute
}
sync

## ZeRO-1: reduce-scatter, update my part, allgather
ps = shard p                           # my part of p: a view
tensor gs[N/world] m[N/world] v[N/world] = zeros
mark zero1
for i in 1:4 {
  on compute { gradients p }
  wait compute on comm;  gs = reducescatter g op=avg on comm;  wait comm on compute
  adam ps gs m v lr=1e-3 t=i on compute
  wait compute on comm;  p = allgather ps on comm;  wait comm on compute
}
sync
expect close(p, q)
expect bytes(m) + bytes(v) == 8B*N/world
diff plain zero1
mem
# ranks 1 2 4 8
