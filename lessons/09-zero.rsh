# lesson: The ZeRO ladder: what each rank keeps
# minutes: 45
# ranks: 2 4 8
# learned: ZeRO splits optimizer state, then gradients, then parameters.
# learned: Stages 1 and 2 send as much as an allreduce, stage 3 half more.
# learned: Gather a layer before use, free it after: two in memory suffice.
# source: stages, 2 + 2 + 12 bytes, 7.5B on 64 GPUs, what travels:
# source: arXiv:1910.02054 (ZeRO), figure 1, sections 3, 5 and 7
# source: ZeroRedundancyOptimizer, used with DDP, parts of p are broadcast:
# source: docs.pytorch.org/docs/stable/distributed.optim.html
# source: DeepSpeed's stages: deepspeed.readthedocs.io/en/latest/zero3.html
# source: FULL_SHARD, SHARD_GRAD_OP, limit_all_gathers (the host waits):
# source: docs.pytorch.org/docs/stable/fsdp.html
# source: fully_shard, reshard_after_forward, set_modules_to_forward_prefetch:
# source: docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
# source: memory that another stream still reads: Tensor.record_stream:
# source: docs.pytorch.org/docs/stable/notes/cuda.html (memory management)

## Stage 1: the optimizer's state
# Adam keeps two numbers for each parameter, m and v. Plain data parallel
# keeps all of them on every rank. ZeRO-1 keeps on each rank only those for
# its own part of the parameters: ps is that part, a view of p. `backward`
# makes g, the gradient at p for this rank's own samples. A plain step t is:
# backward;  allreduce g op=avg;  update p g m v t
# Task: make m and v, and take K steps (t = 1 ... K), so that p is the result
# of plain steps, for any K and any number of ranks. Keep and send as little
# as possible.
#: start
let N = 64k;  let K = 3
tensor p[N] = randn seed=5 scale=0.1
tensor own[N] = randn seed=10+rank scale=0.1
def backward { g = sub p own }
def update p g m v t { adam p g m v t=t lr=1e-2 eps=1e-2 }
ps = shard p
mark task
#: reference
tensor m[N] v[N] = zeros
for i in 1:K+1 { backward;  allreduce g op=avg;  update p g m v i }
r = scale p 1;  sync
#: vary K=2:6 ranks=2,4,8
#: predict how many bytes do m and v have on a rank? = bytes(m) + bytes(v)
#: choice every rank kept all of them, like plain data parallel
tensor m[N] v[N] = zeros
#: choice only m were split
tensor m[N/world] v[N] = zeros
#: check
expect close(p, r)   # p differs from the result of plain data parallel
expect races == 0   # two operations access the same memory, and no order is given
expect peak <= best(peak)   # a rank keeps more than its part of m and v
expect sent(world) <= best(sent(world))   # a rank sends more than an allreduce of g would
expect time <= 1.05 * best(time)   # a rank sends or computes more than necessary, or waits without need
#: hint
# A reduce-scatter brings each rank its part of the average. adam needs only
# that part. An allgather joins all parts of p.
#: solution
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 {
  backward
  gs = reducescatter g op=avg
  update ps gs m v i
  p = allgather ps
}
#: right
tensor m[N/world] v[N/world] = zeros
stream c n
repeat 1 {
for i in 1:K+1 {
  backward on c
  wait c on n
  gs = reducescatter g op=avg on n
  wait n on c
  update ps gs m v i on c
  wait c on n;  p = allgather ps on n;  wait n on c
}
}
sync;  timeline
@0 print p[0]
#: right
m = zeros [N/world];  v = zeros [N/world]
for i in 0:K { backward;  s = reducescatter g;  s = scale s 1/world
  update ps s m v i+1;  p = allgather ps }
#: wrong
tensor m[N] v[N] = zeros
for i in 1:K+1 { backward;  allreduce g op=avg;  update p g m v i }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  gs = reducescatter g
  update ps gs m v i;  p = allgather ps }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  gs = reducescatter g op=avg
  update ps gs m v i }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  gs = reducescatter g op=avg
  update ps gs m v i }
p = allgather ps
#: wrong
for i in 1:K+1 { m = zeros [N/world];  v = zeros [N/world];  backward
  gs = reducescatter g op=avg;  update ps gs m v i
  p = allgather ps }
#: wrong
for i in 1:K+1 { tensor m[N/world] v[N/world] = zeros;  backward
  gs = reducescatter g op=avg;  update ps gs m v i
  p = allgather ps }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  gs = reducescatter g op=avg
  update ps gs m v 1;  p = allgather ps }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  allreduce g op=avg;  gs = shard g
  update ps gs m v i;  p = allgather ps }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  gs = shard g;  update ps gs m v i
  p = allgather ps }
#: wrong
tensor m[N/world] v[N/world] = zeros
for i in 1:K+1 { backward;  gs = reducescatter g op=avg;  sync
  print gs[0];  update ps gs m v i;  p = allgather ps;  barrier }
#: ask which tensor except p (and own) is still whole on every rank? = "g"
#: transfer
# In PyTorch: ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam)
# with DDP. DDP still allreduces g, and the parts of p are broadcast as well:
# together 1.5 times the bytes that you sent. On 8 ranks a rank keeps an
# eighth of m and v.

## Stage 2: the gradients
# The backward pass makes gradients from the last layer to the first. Once a
# layer's gradient has been averaged, a rank needs only its own part. So
# ZeRO-2 frees the whole gradient then.
# `backward i` makes gi, the whole gradient of layer i for this rank's own
# samples: 256 kB. It runs gi = matmul xi.T dy, then makes dy for the layer
# below.
# Task: run backward 3, 2, 1, 0, and keep s3, s2, s1, s0: this rank's parts of
# the averages, on any number of ranks. Never hold two whole gradients, on the
# GPU or in host memory.
#: start
let d = 256
tensor x0[8,d] x1[8,d] x2[8,d] x3[8,d] dy[8,d] = randn seed=10*rank
def backward i { g$i = matmul x$i.T dy kind=gradient;  dy = mul dy x$i }
mark task
#: reference
for i in 3 2 1 0 { backward i;  allreduce g$i op=avg;  r$i = shard g$i }
sync
#: vary ranks=2,4,8
#: predict how much memory do whole gradients take at most? = peak(gradient)
#: choice all four were in memory after the last backward
backward 3;  backward 2;  backward 1;  backward 0
#: choice each were freed only after the next one was made
backward 3
for i in 2 1 0 { backward i;  free g$(i+1) }
#: check
expect close(s0, r0) and close(s1, r1) and close(s2, r2) and close(s3, r3)   # an average lacks a rank's part, or belongs to another layer
expect races == 0   # a gradient's memory is reused while it is still being sent
expect peak <= best(peak)   # whole gradients are kept, although only a part of each is needed
expect sent - sent(world) <= 64kB   # whole gradients are kept in host memory, although only a part of each is needed
expect sent(world) <= best(sent(world))   # a rank sends more than is needed for each rank's part
expect hostwait <= best(hostwait)   # the host waits without need
#: hint
# A reduce-scatter leaves each rank its part; then free the whole gradient.
#: solution
for i in 3 2 1 0 {
  backward i
  s$i = reducescatter g$i op=avg
  free g$i
}
#: right
backward 3;  s3 = reducescatter g3 op=avg;  free g3
backward 2;  s2 = reducescatter g2 op=avg;  free g2
backward 1;  s1 = reducescatter g1 op=avg;  free g1
backward 0;  s0 = reducescatter g0 op=avg;  free g0
sync;  timeline
#: right
for i in 3 2 1 0 {
  backward i
  g$i = scale g$i 1/world
  s$i = reducescatter g$i
  free g$i
}
#: right
stream net;  stream gpu
for k in 0:4 {
  let i = 3 - k
  backward i on gpu
  wait gpu on net;  s$i = reducescatter g$i op=avg on net;  wait net on gpu
  free g$i
}
sync;  print s0[0,0]
#: wrong
for i in 3 2 1 0 { backward i }
for i in 3 2 1 0 { s$i = reducescatter g$i op=avg;  free g$i }
#: wrong
for i in 3 2 1 0 { backward i;  s$i = reducescatter g$i op=avg }
#: wrong
for i in 3 2 1 0 { backward i;  s$i = reducescatter g$i;  free g$i }
#: wrong
for i in 3 2 1 0 { backward i;  s$i = reducescatter g$i;  free g$i
  s$i = scale s$i 1/4 }
#: wrong
for i in 3 2 1 0 { backward i;  part = shard g$i;  tensor s$i[d/world,d]
  copy part -> s$i;  free g$i }
#: wrong
for i in 3 2 1 0 { backward i;  allreduce g$i op=avg;  s$i = shard g$i }
#: wrong
for i in 3 2 1 0 { backward i;  allreduce g$i op=avg;  part = shard g$i
  s$i = scale part 1;  free part g$i }
#: wrong
for i in 0 1 2 3 { backward i;  s$i = reducescatter g$i op=avg;  free g$i }
#: wrong
for i in 3 2 1 0 { backward i;  s$i = reducescatter g$i op=avg;  sync
  print s$i[0,0];  barrier;  free g$i }
#: wrong
for i in 3 2 1 0 { backward i;  tensor a$i[d,d] pinned;  copy g$i -> a$i
  free g$i }
for i in 3 2 1 0 { tensor g[d,d];  copy a$i -> g
  s$i = reducescatter g op=avg;  free g }
#: wrong
stream net
for i in 3 2 1 0 {
  backward i
  wait default on net
  s$i = reducescatter g$i op=avg on net
  free g$i
}
#: wrong
stream gpu net
for i in 3 2 1 0 { backward i on gpu;  spin 2ms on net
  s$i = reducescatter g$i op=avg on net;  wait net on gpu;  free g$i }
#: wrong
stream gpu net
tensor g[d,d]
for i in 3 2 1 0 { g = matmul x$i.T dy on gpu;  dy = mul dy x$i on gpu
  wait gpu on net;  s$i = reducescatter g op=avg on net }
#: transfer
# In PyTorch: dist.reduce_scatter_tensor(s, g, op=dist.ReduceOp.AVG); g = None
# On 8 ranks the parts are half of those on 4; a whole gradient stays 256 kB.
# (DeepSpeed's stage 2 and FSDP's SHARD_GRAD_OP split gradients in this way.)
#: ask which work takes most of the time? = "reducescatter|reduce-scatter"

## Stage 3: the parameters
# ZeRO-3 also splits the parameters: wi holds this rank's rows of layer i. A
# layer is gathered before its use and freed after it, once in forward, and
# once more in backward. h0 and dh3 belong to this rank's own samples.
#   forward of layer i    h(i+1) = h(i) W            W: all of wi
#   backward              dW = h(i).T dh(i+1);  dh(i) = dh(i+1) W.T
# Task: run layers 0, 1, 2 forward, then 2, 1, 0 backward. Fill h1 h2 h3, dh2
# dh1 dh0, and s2 s1 s0: this rank's rows of each averaged dW. Never have two
# whole matrices (W, dW) in memory at a time, on any number of ranks.
#: start
let d = 192
let k = d/world
tensor w0[k,d] w1[k,d] w2[k,d] = randn seed=9*rank scale=0.1
tensor h0[32,d] dh3[32,d] = randn seed=1000+10*rank
for i in 0:3 { tensor h$(i+1)[32,d] dh$i[32,d] s$i[k,d] }
mark task
#: reference
H0 = scale h0 1;  D3 = scale dh3 1
for i in 0:3 { Q = allgather w$i;  H$(i+1) = matmul H$i Q }
for i in 2 1 0 { Q = allgather w$i;  g = matmul H$i.T D$(i+1)
  D$i = matmul D$(i+1) Q.T;  r$i = reducescatter g op=avg }
sync
#: vary ranks=2,4,8
#: predict how much does a rank send, forward and backward? = sent(world)
#: choice a layer gathered in forward were still in memory in backward
for i in 0:3 { W$i = allgather w$i;  h$(i+1) = matmul h$i W$i }
for i in 2 1 0 { dW = matmul h$i.T dh$(i+1);  dh$i = matmul dh$(i+1) W$i.T
  s$i = reducescatter dW op=avg }
#: choice gradients were averaged by an allreduce
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W }
for i in 2 1 0 { W = allgather w$i;  dW = matmul h$i.T dh$(i+1)
  dh$i = matmul dh$(i+1) W.T;  allreduce dW op=avg }
#: check
expect close(h1, H1) and close(h2, H2) and close(h3, H3)   # an h is gone, or differs from the result computed with whole layers
expect close(dh2, D2) and close(dh1, D1) and close(dh0, D0)   # a dh is gone, or differs from the result computed with whole layers
expect close(s0, r0) and close(s1, r1) and close(s2, r2)   # a gradient is not this rank's rows of the average
expect races == 0   # a layer's memory is reused while it is still being read
expect peak <= best(peak)   # two whole matrices were in memory at once: two layers, two gradients, or one of each
expect sent(world) <= best(sent(world))   # a rank sends more than three times (n-1)/n of the layers
expect time <= 1.05 * best(time)   # a rank sends or computes more than necessary, or waits without need
#: hint
# Use one name W for the gathered layer: gather into it, use it, free it. In
# backward, dh needs W, but dW does not: W can be freed before dW is made.
#: solution
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
for i in 2 1 0 {
  W = allgather w$i;  dh$i = matmul dh$(i+1) W.T;  free W
  dW = matmul h$i.T dh$(i+1);  s$i = reducescatter dW op=avg;  free dW
}
#: right
A = allgather w0;  h1 = matmul h0 A
A = allgather w1;  h2 = matmul h1 A
A = allgather w2;  h3 = matmul h2 A
free A
for u in 0:3 {
  let i = 2 - u;  let j = i + 1
  B = allgather w$i
  dh$i = matmul dh$j B.T;  free B
  g = matmul h$i.T dh$j;  s$i = reducescatter g op=avg;  free g
}
sync;  timeline;  @0 print h3[0,0]
#: right
stream gpu net
for i in 0:3 {
  W$i = allgather w$i on net;  wait net on gpu
  h$(i+1) = matmul h$i W$i on gpu;  wait gpu on net;  free W$i
}
for i in 2 1 0 {
  W$i = allgather w$i on net;  wait net on gpu
  dh$i = matmul dh$(i+1) W$i.T on gpu;  free W$i
  g = matmul h$i.T dh$(i+1) on gpu
  wait gpu on net;  s$i = reducescatter g op=avg on net;  wait net on gpu
  free g
}
#: right
tensor one[d,d]
for i in 0:3 { one = allgather w$i;  h$(i+1) = matmul h$i one }
for i in 2 1 0 {
  if i < 2 { one = allgather w$i }
  dh$i = matmul dh$(i+1) one.T
  one = matmul h$i.T dh$(i+1);  s$i = reducescatter one op=avg
}
#: wrong
for i in 0:3 { W$i = allgather w$i;  h$(i+1) = matmul h$i W$i }
for i in 2 1 0 { dW = matmul h$i.T dh$(i+1);  dh$i = matmul dh$(i+1) W$i.T
  s$i = reducescatter dW op=avg }
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
for i in 2 1 0 { W = allgather w$i;  dW = matmul h$i.T dh$(i+1)
  dh$i = matmul dh$(i+1) W.T;  s$i = reducescatter dW;  free W dW }
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
for i in 2 1 0 { W = allgather w$i;  dW = matmul h$i.T dh$(i+1)
  dh$i = matmul dh$(i+1) W;  s$i = reducescatter dW op=avg;  free W dW }
#: wrong
for i in 0:3 { W = allgather w$i;  h1 = matmul h$i W
  h$(i+1) = scale h1 1;  free W }
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
for i in 2 1 0 { W = allgather w$i;  dW = matmul h$i.T dh$(i+1)
  dh$i = matmul dh$(i+1) W.T;  s$i = reducescatter dW op=avg;  free W dW }
#: wrong
W0 = allgather w0
for i in 0:3 { if i < 2 { W$(i+1) = allgather w$(i+1) }
  h$(i+1) = matmul h$i W$i;  free W$i }
for i in 2 1 0 { W = allgather w$i;  dh$i = matmul dh$(i+1) W.T;  free W
  dW = matmul h$i.T dh$(i+1);  s$i = reducescatter dW op=avg;  free dW }
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
for i in 2 1 0 { W = allgather w$i;  dW = matmul h$i.T dh$(i+1)
  dh$i = matmul dh$(i+1) W.T;  part = shard dW;  copy part -> s$i }
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W }
for i in 2 1 0 { dW = matmul h$i.T dh$(i+1);  dh$i = matmul dh$(i+1) W.T
  s$i = reducescatter dW op=avg }
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
for i in 2 1 0 {
  W = allgather w$i;  dh$i = matmul dh$(i+1) W.T;  free W
  dW = matmul h$i.T dh$(i+1)
  allreduce dW op=avg;  part = shard dW;  s$i = scale part 1
  free part dW
}
#: wrong
for i in 0:3 { W = allgather w$i;  h$(i+1) = matmul h$i W;  sync;  free W }
for i in 2 1 0 { W = allgather w$i;  dh$i = matmul dh$(i+1) W.T;  free W
  dW = matmul h$i.T dh$(i+1);  s$i = reducescatter dW op=avg
  print s$i[0,0];  barrier;  free dW }
#: wrong
stream gpu net
for i in 0:3 { W$i = allgather w$i on net;  wait net on gpu
  h$(i+1) = matmul h$i W$i on gpu;  free W$i }
for i in 2 1 0 {
  W$i = allgather w$i on net;  wait net on gpu
  on gpu { g = matmul h$i.T dh$(i+1);  dh$i = matmul dh$(i+1) W$i.T }
  wait gpu on net;  s$i = reducescatter g op=avg on net
  free g W$i
}
#: ask how often does a rank gather layer 0 in one step? = 2
#: transfer
# In PyTorch: fully_shard(layer) for each layer, then fully_shard(model). You
# wrote fully_shard's hooks by hand. With reshard_after_forward=False W stays
# in memory until backward.
# On 8 ranks a rank sends 7/8 of the layers three times, on 2 ranks 1/2.

## Prefetch: the next layer travels while this one computes
# If each layer is gathered only when it is needed, the GPU computes, then is
# idle until the next layer has arrived. But the next layer is known in
# advance. While layer i computes, layer i + 1 can travel.
# Task: run six layers forward, as before (W = all of wi, h(i+1) = h(i) W),
# and fill h1 to h6, on any number of ranks. Let the next layer travel during
# the computation, with no more than two whole layers in memory at a time.
# (`wait comm on compute` waits for everything on comm so far;
# `record E on compute; wait E on comm` waits for one point of compute.)
#: start
let d = 192
for i in 0:6 { tensor w$i[d/world,d] = randn seed=100*i+rank scale=0.1 }
tensor h0[160,d] = randn seed=1000+10*rank
for i in 1:7 { tensor h$i[160,d] }
mark task
#: reference
H0 = scale h0 1
for i in 0:6 { Q = allgather w$i;  H$(i+1) = matmul H$i Q }
sync
#: vary ranks=2,4,8
#: predict how long do the six layers take? = time
#: choice nothing ran at the same time
for i in 0:6 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
#: choice only the transfers took time, and no matmul
for i in 0:6 { W = allgather w$i;  free W }
#: check
expect close(h1, H1) and close(h2, H2) and close(h3, H3)   # an h is gone, or differs from the result computed with whole layers
expect close(h4, H4) and close(h5, H5) and close(h6, H6)   # an h is gone, or differs from the result computed with whole layers
expect races == 0   # a layer is overwritten while it is read, or read before it has arrived
expect peak <= best(peak)   # more than two whole layers were in memory at once
expect time <= 1.05 * best(time)   # the GPU waits for a layer that could have travelled earlier
#: hint
# Two names, W0 and W1, take turns. Each has two rules: use it only after it
# has arrived, and gather into it only after its last use. So gather layer 0,
# and then in each turn: gather the next layer, wait for this one, compute.
#: solution
stream compute comm
event used0 used1
W0 = allgather w0 on comm;  record here0 on comm
for i in 0:6 {
  let a = i % 2;  let b = 1 - a
  if i < 5 {
    wait used$b on comm
    W$b = allgather w$(i+1) on comm;  record here$b on comm
  }
  wait here$a on compute
  h$(i+1) = matmul h$i W$a on compute;  record used$a on compute
}
#: right
stream net
tensor A[d,d] B[d,d]
A = allgather w0 on net
wait net on default
B = allgather w1 on net
h1 = matmul h0 A;  wait default on net;  record b on net
A = allgather w2 on net
wait b on default
h2 = matmul h1 B;  wait net on default;  record ub on default
wait ub on net
B = allgather w3 on net
h3 = matmul h2 A;  wait net on default;  wait default on net
A = allgather w4 on net
h4 = matmul h3 B;  wait net on default;  wait default on net
B = allgather w5 on net
h5 = matmul h4 A;  wait net on default
h6 = matmul h5 B
sync;  timeline;  @0 print h6[0,0]
#: right
stream gpu net
W0 = allgather w0 on net
for i in 0:6 {
  wait net on gpu
  wait gpu on net
  if i > 0 { free W$(i-1) }
  if i < 5 { W$(i+1) = allgather w$(i+1) on net }
  h$(i+1) = matmul h$i W$i on gpu
}
#: naive
for i in 0:6 { W = allgather w$i;  h$(i+1) = matmul h$i W;  free W }
#: wrong
stream compute comm
for i in 0:6 { W$i = allgather w$i on comm;  wait comm on compute
  h$(i+1) = matmul h$i W$i on compute }
#: wrong
stream compute comm
for i in 0:6 { W = allgather w$i on comm;  wait comm on compute
  h$(i+1) = matmul h$i W on compute;  wait compute on comm }
#: wrong
stream compute comm
for i in 0:6 { let a = i % 2;  W$a = allgather w$i on comm
  wait comm on compute;  h$(i+1) = matmul h$i W$a on compute }
#: wrong
stream compute comm
for i in 0:6 { let a = i % 2;  W$a = allgather w$i on comm
  h$(i+1) = matmul h$i W$a on compute;  wait compute on comm }
#: wrong
stream compute comm
for i in 0:6 { W = allgather w$i on comm;  wait comm on compute
  h$(i+1) = matmul h$i W on compute;  free W }
#: wrong
stream compute comm
for i in 0:6 { W = allgather w$i on comm;  sync comm
  h$(i+1) = matmul h$i W on compute;  sync compute;  free W }
#: wrong
stream compute comm
W0 = allgather w0 on comm;  sync comm
for i in 0:6 {
  if i < 5 { W$(i+1) = allgather w$(i+1) on comm }
  h$(i+1) = matmul h$i W$i on compute
  print h$(i+1)[0,0];  sync comm
}
#: ask which waits for the other, gathers or matmuls? = "gathers|comm"
#: transfer
# In PyTorch: layer.set_modules_to_forward_prefetch([next]) (fully_shard).
# In the older FSDP the host waits instead of a stream (limit_all_gathers).
# On 8 ranks a gather moves 7/8 of a layer, on 4 ranks 3/4: nearly the same. A
# matmul is slower during a gather: both share the multiprocessors.

## The ladder in bytes
# A real run trains N parameters in mixed precision with Adam. Bytes for each
# parameter: P (weight) 2, G (gradient) 2, O (optimizer: P, m, v in f32) 12.
#             P       G       O       a rank sends in a step
# stage 0     whole   whole   whole   an allreduce of G
# stage 1     whole   whole   part    the same bytes: reduce G, gather P
# stage 2     whole   part    part    the same
# stage 3     part    part    part    gather P twice, reduce G
# Each transfer (a gather, or a reduce-scatter) sends (n-1)/n of the bytes.
# Task: let stage0, stage1, stage2, stage3 be the bytes of P, G and O that a
# rank keeps (`let stage0 = ...`), and sent2, sent3 the bytes that it sends in
# a step of stage 2, 3. Write formulas of N and world: check tries other
# values.
#: start
let N = 4096
mark task
#: reference
tensor r0[1] = 16*N
tensor r1[1] = 4*N + 12*N/world
tensor r2[1] = 2*N + 14*N/world
tensor r3[1] = 16*N/world
tensor t2[1] = 4*N*(world-1)/world
tensor t3[1] = 6*N*(world-1)/world
sync
#: vary N=1024:8193 ranks=2,4,8
#: predict stage 3 sends how many times stage 2's bytes? = sent3 / sent2
#: check
expect abs(stage0 + 0B - r0[0]*1B) < 1B   # stage 0: all of P, G and O: 2 + 2 + 12 bytes per parameter
expect abs(stage1 + 0B - r1[0]*1B) < 1B   # stage 1: of the 2 + 2 + 12 bytes only O's 12 are split
expect abs(stage2 + 0B - r2[0]*1B) < 1B   # stage 2: of the 2 + 2 + 12 bytes O's and G's are split
expect abs(stage3 + 0B - r3[0]*1B) < 1B   # stage 3: all three are split
expect abs(sent2 + 0B - t2[0]*1B) < 1B   # stage 2: G in one direction, P in the other, (n-1)/n of 2 bytes per parameter each
expect abs(sent3 + 0B - t3[0]*1B) < 1B   # stage 3: P for forward, P for backward, G once, (n-1)/n of 2 bytes per parameter each
#: hint
# stage0 is 2*N + 2*N + 12*N. Divide the split parts by world, and nothing
# else. A transfer of 2*N bytes sends 2*N*(world-1)/world.
#: solution
let stage0 = 16*N
let stage1 = 2*N + 2*N + 12*N/world
let stage2 = 2*N + (2*N + 12*N)/world
let stage3 = 16*N/world
let sent2 = 2*2*N*(world-1)/world
let sent3 = 3*2*N*(world-1)/world
#: right
let n = world;  let P = 2*N;  let G = 2*N;  let O = 12*N;  let way = (n-1)/n
let stage0 = P+G+O;  let stage1 = P+G+O/n;  let stage2 = P+G/n+O/n
let stage3 = (P+G+O)/n
let sent2 = way*G+way*P;  let sent3 = way*(2*P+G)
#: right
let stage0 = N*16B;  let stage1 = stage0 - 12*N*(1-1/world)
let stage2 = stage1 - 2*N*(1-1/world)
let stage3 = stage2 - 2*N*(1-1/world);  let sent2 = 4*N - 4*N/world
let sent3 = sent2*3/2
sync;  timeline
#: wrong
let stage0 = 4*N;  let stage1 = 4*N;  let stage2 = 4*N;  let stage3 = 4*N
let sent2 = N;  let sent3 = N
#: wrong
let stage0 = 16*N;  let stage1 = 16*N/world;  let stage2 = 16*N/world
let stage3 = 16*N/world;  let sent2 = N;  let sent3 = N
#: wrong
let stage0 = 16*N;  let stage1 = 4*N + 12*N/world
let stage2 = 4*N + 12*N/world;  let stage3 = 16*N/world;  let sent2 = N
let sent3 = N
#: wrong
let stage0 = 16*N;  let stage1 = 4*N + 12*N/world
let stage2 = 2*N + 14*N/world;  let stage3 = 2*N + 14*N/world
let sent2 = N;  let sent3 = N
#: wrong
let stage0 = 16*N;  let stage1 = 4*N + 12*N/world
let stage2 = 2*N + 14*N/world;  let stage3 = 16*N/world
let sent2 = 2*N*(world-1)/world;  let sent3 = 6*N*(world-1)/world
#: wrong
let stage0 = 16*N;  let stage1 = 4*N + 12*N/world
let stage2 = 2*N + 14*N/world;  let stage3 = 16*N/world
let sent2 = 4*N*(world-1)/world;  let sent3 = 4*N*(world-1)/world
#: wrong
let stage0 = 16*N;  let stage1 = 4*N + 12*N/world
let stage2 = 2*N + 14*N/world;  let stage3 = 16*N/world
let sent2 = 4*N;  let sent3 = 6*N
#: wrong
let stage0 = 16*4096;  let stage1 = 4*4096 + 12*4096/world
let stage2 = 2*4096 + 14*4096/world;  let stage3 = 16*4096/world
let sent2 = 4*4096*(world-1)/world;  let sent3 = 6*4096*(world-1)/world
#: ask N = 7.5e9, 64 GPUs: GB per GPU at stage 2 (answer like 20)? = 16.6
#: transfer
# This is the ZeRO paper's example: 120, 31.4, 16.6, 1.9 GB a GPU. In PyTorch
# ZeroRedundancyOptimizer is stage 1, FSDP's SHARD_GRAD_OP is near stage 2,
# FULL_SHARD is stage 3. On 8 ranks every part is half of its size on 4.
# For stage 2: `lesson off; model gpt; strategy zero stage=2; run 2; stats`.
