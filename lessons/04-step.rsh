# lesson: A training step on one GPU
# minutes: 25
# ranks: 1
# learned: Training with Adam keeps four numbers per parameter: w, dw, m, v.
# learned: Activations grow with the batch, so split it and sum gradients.
# learned: Recomputing activations for backward saves memory and costs time.

## What a step needs
# A step is forward (the loss), backward (a gradient for each parameter) and
# the optimizer. There are two layers, w1 and w2. `forward` keeps tensors for
# backward; `backward2` makes dw2; `backward1` makes dw1, and reads w2. Adam
# keeps two running means for each parameter, m and v: they start at zero, and
# each step updates them.
# Task: take two whole steps, STEP 1 and 2: in each, run
# `adam w dw m v t=STEP lr=0.01` for each layer. First make m and v of each
# layer: tensor m1[128,128] kind=optimizer = zeros
#: start
tensor w1[128,128] w2[128,128] kind=parameter = randn seed=5 scale=0.1
tensor x[64,128] t[64,128] = randn seed=1
def forward {
  z = matmul x w1 kind=activation;  a = relu z kind=activation
  y = matmul a w2 kind=activation
  dy = mse_grad y t kind=activation_gradient
}
def backward2 { dw2 = matmul a.T dy kind=gradient }
def backward1 {
  da = matmul dy w2.T kind=activation_gradient
  dz = relu_grad da z kind=activation_gradient
  dw1 = matmul x.T dz kind=gradient
}
mark task
#: reference
tensor rm1[128,128] rm2[128,128] rv1[128,128] rv2[128,128] = zeros
b1 = scale w1 1;  b2 = scale w2 1
for k in 1:3 {
  forward;  backward2;  backward1
  for l in 1:3 { adam w$l dw$l rm$l rv$l t=k lr=0.01 }
}
r1 = scale w1 1;  r2 = scale w2 1
free z a y dy da dz dw1 dw2
#: predict w, dw, m and v together take how many times w's memory? = 4
#: check
# source: docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html
# source: arXiv:1910.02054 (ZeRO), 3.1: parameters, gradients, optimizer
expect close_step(w1, b1, r1)   # w1 has not taken Adam's two steps
expect close_step(w2, b2, r2)   # w2 has not taken Adam's two steps
expect races == 0   # a tensor is written while another stream still reads it
#: hint
# Each layer has its own means. Which line reads w2? Has it run before adam
# changes w2?
#: solution
tensor m1[128,128] m2[128,128] kind=optimizer = zeros
tensor v1[128,128] v2[128,128] kind=optimizer = zeros
for k in 1:3 {
  forward
  backward2
  backward1
  adam w1 dw1 m1 v1 t=k lr=0.01
  adam w2 dw2 m2 v2 t=k lr=0.01
}
#: right
tensor p[128,128] q[128,128] r[128,128] s[128,128] kind=optimizer = zeros
forward;  backward2;  backward1
adam w2 dw2 p q t=1 lr=0.01;  adam w1 dw1 r s t=1 lr=0.01
forward;  backward1;  backward2
adam w2 dw2 p q t=2 lr=0.01;  adam w1 dw1 r s t=2 lr=0.01
sync;  timeline
#: right
for l in 1:3 { tensor m$l[128,128] v$l[128,128] kind=optimizer = zeros }
def step_of k {
  forward;  backward2;  backward1
  for l in 1:3 { adam w$l dw$l m$l v$l t=k lr=0.01 }
}
step_of 1;  step_of 2
@0 print w1[0,0]
#: wrong
tensor m1[128,128] v1[128,128] m2[128,128] v2[128,128] = zeros
for k in 1:3 {
  forward;  backward2
  adam w2 dw2 m2 v2 t=k lr=0.01
  backward1
  adam w1 dw1 m1 v1 t=k lr=0.01
}
#: wrong
tensor m[128,128] v[128,128] = zeros
for k in 1:3 {
  forward;  backward2;  backward1
  adam w1 dw1 m v t=k lr=0.01
  adam w2 dw2 m v t=k lr=0.01
}
#: wrong
repeat 2 {
  forward;  backward2;  backward1
  sgd w1 dw1 lr=0.01;  sgd w2 dw2 lr=0.01
}
#: wrong
tensor m1[128,128] v1[128,128] m2[128,128] v2[128,128] = zeros
repeat 2 {
  forward;  backward2;  backward1
  adam w1 dw1 m1 v1 t=1 lr=0.01
  adam w2 dw2 m2 v2 t=1 lr=0.01
}
#: wrong
tensor m1[128,128] v1[128,128] = zeros
for k in 1:3 {
  forward;  backward2;  backward1
  adam w1 dw1 m1 v1 t=k lr=0.01
}
#: wrong
tensor m1[128,128] v1[128,128] m2[128,128] v2[128,128] = zeros
forward;  backward2;  backward1
for k in 1:3 {
  adam w1 dw1 m1 v1 t=k lr=0.01
  adam w2 dw2 m2 v2 t=k lr=0.01
}
#: wrong
tensor m1[128,128] v1[128,128] m2[128,128] v2[128,128] = zeros
for k in 1:3 {
  forward;  backward2;  backward1
  for l in 1:3 {
    fill m$l 0;  fill v$l 0
    adam w$l dw$l m$l v$l t=k lr=0.01
  }
}
#: wrong
tensor m1[128,128] v1[128,128] m2[128,128] v2[128,128] = zeros
stream opt
for k in 1:3 {
  wait opt on default;  forward;  backward2
  wait default on opt;  adam w2 dw2 m2 v2 t=k lr=0.01 on opt
  backward1;  adam w1 dw1 m1 v1 t=k lr=0.01
}
#: ask `mem over`: what is the peak of activations? = peak(activation)
#: transfer
# PyTorch: loss.backward(); opt = torch.optim.Adam(...); opt.step();
# opt.zero_grad(). A model with 1 billion parameters takes 16 GB in f32 before
# the first activation. bf16 with f32 master weights takes 16 GB as well: 2 +
# 2 + 4 + 4 + 4 bytes for each parameter.
# On 8 ranks with data parallel each rank holds all of it; ZeRO splits it.

## Gradients add up
# Activations grow with the batch, and only 32 rows fit here. The loss is a
# mean over rows: over K parts with 32 rows each, its gradient is the mean of
# the parts' gradients. `rows FROM TO` runs forward and backward for these
# rows, adds the gradients of *their* mean loss to dw1 and dw2, and frees its
# activations.
# Task: update each layer once, `sgd w dw lr=0.5`, with the gradient of the
# mean over all 32*K rows, for any K. Never run more than 32 rows at a time.
# dw1 and dw2 still hold the last step's gradients (useful:
# `fill x 0`, `y = scale x 0.5`).
#: start
let K = 4
tensor X[32*K,128] T[32*K,128] = randn seed=1
tensor w1[128,128] w2[128,128] kind=parameter = randn seed=5 scale=0.1
tensor dw1[128,128] dw2[128,128] kind=gradient = randn seed=9 scale=0.001
def rows from to {
  xr = X[from:to];  tr = T[from:to]
  zr = matmul xr w1 kind=activation;  ar = relu zr kind=activation
  yr = matmul ar w2 kind=activation;  dyr = mse_grad yr tr kind=activation
  dw2 += matmul ar.T dyr;  dar = matmul dyr w2.T kind=activation
  dzr = relu_grad dar zr kind=activation
  dw1 += matmul xr.T dzr
  free zr ar yr dyr dar dzr
}
mark task
#: reference
z = matmul X w1;  a = relu z;  y = matmul a w2;  dy = mse_grad y T
rdw2 = matmul a.T dy;  da = matmul dy w2.T;  dz = relu_grad da z
rdw1 = matmul X.T dz;  free z a y dy da dz
r1 = scale w1 1;  r2 = scale w2 1;  b1 = scale w1 1;  b2 = scale w2 1
sgd r1 rdw1 lr=0.5;  sgd r2 rdw2 lr=0.5
#: vary K=2:9
#: predict how many bytes of the peak are activations? = peak(activation)
#: choice all rows went through at once
rows 0 32*K
#: check
# source: docs.pytorch.org/docs/stable/notes/amp_examples.html, Gradient
# source: accumulation: the loss is divided by the number of parts
# source: docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
# source: (.grad adds up); no_sync:
# source: generated/torch.nn.parallel.DistributedDataParallel.html
expect close_step(w1, b1, r1)   # w1 has not taken the whole batch's step
expect close_step(w2, b2, r2)   # w2 has not taken the whole batch's step
expect peak(activation) <= best(peak(activation))   # activations of more than 32 rows are in memory at a time
expect peak <= best(peak) + 2*bytes(w1)   # tensors of more than 32 rows are in memory at a time
#: hint
# Set dw1 and dw2 to zero, add K gradients, divide by K, then update once.
#: solution
fill dw1 0;  fill dw2 0
for k in 0:K { rows 32*k 32*k+32 }
dw1 = scale dw1 1/K;  dw2 = scale dw2 1/K
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: right
fill dw1 0;  fill dw2 0
for k in K-1:-1:-1 { rows 32*k 32*k+32 }
sgd w2 dw2 lr=0.5/K;  sgd w1 dw1 lr=0.5/K
sync;  timeline
#: right
fill dw1 0;  fill dw2 0
for k in 0:K { rows 32*k 32*k+32 }
g1 = scale dw1 1/K;  g2 = scale dw2 1/K
sgd w1 g1 lr=0.5;  sgd w2 g2 lr=0.5
#: right
for p in dw1 dw2 { fill $p 0 }
for k in 0:2*K { rows 16*k 16*k+16 }
for l in 1:3 { dw$l = scale dw$l 1/(2*K);  sgd w$l dw$l lr=0.5 }
@0 print w1[0,0]
#: wrong
for k in 0:K { rows 32*k 32*k+32 }
dw1 = scale dw1 1/K;  dw2 = scale dw2 1/K
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
fill dw1 0;  fill dw2 0
for k in 0:K { rows 32*k 32*k+32 }
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
fill dw1 0;  fill dw2 0
rows 0 32*K
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
z = matmul X w1;  a = relu z;  y = matmul a w2;  dy = mse_grad y T
dw2 = matmul a.T dy;  da = matmul dy w2.T;  dz = relu_grad da z
dw1 = matmul X.T dz
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
for k in 0:K {
  fill dw1 0;  fill dw2 0
  rows 32*k 32*k+32
  sgd w1 dw1 lr=0.5/K;  sgd w2 dw2 lr=0.5/K
}
#: wrong
for k in 0:K { fill dw1 0;  fill dw2 0;  rows 32*k 32*k+32 }
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
fill dw1 0;  fill dw2 0
for k in 0:K { rows 32*k 32*k+32 }
dw1 = scale dw1 1/4;  dw2 = scale dw2 1/4
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
fill dw1 0;  fill dw2 0
for k in 0:K {
  rows 32*k 32*k+32
  dw1 = scale dw1 1/K;  dw2 = scale dw2 1/K
}
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: wrong
fill dw1 0;  fill dw2 0
for k in 0:K { rows 32*k 32*k+32 }
dw1 = scale dw1 1/K
sgd w1 dw1 lr=0.5;  sgd w2 dw2 lr=0.5
#: transfer
# PyTorch: for x, t in parts: (loss(model(x), t) / K).backward(); then
# opt.step(); opt.zero_grad(). Each backward() adds to .grad.
# The mean of means is the overall mean only if the parts have equal length: a
# short last part, or unequal token counts, need weights.
# On 8 ranks only the last backward exchanges gradients: run the others within
# model.no_sync().

## Recompute the activations
# Backward reads tensors that forward kept. `forward u` makes unit u's inner
# activations h$u and a$u (large) and its output x$u (small) from x$(u-1).
# `forget u` frees h$u and a$u. `backward u` reads h$u and a$u, makes dw$u and
# dv$u, and frees h$u and a$u.
# Task: make the gradients of units 1 to L, for any L. Keep h$u and a$u of at
# most one unit in memory, and compute no unit more than twice. Between the
# forward and the backward pass run `start_back`, which makes the loss's
# gradient. `for u in L:0:-1 { ... }` counts u from L down to 1.
#: start
let L = 4
tensor x0[256,64] t[256,64] = randn seed=1
tensor dW[L,64,128] dV[L,128,64] kind=gradient
tensor da[256,128] dh[256,128] kind=activation_gradient
for u in 1:L+1 {
  tensor w$u[64,128] v$u[128,64] kind=parameter = randn seed=u scale=0.1
  dw$u = dW[u-1];  dv$u = dV[u-1]
}
def forward u {
  h$u = matmul x$(u-1) w$u kind=activation;  a$u = relu h$u kind=activation
  x$u = matmul a$u v$u kind=activation
}
def forget u { free h$u a$u }
def start_back { dx = mse_grad x$L t }
def backward u {
  dv$u = matmul a$u.T dx;  da = matmul dx v$u.T;  dh = relu_grad da h$u
  dw$u = matmul x$(u-1).T dh;  dx = matmul dh w$u.T;  free h$u a$u
}
mark task
#: reference
for u in 1:L+1 { forward u }
start_back
for u in L:0:-1 { backward u }
rW = scale dW 1;  rV = scale dV 1
#: vary L=4:9
#: predict how long will it take? = time
#: choice recomputing cost no time
for u in 1:L+1 { forward u }
start_back
for u in L:0:-1 { backward u }
#: choice each unit were recomputed from x0 on
for u in 1:L+1 { forward u;  forget u }
start_back
for u in L:0:-1 {
  for k in 1:u { forward k;  forget k }
  forward u;  backward u
}
#: check
# source: docs.pytorch.org/docs/stable/checkpoint.html
# source: arXiv:1604.06174, Training Deep Nets with Sublinear Memory Cost
# source: backward is two forwards, with this a step is 4 in place of 3:
# source: arXiv:2104.04473, appendix (floating-point operations)
# source: collectives once more: arXiv:1910.02054 (ZeRO), section 8
expect close(dW, rW)   # some unit's dw is not its gradient
expect close(dV, rV)   # some unit's dv is not its gradient
expect peak <= best(peak)   # h and a of more than one unit are in memory
expect time <= 1.05 * best(time)   # some units are computed more than twice
#: hint
# In the forward pass, forget each unit at once. In the backward pass,
# recompute unit u from x$(u-1), which is still in memory, just before you
# need it.
#: solution
for u in 1:L+1 { forward u;  forget u }
start_back
for u in L:0:-1 { forward u;  backward u }
#: right
for u in 1:L { forward u;  forget u }
forward L
start_back
backward L
for u in L-1:0:-1 { forward u;  backward u }
sync;  timeline
#: right
for u in 1:L+1 { forward u;  free h$u a$u }
start_back
for k in 0:L { forward L-k;  backward L-k }
@0 print dw1[0,0]
#: wrong
for u in 1:L+1 { forward u }
start_back
for u in L:0:-1 { backward u }
#: wrong
for u in 1:L+1 { forward u;  if u > 1 { forget u-1 } }
start_back
backward L
for u in L-1:0:-1 { forward u;  backward u }
#: wrong
for u in 1:L+1 { forward u;  forget u }
start_back
for u in 1:L+1 { forward u }
for u in L:0:-1 { backward u }
#: wrong
for u in 1:L+1 { forward u;  forget u }
start_back
for u in L:0:-1 {
  for k in 1:u { forward k;  forget k }
  forward u;  backward u
}
#: wrong
for u in 1:L+1 { forward u;  forget u }
start_back
for u in 1:L+1 { forward u;  backward u }
#: wrong
for u in 1:L+1 { forward u;  forget u }
start_back
for u in 4:0:-1 { forward u;  backward u }
#: wrong
for u in 1:L+1 { forward u;  forget u }
start_back
for u in L:1:-1 { forward u;  backward u }
forward 1;  backward 1;  start_back;  forward 1;  backward 1
#: ask `mem over`: what is the peak of activations? = peak(activation)
#: transfer
# PyTorch: y = torch.utils.checkpoint.checkpoint(unit, x, use_reentrant=False)
# Backward takes as long as two forwards, so a step takes 4 forwards instead
# of 3: a third more time. But it needs activation memory for only one unit
# and L inputs.
# On 8 ranks with tensor parallelism the collectives inside a unit also run
# once more.
