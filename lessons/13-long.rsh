# lesson: Long sequences: attention in a ring
# minutes: 45
# ranks: 4 8
# learned: Softmax can run block by block, with a running maximum and sum.
# learned: Keys and values move, queries stay: computing a block hides a hop.
# learned: Ulysses swaps tokens for heads: few bytes, but none are hidden.
# source: running maximum and sum (online softmax): arXiv:1805.02867
# source: in attention, block by block: arXiv:2205.14135 (FlashAttention);
# source: docs.pytorch.org/docs/stable/generated/
# source: torch.nn.functional.scaled_dot_product_attention.html
# source: ring attention, hop behind the block: arXiv:2310.01889, section 3
# source: Ulysses, four alltoalls, as many ranks as heads: arXiv:2309.14509
# source: batch_isend_irecv: docs.pytorch.org/docs/stable/distributed.html
# source: sends and receives that must progress together are fused in a group:
# source: docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/p2p.html
# source: DistributedAttention: github.com/deepspeedai/DeepSpeed,
# source: deepspeed/sequence/layer.py
# source: context_parallel, set_rotate_method (gathers, if nothing is said):
# source: docs.pytorch.org/tutorials/unstable/context_parallel.html
# source: load balance for causal masks: github.com/pytorch/pytorch,
# source: torch/distributed/tensor/experimental/_attention.py

## A softmax that never sees the whole row
# o = softmax(q K.T / sqrt(d)) V, but keys come in M blocks of T. A softmax
# needs the row's maximum (exp of 89 is infinite in f32) and its sum. So keep
# for each row: top, its largest score so far; l, the sum of exp(score - top);
# and o, the output before division by l. If a block has a larger score,
# multiply l and o by exp(old top - new top), because they were computed with
# the old top. `scores i` makes s, the scores of block i.
# Task: make o, for any M, with at most three blocks of scores in memory.
# (Kernels: rowmax s, rowsum p, maximum a b, sub, exp, mul, div. Do not use
# `softmax`, which needs the whole row, or `attention`.)
#: start
let M = 8;  let T = 64;  let d = 32
tensor q[T,d] = randn seed=rank scale=40
tensor K[M*T,d] V[M*T,d] = randn seed=100
tensor top[T,1] = -inf
tensor l[T,1] o[T,d] = zeros
def scores i {
  s = matmul q K.T[0:d,i*T:(i+1)*T] scale=1/sqrt(d) kind=activation
}
mark task
#: reference
S = matmul q K.T scale=1/sqrt(d);  P = softmax S;  r = matmul P V
sync
#: vary M=2:33
#: predict how much memory do scores take at most? = peak(activation)
#: choice all scores of a row were in memory at once
S = matmul q K.T scale=1/sqrt(d) kind=activation
#: check
expect close(o, r)   # o is not softmax(q K.T / sqrt(d)) V
expect peak <= best(peak)   # more than three blocks of scores were in memory at once
expect count(softmax) == 0   # `softmax` needs the whole row of scores: here they come block by block
expect count(attention) == 0   # build `attention` yourself here
#: hint
# In each turn: scores i; new = the larger of rowmax s and top (`maximum`);
# p = exp(s - new); shrink = exp(top - new). Then multiply l and o by shrink;
# add rowsum p to l, and p V (V: block i) to o; set top to new. At the end:
# o / l.
#: solution
for i in 0:M {
  scores i
  new = rowmax s;  new = maximum new top
  t = sub s new;  p = exp t
  shrink = sub top new;  shrink = exp shrink
  l = mul l shrink;  l += rowsum p
  o = mul o shrink;  o += matmul p V[i*T:(i+1)*T]
  copy new -> top
}
o = div o l
#: right
for i in 0:M {
  scores i
  here = rowmax s
  next = maximum here top
  s = sub s next;  s = exp s
  top = sub top next;  top = exp top
  before = mul l top;  o = mul o before
  part = rowsum s;  l = add before part
  o += matmul s V[i*T:(i+1)*T]
  o = div o l
  top = scale next 1
}
sync;  timeline;  @0 print o[0,0]
#: right
for i in 0:M { scores i;  b = rowmax s;  top = maximum top b }
for i in 0:M {
  scores i;  s = sub s top;  s = exp s
  l += rowsum s;  o += matmul s V[i*T:(i+1)*T]
}
o = div o l
#: wrong
o = attention q K V
#: wrong
S = matmul q K.T scale=1/sqrt(d);  P = softmax S;  o = matmul P V
#: wrong
for i in 0:T/4 { S = matmul q[4*i:4*i+4] K.T scale=1/sqrt(d)
  S = softmax S;  o[4*i:4*i+4] = matmul S V }
#: wrong
for i in 0:M { scores i;  p = exp s;  l += rowsum p
  o += matmul p V[i*T:(i+1)*T] }
o = div o l
#: wrong
for i in 0:M { scores i;  new = rowmax s;  new = maximum new top
  t = sub s new;  p = exp t;  l += rowsum p;  o += matmul p V[i*T:(i+1)*T]
  copy new -> top }
o = div o l
#: wrong
for i in 0:M { scores i;  new = rowmax s;  new = maximum new top
  t = sub s new;  p = exp t
  shrink = sub top new;  shrink = exp shrink;  l = mul l shrink
  l += rowsum p;  o += matmul p V[i*T:(i+1)*T];  copy new -> top }
o = div o l
#: wrong
for i in 0:M { scores i;  new = rowmax s;  t = sub s new;  p = exp t
  l += rowsum p;  o += matmul p V[i*T:(i+1)*T] }
o = div o l
#: wrong
for i in 0:M { scores i;  p = softmax s;  o += matmul p V[i*T:(i+1)*T] }
o = scale o 1/M
#: wrong
for i in 0:8 { scores i;  new = rowmax s;  new = maximum new top
  t = sub s new;  p = exp t
  shrink = sub top new;  shrink = exp shrink;  l = mul l shrink
  l += rowsum p;  o = mul o shrink;  o += matmul p V[i*T:(i+1)*T]
  copy new -> top
  if i == 3 { o = div o l } }
o = div o l
#: wrong
for i in 0:M { scores i;  new = rowmax s;  new = maximum new top
  t = sub s new;  p = exp t
  shrink = sub top new;  shrink = exp shrink;  l = mul l shrink
  l += rowsum p;  o = mul o shrink;  o += matmul p V[i*T:(i+1)*T]
  copy new -> top }
#: ask by what factor does l shrink if a block has no larger score? = 1
#: transfer
# FlashAttention does this within one kernel: F.scaled_dot_product_attention.
# To merge blocks from several kernels or GPUs, keep lse = top + ln l, as
# `attention` does: o lse = attention q k v; attention_merge o lse o1 lse1.

## Keys and values go round
# The sequence is split over the ranks. Each rank has q, k0, v0 of its own T
# tokens, which attend to all tokens. Queries stay, keys and values go round:
# a rank receives a block from `left` and sends one to `right`. `absorb k v`
# adds a block as your last program did: o and lse hold the result of the
# blocks absorbed so far. `sendrecv k0 -> k1 to=right from=left` sends and
# receives at once: if all ranks called `send` first, each would wait for the
# next one's `recv`.
# Task: absorb the blocks of all ranks, on any number of ranks. All ranks send
# at the same time, with at most two pairs of keys and values in memory. Send
# no more than is needed.
#: start
set launch=5us;  let T = 192;  let d = 64
tensor q[T,d] k0[T,d] v0[T,d] = randn seed=10*rank
tensor o[T,d] = zeros
tensor lse[T,1] = -inf
def absorb k v { o1 lse1 = attention q k v;  attention_merge o lse o1 lse1 }
let right = (rank + 1) % world;  let left = (rank - 1) % world
mark task
#: reference
K = allgather k0;  V = allgather v0;  r = attention q K V;  sync
#: vary ranks=2,4,8
#: predict how much does a rank send? = sent(world)
#: choice queries went round, too
tensor k1[T,d] v1[T,d] q1[T,d]
for i in 1:world {
  sendrecv k0 -> k1 to=right from=left
  sendrecv v0 -> v1 to=right from=left
  sendrecv q -> q1 to=right from=left
}
#: choice keys alone went round
tensor k1[T,d]
for i in 1:world { sendrecv k0 -> k1 to=right from=left }
#: check
expect close(o, r)   # o is not attention to the tokens of all ranks
expect races == 0   # a block is overwritten while it is read, or read before it has arrived
expect sent(world) <= best(sent(world))   # a block makes more hops than necessary
expect peak <= best(peak)   # more than two blocks of keys and values are in memory at once
expect time <= 1.1 * best(time)   # ranks hop one after the other, or wait without need
#: hint
# Two pairs, k0 v0 and k1 v1, take turns: absorb one, receive into the other.
# One of the `world` blocks is your own: how many hops are left?
#: solution
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  absorb k$a v$a
  if i < world - 1 {
    sendrecv k$a -> k$b to=right from=left
    sendrecv v$a -> v$b to=right from=left
  }
}
#: right
tensor kk[T,d] vv[T,d]
absorb k0 v0
for i in 1:world {
  together {
    send k0 to=(rank+i)%world;  send v0 to=(rank+i)%world
    recv kk from=(rank-i)%world;  recv vv from=(rank-i)%world
  }
  absorb kk vv
}
sync;  timeline;  @0 print o[0,0]
#: right
tensor k1[T,d] v1[T,d]
stream net
for i in 1:world {
  let a = (i + 1) % 2;  let b = i % 2
  together on net {
    sendrecv k$a -> k$b to=left from=right
    sendrecv v$a -> v$b to=left from=right
  }
  absorb k$a v$a
  wait net on default;  wait default on net
}
let b = (world - 1) % 2
absorb k$b v$b
#: wrong
absorb k0 v0
#: wrong
K = allgather k0;  V = allgather v0;  absorb K V
#: wrong
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a
  sendrecv k$a -> k$b to=right from=left
  sendrecv v$a -> v$b to=right from=left
}
#: wrong
tensor k1[T,d]
for i in 0:world { let a = i % 2;  let b = 1 - a;  absorb k$a v0
  if i < world-1 { sendrecv k$a -> k$b to=right from=left } }
#: wrong
tensor k1[T,d] v1[T,d]
for i in 1:world { absorb k0 v0;  sendrecv k0 -> k1 to=right from=left
  sendrecv v0 -> v1 to=right from=left }
absorb k1 v1
#: wrong
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a
  if i < world - 1 { send k$a to=right;  recv k$b from=left
    send v$a to=right;  recv v$b from=left }
}
#: wrong
for i in 0:world-1 {
  tensor k$(i+1)[T,d] v$(i+1)[T,d]
  absorb k$i v$i
  sendrecv k$i -> k$(i+1) to=right from=left
  sendrecv v$i -> v$(i+1) to=right from=left
}
let i = world-1
absorb k$i v$i
#: wrong
stream net
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a
  spin 1ms on net
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left on net
    sendrecv v$a -> v$b to=right from=left on net;  wait net on default }
}
#: wrong
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a;  sync;  print o[0,0]
  barrier
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left
    sendrecv v$a -> v$b to=right from=left }
}
#: ask which part of the time do hops take (like 0.1)? = exposed/time
#: transfer
# In PyTorch: dist.batch_isend_irecv([P2POp(dist.isend, k0, right),
# P2POp(dist.irecv, k1, left)]): both in one group, like `together`, because
# NCCL runs a communicator's operations one after the other. (In ranksh each
# pair of ranks has a separate communicator for each direction.)
# On 8 ranks the same sequence takes 7 hops, each half as large.

## Hide the hop behind the block
# While a block is absorbed, the next one can travel, because absorbing only
# reads the block, as the send to `right` does. The next block can arrive in
# the other pair once the block there has been absorbed and sent. Then a turn
# takes the longer of hop and block, not the sum of both.
# Task: run the same ring, with hops during absorbing, on any number of ranks;
# again with no more than two pairs of keys and values at once.
#: start
set launch=5us;  let T = 192;  let d = 64
tensor q[T,d] k0[T,d] v0[T,d] = randn seed=10*rank
tensor o[T,d] = zeros
tensor lse[T,1] = -inf
def absorb k v { o1 lse1 = attention q k v;  attention_merge o lse o1 lse1 }
let right = (rank + 1) % world;  let left = (rank - 1) % world
mark task
#: reference
K = allgather k0;  V = allgather v0;  r = attention q K V;  sync
#: vary ranks=2,4,8
#: predict how long does the ring take? = time
#: choice each hop waited for the block, and each block for the hop
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left
    sendrecv v$a -> v$b to=right from=left }
}
#: choice only the hops took time
tensor k1[T,d] v1[T,d]
for i in 1:world { sendrecv k0 -> k1 to=right from=left
  sendrecv v0 -> v1 to=right from=left }
#: check
expect close(o, r)   # o is not attention to the tokens of all ranks
expect races == 0   # a block is overwritten while it is read, or read before it has arrived
expect peak <= best(peak)   # more than two blocks of keys and values are in memory at once
expect time <= 1.05 * best(time)   # a hop does not run while a block is absorbed
#: hint
# In each turn, before absorbing, queue the hop into the other pair on a
# separate stream. It must wait until that pair has been absorbed; the next
# turn's absorb must wait for the hop.
#: solution
stream compute comm
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  if i < world - 1 {
    together on comm {
      sendrecv k$a -> k$b to=right from=left
      sendrecv v$a -> v$b to=right from=left
    }
  }
  absorb k$a v$a on compute
  wait comm on compute;  wait compute on comm
}
#: right
stream gpu net
event here0 here1 used0 used1
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  wait here$a on gpu
  if i < world-1 {
    wait used$b on net;  wait here$a on net
    sendrecv k$a -> k$b to=right from=left on net
    sendrecv v$a -> v$b to=right from=left on net
    record here$b on net
  }
  on gpu { absorb k$a v$a;  record used$a }
}
sync;  timeline;  @0 print o[0,0]
#: right
stream one two
tensor K[T,d] V[T,d]
let more = 0
repeat world//2 {
  sendrecv k0 -> K to=left from=right on one
  sendrecv v0 -> V to=left from=right on two
  absorb k0 v0
  wait one on default;  wait two on default;  wait default on one
  wait default on two
  let more = more + 2
  if more < world {
    sendrecv K -> k0 to=left from=right on one
    sendrecv V -> v0 to=left from=right on two
  }
  absorb K V
  wait one on default;  wait two on default;  wait default on one
  wait default on two
}
#: naive
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left
    sendrecv v$a -> v$b to=right from=left }
}
#: wrong
stream compute comm
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a;  absorb k$a v$a on compute
  wait compute on comm
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left on comm
    sendrecv v$a -> v$b to=right from=left on comm }
  wait comm on compute
}
#: wrong
stream compute comm
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left on comm
    sendrecv v$a -> v$b to=right from=left on comm }
  absorb k$a v$a on compute
}
#: wrong
stream compute comm
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left on comm
    sendrecv v$a -> v$b to=right from=left on comm }
  absorb k$a v$a on compute
  wait comm on compute
}
#: wrong
stream compute comm
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left on comm
    sendrecv v$a -> v$b to=right from=left on comm }
  absorb k$a v$a on compute
  wait compute on comm
}
#: wrong
stream compute comm
for i in 0:world-1 {
  tensor k$(i+1)[T,d] v$(i+1)[T,d]
  sendrecv k$i -> k$(i+1) to=right from=left on comm
  sendrecv v$i -> v$(i+1) to=right from=left on comm
  absorb k$i v$i on compute
  wait comm on compute
}
let i = world-1
absorb k$i v$i on compute
#: wrong
stream compute comm
tensor k1[T,d] v1[T,d]
for i in 0:world {
  let a = i % 2;  let b = 1 - a
  if i < world - 1 { sendrecv k$a -> k$b to=right from=left on comm
    sendrecv v$a -> v$b to=right from=left on comm }
  sync comm
  absorb k$a v$a on compute;  sync compute
}
#: wrong
K = allgather k0;  V = allgather v0;  absorb K V
#: ask which of the two waits in each turn, hop or block? = "hop|the hop"
#: transfer
# In PyTorch: `with context_parallel(mesh, buffers=[q, k, v], ...)` gathers
# all k and v during a rank's own block; set_rotate_method("alltoall") makes
# it a ring. With a causal mask rank 0 would attend to one block and the last
# rank to all. So context_parallel gives each rank a piece from both ends.
# On 8 ranks, with the same sequence, absorbing a block is a quarter of the
# work on 4 ranks, a hop half of the bytes: the block no longer hides the hop.

## Ulysses: tokens for heads
# One head's attention does not need the other heads. q, k, v [T,128] hold all
# heads for this rank's T tokens. An alltoall gives each rank all tokens for
# some heads, attention then runs as on one GPU, and an alltoall back gives
# each rank all heads for its own tokens. `y = alltoall x` sends part i of x's
# rows to rank i. `by_rank y x` puts heads into rows: from [T,128] it makes
# [world,T,w], part i for rank i. `by_token y x` reverses it, back to [T,128].
# Task: make o, attention of this rank's tokens to all tokens, with alltoalls.
# Between them run `a = attention Q K V heads=heads/world` on [world*T,w].
# Send as little as possible.
#: start
set launch=5us;  let T = 128;  let heads = 16;  let w = 128/world
tensor q[T,128] k[T,128] v[T,128] = randn seed=10*rank scale=2
def by_rank y x { parts = reshape x [T,world,w];  y = transpose parts }
def by_token y x {
  parts = reshape x [world,T,w];  turned = transpose parts
  y = reshape turned [T,128]
}
mark task
#: reference
K = allgather k;  V = allgather v;  r = attention q K V heads=heads
sync
#: predict how much does a rank send? = sent(world)
#: choice every rank received all keys and values
K = allgather k;  V = allgather v;  o = attention q K V heads=heads
#: check
expect close(o, r)   # o is not attention over all heads and all tokens, for this rank's own tokens
expect races == 0   # a tensor is read before it has arrived
expect sent(world) <= best(sent(world))   # more bytes travel than q, k, v out and o back
expect time <= 1.05 * best(time)   # a rank sends or computes more than necessary, or waits without need
#: hint
# For each of q, k, v: by_rank, alltoall, reshape to [world*T,w]. Attention
# then gives all tokens for some heads: reshape to [world,T,w], alltoall,
# by_token.
#: solution
for x in q k v {
  by_rank out $x
  in_$x = alltoall out
  all_$x = reshape in_$x [world*T,w]
}
a = attention all_q all_k all_v heads=heads/world
back = reshape a [world,T,w]
mine = alltoall back
by_token o mine
#: right
by_rank Q q;  by_rank K k;  by_rank V v
Q = alltoall Q;  K = alltoall K;  V = alltoall V
Qa = reshape Q [world*T,w];  Ka = reshape K [world*T,w]
Va = reshape V [world*T,w]
a = attention Qa Ka Va heads=heads/world
b = alltoall a
by_token o b
sync;  timeline;  @0 print o[0,0]
#: right
stream net
for x in v q k {
  by_rank p_$x $x;  wait default on net
  x_$x = alltoall p_$x on net
  a_$x = reshape x_$x [world*T,w]
}
wait net on default
h = attention a_q a_k a_v heads=heads//world
y = alltoall h;  y3 = reshape y [world,T,w];  z = transpose y3
o = reshape z [T,128]
#: wrong
K = allgather k;  V = allgather v;  o = attention q K V heads=heads
#: wrong
o = attention q k v heads=heads
#: wrong
for x in q k v { by_rank out $x;  in_$x = alltoall out
  all_$x = reshape in_$x [world*T,w] }
a = attention all_q all_k all_v
back = reshape a [world,T,w];  mine = alltoall back;  by_token o mine
#: wrong
for x in q k v { in_$x = alltoall $x;  all_$x = reshape in_$x [world*T,w] }
a = attention all_q all_k all_v heads=heads/world
back = reshape a [world,T,w];  mine = alltoall back;  by_token o mine
#: wrong
for x in q k v { by_rank out $x;  in_$x = alltoall out
  all_$x = reshape in_$x [world*T,w] }
a = attention all_q all_k all_v heads=heads/world
back = reshape a [world,T,w];  mine = alltoall back
o = reshape mine [T,128]
#: wrong
for x in q k v { by_rank out $x;  in_$x = alltoall out
  all_$x = reshape in_$x [world*T,w] }
a = attention all_q all_k all_v heads=heads/world
back = reshape a [world,T,w];  by_token o back
#: wrong
for x in q k v { by_rank out $x;  in_$x = alltoall out
  all_$x = reshape in_$x [world*T,w] }
a = attention all_q all_k all_v heads=heads/world
whole = allgather a;  four = reshape whole [world,world,T,w]
own = scale four[0:world,rank] 1;  by_token o own
#: wrong
stream net
for x in q k v { by_rank p_$x $x;  spin 1ms on net
  in_$x = alltoall p_$x on net;  all_$x = reshape in_$x [world*T,w] }
wait net on default
a = attention all_q all_k all_v heads=heads/world
back = reshape a [world,T,w];  mine = alltoall back;  by_token o mine
#: wrong
for x in q k v { by_rank out $x;  in_$x = alltoall out
  all_$x = reshape in_$x [world*T,w];  sync;  print in_$x[0,0,0];  barrier }
a = attention all_q all_k all_v heads=heads/world
back = reshape a [world,T,w];  mine = alltoall back;  by_token o mine
#: ask at most how many ranks can share these heads? = heads
#: transfer
# DeepSpeed's DistributedAttention does this, with dist.all_to_all_single.
# Each of the four exchanges sends (world-1)/world of a block: at 8 ranks 3.5
# blocks, while a ring's hops send 14. But attention cannot begin before they
# end.
