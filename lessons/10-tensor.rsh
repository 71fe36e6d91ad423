# lesson: Tensor and sequence parallel
# minutes: 35
# ranks: 4 8
# learned: Split W1 by columns and W2 by rows: nothing travels between them.
# learned: Between reduce-scatter and allgather tokens are split by rank.
# learned: All ranks wait for tp's sums: keep tp in a node; dp can cross.
# source: columns then rows, one allreduce forward, one backward, heads:
# source: arXiv:1909.08053 (Megatron-LM), section 3
# source: sequence parallel, same bytes: arXiv:2205.05198, section 4.2.2
# source: dx travels behind dw (asynchronous allreduce of input gradients):
# source: docs.nvidia.com/megatron-core/developer-guide/latest/
# source: apidocs/core/core.tensor_parallel.layers.html
# source: tensor parallel within a node: arXiv:2104.04473, takeaway 1
# source: order of axes (row-major): init_device_mesh in
# source: docs.pytorch.org/docs/stable/distributed.html
# source: torchrun gives a node's ranks in one piece (_assign_worker_ranks):
# source: docs.pytorch.org/docs/stable/elastic/agent.html
# source: ColwiseParallel, RowwiseParallel, SequenceParallel:
# source: docs.pytorch.org/docs/stable/distributed.tensor.parallel.html

## Split the first weight by columns, the second by rows
# All ranks together compute the MLP y = gelu(x W1) W2. W1 and W2 are too big
# for one rank, so each rank holds 1/n of them. c1 and r1 are this rank's
# columns and rows of W1, c2 and r2 those of W2; a rank must use one of each
# pair. gelu is applied to each number of x W1 alone, but it needs the
# complete number, not one rank's part of a sum.
# Task: choose the cuts so that nothing travels between the two matmuls, and
# make y whole on every rank. Compute and send no more than is needed.
#: start
let B = 128;  let d = 128;  let h = 512
tensor x[B,d] = randn seed=1
tensor W1[d,h] W2[h,d] = randn seed=2 scale=0.1
for i in 1 2 {
  C = shard W$i dim=1;  c$i = scale C 1
  R = shard W$i dim=0;  r$i = scale R 1
}
sync;  free W1 W2
mark task
#: reference
A = allgather r1;  B2 = allgather r2
Z = matmul x A;  G = gelu Z;  Y = matmul G B2
sync
#: vary ranks=2,4,8
#: predict how long does it take on these ranks? = time
#: choice each rank computed all of it, and nothing travelled
tensor A[d,h] D[h,d] = randn seed=2 scale=0.1
z = matmul x A;  a = gelu z;  y = matmul a D
#: choice sending the sum took no time
z = matmul x c1;  a = gelu z;  y = matmul a r2
#: check
expect races == 0   # the sum begins before y is computed, or a matmul before its input
expect close(y, Y)   # y is not gelu(x W1) W2
expect rank != 1 or sent(world) <= best(sent(world))   # more bytes travel than for one sum of y
expect time <= 1.1 * best(time)   # a rank computes more than its part, or waits
#: hint
# If a rank has columns of W1, it computes complete numbers for some columns
# of x W1. Which rows of W2 do these need? Is y complete after that?
#: solution
z = matmul x c1;  a = gelu z;  y = matmul a r2
allreduce y
#: right
hidden = matmul x c1
hidden = gelu hidden
part = matmul hidden r2
s = reducescatter part
y = allgather s
sync;  timeline;  @0 print y[0,0]
#: right
stream gpu net
on gpu { hidden = matmul x c1;  hidden = gelu hidden
  y = matmul hidden r2 }
wait gpu on net
allreduce y on net
#: right
tensor y[B,d]
for i in 0:2 {
  z$i = matmul x[i*64:(i+1)*64] c1;  a$i = gelu z$i
  y$i = matmul a$i r2;  allreduce y$i
  copy y$i -> y[i*64:(i+1)*64]
}
#: naive
A = allgather r1;  D = allgather r2
z = matmul x A;  a = gelu z;  y = matmul a D
#: wrong
z = matmul x c1;  a = gelu z;  y = matmul a r2
#: wrong
stream net
z = matmul x c1;  a = gelu z;  y = matmul a r2;  allreduce y on net
#: wrong
z = matmul x c1;  a = gelu z;  y = matmul a r2;  allreduce y op=avg
#: wrong
z = matmul x c1;  a = gelu z;  y = matmul a r2;  reduce y
#: wrong
z = matmul x c1;  part = matmul z r2;  allreduce part;  y = gelu part
#: wrong
xs = shard x dim=1;  z = matmul xs r1;  allreduce z;  a = gelu z
as = shard a dim=1;  y = matmul as r2;  allreduce y
#: wrong
xs = shard x dim=1;  z = matmul xs r1;  a = gelu z
as = shard a dim=1;  y = matmul as r2;  allreduce y
#: wrong
A = allgather r1;  D = allgather r2;  xs = shard x
z = matmul xs A;  a = gelu z;  ys = matmul a D;  y = allgather ys
#: wrong
xs = shard x;  z = matmul xs c1;  a = gelu z;  ys = matmul a r2
y = allgather ys
#: wrong
z = matmul x c1;  a = gelu z;  y = matmul a r2;  all = allgather y
whole = reshape all [world,B,d];  y = scale whole[0] 1
for i in 1:world { y += scale whole[i] 1 }
#: wrong
z = matmul x c1;  a = gelu z;  y = matmul a r2;  sync;  barrier
print y[0,0];  spin 1ms;  allreduce y
#: ask which part of the time does the sum take (like 0.1)? = exposed/time
#: transfer
# In PyTorch: parallelize_module(mlp, mesh, {"w1": ColwiseParallel(),
# "w2": RowwiseParallel()}). Attention is split by heads: q, k, v by columns.
# On 8 ranks a rank computes half as much as on 4, but sends 7/4 of y instead
# of 6/4: communication does not shrink.

## Backward: hide the sum behind computation
# Backward runs the other way. dy is whole on every rank, and each rank can
# compute dw1 and dw2, its parts of the weights' gradients, without the
# others. But its dx lacks the parts from the other ranks' columns: dx is a
# sum over the ranks.
# da = dy w2.T; dz = gelu_grad da z; dx = dz w1.T; dw1 = x.T dz; dw2 = a.T dy
# Task: compute dw1, dw2 and dx, with dx whole on all ranks, in the least
# time. The layer below waits for dx; the sum of dx needs neither dw1 nor dw2.
#: start
let B = 128;  let d = 128;  let h = 512;  let k = h/world
tensor x[B,d] dy[B,d] = randn seed=1
tensor w1[d,k] w2[k,d] = randn seed=10*rank+2 scale=0.1
z = matmul x w1;  a = gelu z;  sync
mark task
#: reference
A = matmul dy w2.T;  Z = gelu_grad A z
r1 = matmul x.T Z;  r2 = matmul a.T dy
r = matmul Z w1.T;  allreduce r;  sync
#: vary ranks=2,4,8
#: predict how long does it take? = time
#: choice nothing ran during the allreduce
da = matmul dy w2.T;  dz = gelu_grad da z;  dw2 = matmul a.T dy
dw1 = matmul x.T dz;  dx = matmul dz w1.T;  allreduce dx
#: check
expect close(dw1, r1) and close(dw2, r2)   # dw1 or dw2 is not the gradient of this rank's part
expect close(dx, r)   # dx is not whole: every rank has a part of the sum
expect races == 0   # the sum begins before dx is computed
expect rank != 1 or sent(world) <= best(sent(world))   # more bytes travel than for one sum of dx
expect time <= 1.05 * best(time)   # the GPU could compute dw1 and dw2 while dx travels
#: hint
# First compute da, dz and dx. Then run the allreduce of dx on a stream of its
# own, which waits for dx. Meanwhile compute dw1 and dw2.
#: solution
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
wait compute on comm
allreduce dx on comm
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
#: right
stream net
da = matmul dy w2.T;  dz = gelu_grad da z;  dx = matmul dz w1.T
record here
wait here on net
s = reducescatter dx on net;  dx = allgather s on net
dw2 = matmul a.T dy
dw1 = matmul x.T dz
sync;  timeline;  @0 print dx[0,0]
#: right
stream net gpu
on gpu {
  da = matmul dy w2.T
  da = gelu_grad da z
  dx = matmul da w1.T
  wait gpu on net
  allreduce dx on net
  dw1 = matmul x.T da
  dw2 = matmul a.T dy
  wait net on gpu
}
#: naive
da = matmul dy w2.T;  dz = gelu_grad da z;  dw2 = matmul a.T dy
dw1 = matmul x.T dz;  dx = matmul dz w1.T;  allreduce dx
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dw2 = matmul a.T dy;  dw1 = matmul x.T dz;  dx = matmul dz w1.T }
wait compute on comm;  allreduce dx on comm
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
spin 2ms on comm;  allreduce dx on comm
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
allreduce dx on comm
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
#: wrong
da = matmul dy w2.T;  dz = gelu_grad da z;  dx = matmul dz w1.T
dw1 = matmul x.T dz;  dw2 = matmul a.T dy
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
wait compute on comm;  allreduce dx op=avg on comm
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
wait compute on comm;  allreduce dx on comm
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
allreduce dw1 op=avg;  allreduce dw2 op=avg
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dx = matmul da w1.T }
wait compute on comm;  allreduce dx on comm
on compute { dw1 = matmul x.T da;  dw2 = matmul a.T dy }
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
wait compute on comm;  s = allgather dx on comm;  allreduce dx on comm
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
#: wrong
stream compute comm
on compute { da = matmul dy w2.T;  dz = gelu_grad da z
  dx = matmul dz w1.T }
wait compute on comm;  allreduce dx on comm;  wait comm on compute
on compute { dw1 = matmul x.T dz;  dw2 = matmul a.T dy }
#: ask which work runs while dx travels? = "dw1 and dw2|dw1|dw2|matmul|dw"
#: transfer
# Megatron does this: an asynchronous allreduce of dx during the matmul of dw.
#   work = dist.all_reduce(dx, async_op=True);  dw = x.T @ dz;  work.wait()
# On 8 ranks dw1 and dw2 take half as long as on 4 and hide less of the sum.

## Sequence parallel: norm and residual
# If a layer is only tensor parallel, every rank computes norm and residual of
# all tokens, the same on every rank. But a norm treats each token alone. So
# here xs holds only this rank's tokens, and only the matmuls need all tokens.
# A block is x + gelu(norm(x) W1) W2, with layernorm; w1 and w2 are this
# rank's columns and rows. (Memory is slow here, so a norm of all tokens on
# every rank costs visible time.)
# Task: make `out`, this rank's tokens of the block's result, on any number of
# ranks. Only inputs and outputs of the matmuls may have all tokens. Send no
# more than is needed.
#: start
set memory_rate=1GB/s
let T = 256;  let d = 128;  let h = 512;  let k = h/world
tensor xs[T/world,d] = randn seed=rank+50
tensor w1[d,k] w2[k,d] = randn seed=10*rank+2 scale=0.1
mark task
#: reference
X = allgather xs;  N = layernorm X;  Z = matmul N w1;  A = gelu Z
Y = matmul A w2;  allreduce Y;  R = add X Y;  P = shard R;  r = scale P 1
sync
#: vary ranks=2,4,8
#: predict how much does a rank send? = sent(world)
#: choice tokens were gathered, and y summed by an allreduce
X = allgather xs;  N = layernorm X;  z = matmul N w1;  a = gelu z
y = matmul a w2;  allreduce y
#: check
expect close(out, r)   # out is not this rank's tokens of x + gelu(norm(x) W1) W2
expect sent(world) <= best(sent(world))   # a rank sends more than one allgather and one reduce-scatter of the tokens
expect peak <= best(peak)   # a tensor other than the matmuls' inputs and outputs has all tokens
expect time <= 1.05 * best(time)   # all ranks do the same work, or a rank waits
#: hint
# Apply the norm to your own tokens, and gather before the first matmul. After
# the second, each rank has a part of the sum for all tokens, and needs the
# whole sum for its own tokens.
#: solution
ns = layernorm xs
n = allgather ns
z = matmul n w1;  a = gelu z;  part = matmul a w2
ys = reducescatter part
out = add xs ys
#: wrong
n = allgather xs;  n = layernorm n;  z = matmul n w1;  a = gelu z;  free z n
part = matmul a w2;  free a;  ys = reducescatter part;  out = add xs ys
#: right
q = layernorm xs;  all = allgather q;  free q
z = matmul all w1;  z = gelu z;  all = matmul z w2;  free z
out = reducescatter all;  free all
out += scale xs 1
sync;  timeline;  @0 print out[0,0]
#: right
stream gpu net
ns = layernorm xs on gpu;  wait gpu on net
n = allgather ns on net;  wait net on gpu
on gpu { z = matmul n w1;  a = gelu z;  n = matmul a w2 }
wait gpu on net;  s = reducescatter n on net;  wait net on gpu
out = add s xs on gpu
#: wrong
X = allgather xs;  N = layernorm X;  z = matmul N w1;  a = gelu z
y = matmul a w2;  ys = reducescatter y;  out = add xs ys
#: wrong
X = allgather xs;  N = layernorm X;  z = matmul N w1;  a = gelu z
y = matmul a w2;  allreduce y;  Y = add X y;  out = shard Y
#: wrong
ns = layernorm xs;  n = allgather ns;  z = matmul n w1;  a = gelu z
part = matmul a w2;  allreduce part;  ys = shard part;  out = add xs ys
#: wrong
ns = layernorm xs;  n = allgather ns;  z = matmul n w1;  a = gelu z
part = matmul a w2;  ys = reducescatter part op=avg;  out = add xs ys
#: wrong
ns = layernorm xs;  z = matmul ns w1;  a = gelu z
part = matmul a w2;  allreduce part;  out = add xs part
#: wrong
ns = layernorm xs;  n = allgather ns;  z = matmul n w1;  a = gelu z
part = matmul a w2;  ys = shard part;  out = add xs ys
#: wrong
ns = layernorm xs;  n = allgather ns;  z = matmul n w1;  a = gelu z
part = matmul a w2;  ys = reducescatter part;  out = add ns ys
#: wrong
ns = layernorm xs;  n = allgather ns;  sync;  barrier;  z = matmul n w1
print z[0,0];  a = gelu z
part = matmul a w2;  print part[0,0];  ys = reducescatter part;  barrier
out = add xs ys
#: ask which part of norm's result does a rank keep (like 0.9)? = 1/world
#: transfer
# In PyTorch: parallelize_module(..., {"norm": SequenceParallel(), ...}). It
# sends as many bytes as tensor parallel, because an allreduce is a
# reduce-scatter and an allgather. On 8 ranks a rank keeps an eighth of norms
# and residuals.

## Two nodes: which axis may cross?
# There are two nodes of world/2 GPUs: links within a node carry 273 MB/s, the
# network between them 100 MB/s. You want two replicas (dp), each on world/2
# ranks (tp). tp sums activations twice a layer, and everything waits for the
# sums; dp averages a rank's gradients once a step. `mesh A=2 B=3` lays six
# ranks out in two rows, 0 1 2 and 3 4 5: along the last axis ranks are
# neighbours.
# Task: type one `mesh` line that makes the axes dp and tp, then `one_step`.
#: start
set nodes=2;  set gpus=world/2
let B = 512;  let d = 64;  let h = 128
tensor X[B,d] T[B,d] = randn seed=1
tensor W1[d,h] W2[h,d] = randn seed=7 scale=0.1
def one_step {
  x = shard X in dp;  t = shard T in dp
  w1 = shard W1 dim=1 in tp;  w2 = shard W2 in tp
  z = matmul x w1;  a = gelu z;  y = matmul a w2;  allreduce y in tp
  loss = mse y t;  dy = mse_grad y t;  dw2 = matmul a.T dy
  da = matmul dy w2.T;  dz = gelu_grad da z;  dw1 = matmul x.T dz
  dx = matmul dz w1.T;  allreduce dx in tp
  for p in dw1 dw2 loss { allreduce $p op=avg in dp }
  norm = sumsq dw1;  n2 = sumsq dw2;  norm += scale n2 1
  allreduce norm in tp
  normx = sumsq dx;  normx = scale normx 1/(size(dp)*size(dp))
  allreduce normx in dp
}
mark task
#: reference
z = matmul X W1;  a = gelu z;  y = matmul a W2;  L = mse y T
dy = mse_grad y T;  da = matmul dy W2.T;  dz = gelu_grad da z
DW1 = matmul X.T dz;  DW2 = matmul a.T dy;  DX = matmul dz W1.T
G = sumsq DW1;  G2 = sumsq DW2;  G += scale G2 1;  GX = sumsq DX;  sync
#: predict how many bytes does a rank send over the network? = sent("nic")
#: choice the ranks of tp were on both nodes
mesh tp=world/2 dp=2
one_step
#: check
expect close(loss, L) and close(norm, G) and close(normx, GX)   # the loss or the gradients differ from those of the whole batch and the whole layer
expect size(tp) == world/2   # tp should have half of the ranks: then a replica is one node
expect size(tp) != world/2 or 2 * sent(tp) >= best(sent(tp))   # the sums of `one_step` over tp are missing: run `one_step`
expect sent("nic") <= best(sent("nic"))   # more bytes cross the network than the gradients of one step
expect time <= 1.05 * best(time)   # the sums that everything waits for take the slow network, or there is more than one step
#: hint
# The ranks of a mesh's last axis are within a node here. Which axis has sums
# that are needed before the next matmul can begin?
#: solution
mesh dp=2 tp=world/2
one_step
#: right
group tp by rank//(world/2)
group dp by rank%(world/2)
one_step
sync;  timeline;  @0 print loss
#: right
let half = world/2
mesh dp=2 tp=half
repeat 1 { one_step }
#: naive
mesh tp=world/2 dp=2
one_step
#: wrong
mesh tp=world/2 dp=2
one_step
sync
#: wrong
mesh dp=1 tp=world
one_step
#: wrong
mesh dp=world tp=1
one_step
#: wrong
group tp by rank%2
group dp by rank//2
one_step
#: wrong
mesh dp=2 tp=world/2
spin 2ms
one_step
#: wrong
mesh dp=2 tp=world/2
z = matmul X W1;  a = gelu z;  y = matmul a W2;  loss = mse y T
dy = mse_grad y T;  da = matmul dy W2.T;  dz = gelu_grad da z
dw1 = matmul X.T dz;  norm = sumsq dw1
dw2 = matmul a.T dy;  n2 = sumsq dw2;  norm += scale n2 1
dx = matmul dz W1.T;  normx = sumsq dx
#: ask which axis crosses the network here? = "dp"
#: transfer
# In PyTorch, on 8 ranks: init_device_mesh("cuda", (2, 4),
# mesh_dim_names=("dp", "tp")); torchrun gives a node consecutive ranks.
# On 8 ranks a rank's gradients are half of those on 4: per rank half as much
# crosses the network, in total the same.
