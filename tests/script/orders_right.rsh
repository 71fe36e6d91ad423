# programs that NCCL runs: no order forms a circle, no collectives cross, nothing is reported
# ranks 4
let first = rank == 0;  let last = rank == world-1;  let M = 6
stream compute up down net side
def f m { y$m = spin 1ms a$m on compute }
def b m { da$m = spin 1ms dy$m on compute }
for m in 0:M { tensor a$m[8] dy$m[8] = rank }

## 1F1B: activations and gradients on two streams, each with a group of its own
group acts by 0
group grads by 0
def forward m {
  if not first { recv a$m from=rank-1 on up in acts;  wait up on compute }
  f m
  if not last { wait compute on up;  send y$m to=rank+1 on up in acts }
}
def backward m {
  if not last { recv dy$m from=rank+1 on down in grads;  wait down on compute }
  b m
  if not first { wait compute on down;  send da$m to=rank-1 on down in grads }
}
let warm = world-1-rank
for m in 0:warm { forward m }
for m in warm:M { forward m;  backward m-warm }
for m in M-warm:M { backward m }
# a table on both ends: each has a name of its own for its gradient
group ends by (first or last)-1
tensor dtable[8] dhead[8] = 1
@0 allreduce dtable on net in ends
@3 allreduce dhead on net in ends
sync

## 1F1B: in one group, what goes up and what comes down start as one
def up_down m n {
  together {
    if m >= 0 and m < M and not last { send y$m to=rank+1 on up }
    if n >= 0 and n < M and not last { recv dy$n from=rank+1 on down }
  }
}
def down_up n m {
  together {
    if n >= 0 and n < M and not first { send da$n to=rank-1 on down }
    if m >= 0 and m < M and not first { recv a$m from=rank-1 on up }
  }
}
down_up -1 0
for m in 0:M+warm {
  if m < M { wait up on compute;  f m;  wait compute on up }
  up_down m m-warm
  if m >= warm { wait down on compute;  b m-warm;  wait compute on down }
  down_up m-warm m+1
}
sync

## ring attention: keys and values go round in double buffers while a block is absorbed
tensor q[16,8] k0[16,8] v0[16,8] k1[16,8] v1[16,8] = 0.1
for i in 0:world {
  let from = i%2;  let into = (i+1)%2
  wait compute on net
  sendrecv k$from -> k$into to=(rank+1)%world from=(rank-1)%world on net
  sendrecv v$from -> v$into to=(rank+1)%world from=(rank-1)%world on net
  o$i = attention q k$from v$from on compute
  wait net on compute
}
sync

## HSDP: gathered and scattered in one group, summed in the other, on two streams
mesh replicate=2 shard=2
for l in 0:3 { tensor w$l[8] g$l[16] = rank }
for l in 0:3 { full$l = allgather w$l on net in shard;  wait net on compute;  h$l = relu full$l on compute }
for l in 0:3 {
  let k = 2-l
  wait compute on net;  s$k = reducescatter g$k on net in shard
  wait net on side;  allreduce s$k on side in replicate
}
sync

## roots, and branches by rank: members that name their tensors differently
tensor x[8] z[8] = rank
@0 { broadcast x root=0;  reduce x root=0 }
@1-3 { broadcast z root=0;  reduce z root=0 }
for k in 0:4 {
  if rank == k { broadcast x root=k } else { broadcast z root=k }
  if rank % 2 == 0 { allreduce x } else { allreduce z }
}
# buffers in turn
for k in 0:4 { allreduce a$(k%2) on net }
allreduce x;  allreduce z
sync
say "nothing was reported"
#> nothing was reported
