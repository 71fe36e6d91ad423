# lesson: Ranks meet: deadlock, mismatch, groups
# minutes: 30
# ranks: 4 8
# learned: If both ranks send first, they deadlock; `together` avoids it.
# learned: Collectives match by call order; every rank must make each call.
# learned: A group's collective waits for its members, and for no other rank.

## Two ranks that send first
# Ranks 0 and 1 want each other's numbers, and so do ranks 2 and 3. Each rank
# has queued a send, then a receive. Each send waits for the other rank's
# receive, which waits for that rank's send. `stuck` shows this circular wait;
# `abort world` cancels unfinished work. `together { LINES }` starts its sends
# and receives as one. `@0,2 { LINES }` runs lines on ranks 0 and 2 only.
# Task: cancel the waiting work. Then bring the partner's `mine` to `theirs`
# on each rank, with both directions under way at the same time.
#: start
let partner = rank + 1 - 2 * (rank % 2)
tensor mine[64k] = randn seed=rank
tensor theirs[64k]
send mine to=partner
recv theirs from=partner
mark task
#: reference
abort world
tensor r[64k]
sendrecv mine -> r to=partner from=partner
sync
#: vary ranks=4,8
#: predict 256 kB each way: how long do the transfers take? = time
#: choice the two directions took turns
abort world
if rank % 2 == 0 { send mine to=partner; recv theirs from=partner }
if rank % 2 == 1 { recv theirs from=partner; send mine to=partner }
#: choice only the link's latency counted, not the bytes
set link_rate=1TB/s
abort world
sendrecv mine -> theirs to=partner from=partner
#: check
# source: NCCL user guide, docs/api/p2p.html
# source: NCCL user guide, docs/usage/p2p.html
# source: pytorch.org/docs/stable/distributed.html, batch_isend_irecv
# source: one communicator, one at a time: github.com/NVIDIA/nccl/issues/574
# source: a send may wait for its receive: github.com/NVIDIA/nccl/issues/783
expect close(theirs, r)   # `theirs` does not hold the partner's numbers
expect time <= 1.15 * best(time)   # the directions take turns, or more than `mine` travels
#: hint
# A rank that sends first waits for a receive that is queued after the other
# rank's send. Start the send and the receive as one.
#: solution
abort world
together { send mine to=partner; recv theirs from=partner }
#: right
abort world
sendrecv mine -> theirs to=partner from=partner
#: right
abort world
stream up down
send mine to=partner on up
recv theirs from=partner on down
sync; timeline
#: right
abort world
group pair by rank//2
both = allgather mine in pair
let at = 64k * (1 - rank % 2)
copy both[at:at+64k] -> theirs
#: naive
abort world
if rank % 2 == 0 { send mine to=partner } else { recv theirs from=partner }
if rank % 2 == 1 { send mine to=partner } else { recv theirs from=partner }
#: wrong
abort world
recv theirs from=partner
send mine to=partner
#: wrong
abort world
copy mine -> theirs
#: wrong
abort world
sendrecv mine -> theirs to=(rank+1)%world from=(rank-1)%world
#: wrong
send mine to=partner
recv theirs from=partner
#: wrong
stream other
recv theirs from=partner on other
send mine to=partner on other
#: transfer
# In PyTorch:
#   ops = [P2POp(isend, mine, partner), P2POp(irecv, theirs, partner)]
#   for req in batch_isend_irecv(ops): req.wait()
# NCCL does the same with ncclGroupStart and ncclGroupEnd. In ranksh two
# streams work as well, because each direction of a pair has its own
# communicator. But NCCL runs the operations of one communicator one at a
# time, so these lines can hang there: ranksh prints a note. Use `together`.
# On 8 ranks nothing changes: each pair has its own link.

## One rank passes another size
# Each rank needs the sum of all g in s, and has queued `s = allreduce g`. But
# one rank was started with another model, and passed only half of its g.
# `stuck` names this rank and the difference.
# Task: cancel the waiting work. Then make s, on every rank, the sum of the
# whole g of all ranks.
#: start
def begin { if rank == world-2 { let part = 8k } else { let part = 16k }
  s = allreduce g[0:part] }
tensor g[16k] = randn seed=10*rank
begin
mark task
#: reference
abort world
r = allreduce g
sync
#: vary ranks=4,8
#: predict how many ranks wait if one passes half of its g? = world
#: check
# source: NCCL user guide, docs/usage/collectives.html (same count)
# source: pytorch.org/docs/stable/distributed.html, TORCH_DISTRIBUTED_DEBUG
expect close(s, r)   # s is not the sum of all g
#: hint
# The queued allreduce waits until `abort world` cancels it: do that first.
#: solution
abort world
s = allreduce g
#: right
abort world
stream comm
whole = allreduce g on comm
s = scale whole 1 on comm
sync; timeline
@0 print s[0]
#: right
abort world
p = reducescatter g
s = allgather p
#: right
abort world
for h in 0:2 { s$h = allreduce g[h*8k:(h+1)*8k] }
tensor s[16k]
for h in 0:2 { copy s$h -> s[h*8k:(h+1)*8k] }
#: wrong
abort world
#: wrong
abort world
begin
#: wrong
abort world
s = allreduce g op=avg
#: wrong
abort world
@(rank == world-2) s = allreduce g
#: wrong
@(rank == world-2) s = allreduce g
#: right
@0 abort world
s = allreduce g
#: wrong
abort world
tensor s[16k] = zeros
h = allreduce g[0:8k]
copy h -> s[0:8k]
#: ask Which rank passed another size? = world-2
#: transfer
# NCCL itself compares neither shapes nor names: it hangs, crashes, or adds
# numbers that do not belong together. With TORCH_DISTRIBUTED_DEBUG=DETAIL
# ranks first compare each call's kind and shapes, which costs time.
# On 8 ranks all eight wait, also the one with the other size.

## Matched by order, not by name
# Two gradients are made on `compute`: even ranks finish ga first, odd ranks
# gb. Each rank records an event after each of them: a_there, b_there. A rank
# could send the gradient that is ready first. But a collective has no name:
# the first call of one rank matches the first call of each other rank.
# Task: make ga and gb the sums over all ranks, on `comm`.
#: start
def backward_a { ga = scale a 2;  spin 1ms;  record a_there }
def backward_b { gb = scale b 3;  spin 1ms;  record b_there }
tensor a[16k] b[16k] = randn seed=10*rank
stream compute comm
mark task
on compute { if rank % 2 == 0 { backward_a; backward_b }
  if rank % 2 == 1 { backward_b; backward_a } }
#: reference
ra = scale a 2;  allreduce ra
rb = scale b 3;  allreduce rb
sync
#: vary ranks=4,8
#: check
# source: NCCL user guide, docs/usage/collectives.html
# source: NCCL user guide, docs/usage/communicators.html
#   (using multiple NCCL communicators concurrently)
# source: PyTorch Distributed, arXiv:2006.15704, 3.2.3 (order of buckets)
expect races == 0   # the allreduce runs while the gradient is still being made: comm must wait for it
expect close(ga, ra) and close(gb, rb)   # ga and gb are not the sums: which call of one rank met which call of another?
#: hint
# Choose one order and keep it on all ranks, even if a rank has gb first.
#: solution
wait a_there on comm;  allreduce ga on comm
wait b_there on comm;  allreduce gb on comm
#: right
wait compute on comm
allreduce gb on comm;  allreduce ga on comm
sync; timeline
#: right
group second by 0
stream other
wait a_there on comm;  allreduce ga on comm
wait b_there on other;  allreduce gb on other in second
#: right
allreduce ga on compute
allreduce gb on compute
sync; timeline
@0 print ga[0]
#: right
wait compute on comm
together on comm { allreduce ga; allreduce gb }
#: wrong
if rank % 2 == 0 { wait a_there on comm; allreduce ga on comm }
wait b_there on comm;  allreduce gb on comm
if rank % 2 == 1 { wait a_there on comm; allreduce ga on comm }
#: wrong
allreduce ga on comm
allreduce gb on comm
#: wrong
wait a_there on comm
allreduce ga on comm;  allreduce gb on comm
#: wrong
group second by 0
if rank % 2 == 0 { wait a_there on comm; allreduce ga on comm }
wait b_there on comm;  allreduce gb on comm in second
if rank % 2 == 1 { wait a_there on comm; allreduce ga on comm }
#: wrong
wait compute on comm
allreduce ga op=avg on comm;  allreduce gb op=avg on comm
#: wrong
wait compute on comm
allreduce ga on comm
#: ask After 1 ms, does rank 0's comm wait for event or peer? = "peer"
#: transfer
# In PyTorch: dist.all_reduce(ga); dist.all_reduce(gb), in that order on every
# rank. If the orders differ, calls with different shapes hang (`stuck` names
# them here), and calls with equal shapes add different gradients without an
# error. So DDP keeps one bucket order on all ranks. On 8 ranks nothing
# changes.

## The rank that makes no call
# For each of three batches all ranks add up their gradients: s0, s1, s2. But
# the last rank had data for two batches only, and made no third call. So the
# others wait in the third allreduce. `stuck` names the missing rank; a line
# on this rank can help.
# Task: on the other ranks, make s2 the sum of the third gradient, g[2], over
# the ranks that have one, for any number of ranks. The last rank's g[2] is
# stale: it must not count.
#: start
let mine = 3;  let last = world - 1
if rank == last { let mine = 2 }
tensor g[3,16k] = randn seed=rank
tensor s2[16k] = zeros
for b in 0:mine { s$b = allreduce g[b] }
mark task
#: reference
tensor part[16k]
if rank == last { fill part 0 } else { copy g[2] -> part }
abort world
r = allreduce part
sync
#: vary ranks=4,8
#: check
# source: pytorch.org/docs/stable/distributed.algorithms.join.html
# source: docs.pytorch.org/tutorials/advanced/generic_join.html
# source: pytorch.org/docs/stable/distributed.html, init_process_group
expect rank == last or close(s2, r)   # s2 is not the sum of the third gradients over the ranks that have one
#: hint
# If a rank has no data, it can still take part in the allreduce: with zeros.
#: solution
if rank == last { tensor none[16k] = 0; s2 = allreduce none }
#: right
abort world
group having by rank//last
s2 = allreduce g[2] in having
#: right
abort world
group some by rank//last
if rank < last { s2 = allreduce g[2] in some }
#: right
@(rank == last) fill g[2] 0
@(rank == last) s2 = allreduce g[2]
sync; timeline
#: right
abort world
tensor part[16k]
if rank == last { fill part 0 } else { copy g[2] -> part }
s2 = allreduce part
#: wrong
@(rank == last) s2 = allreduce g[2]
#: wrong
abort world
#: wrong
abort world
s2 = allreduce g[2]
#: wrong
abort world
if rank < last { s2 = allreduce g[2] }
#: wrong
@(rank == last) tensor none[16k] = 0
@(rank == last) s2 = allreduce none op=avg
#: wrong
@(rank == last) tensor none[8k] = 0
@(rank == last) s2 = allreduce none
#: ask Which rank did the others wait for? = world - 1
#: transfer
# In PyTorch:  with Join([model]): for x in data: ...
# lets a rank without data answer the others' allreduces with zeros.
# For a mean, divide by the number of ranks that had data, not by all.
# If a rank never makes the call, a timeout ends the wait:
# dist.init_process_group(..., timeout=...), here `group g 0-3 timeout=2ms`.
# On 8 ranks seven ranks wait for one.

## Groups and meshes
# Arrange the ranks in rows of two: 0 1, 2 3, ... The two ranks of a row share
# a layer, so their x must be added up. The ranks at the same place in their
# rows have copies of the same weights, so their g must be averaged.
# `mesh rows=world//2 cols=2` lays the ranks out, with neighbours along the
# last axis, and makes a group for each axis: `allreduce x in cols` sums along
# cols, that is, within a row. Or `group NAME by EXPR` puts ranks with the
# same EXPR together.
# Task: add up x in each row, and average g over the ranks at each place, on
# any even number of ranks.
#: start
tensor x[16k] g[16k] = randn seed=10*rank
mark task
#: reference
group row by rank//2
group place by rank%2
rx = allreduce x in row
rg = allreduce g op=avg in place
sync
#: vary ranks=4,8
#: predict 64 kB each: how many bytes does a rank send for both? = sent
#: choice each sum went over all ranks
allreduce x
allreduce g op=avg
#: choice each sum stayed split over the ranks, without a gather
mesh rows=world//2 cols=2
px = reducescatter x in cols;  pg = reducescatter g op=avg in rows
#: check
# source: pytorch.org/docs/stable/distributed.html, init_device_mesh
# source: NCCL user guide, docs/api/comms.html, ncclCommSplit
expect close(x, rx)   # x is not the sum over the two ranks of a row
expect close(g, rg)   # g is not the mean over the ranks at one place
expect sent("nvlink") <= 1.7 * best(sent("nvlink"))   # more bytes travel than these sums need: does every sum need every rank?
#: hint
# Rank 2 is in row 2//2 = 1, at place 2%2 = 0.
#: solution
mesh rows=world//2 cols=2
allreduce x in cols
allreduce g op=avg in rows
#: right
group row by rank//2
group place by rank%2
stream one two
allreduce x in row on one
allreduce g op=avg in place on two
sync; timeline
@0 print g[0]
#: right
mesh dp=world//2 tp=2
px = reducescatter x in tp;  x = allgather px in tp
pg = reducescatter g op=avg in dp;  g = allgather pg in dp
#: right
mesh rows=world//2 cols=2
allreduce x in cols
all = allgather g in rows
fill g 0
for r in 0:world//2 { g += all[r*16k:(r+1)*16k] }
g = scale g 2/world
#: right
mesh rows=world//2 cols=2
reduce x in cols;  broadcast x in cols
allreduce g op=avg in rows
#: wrong
mesh rows=world//2 cols=2
allreduce x in rows
allreduce g op=avg in cols
#: wrong
allreduce x
allreduce g op=avg
#: wrong
mesh rows=world//2 cols=2
allreduce x in cols
allreduce g in rows
#: wrong
mesh rows=2 cols=world//2
allreduce x in rows
allreduce g op=avg in cols
#: wrong
group row 0-1
if rank < 2 { allreduce x in row }
group place by rank%2
allreduce g op=avg in place
#: wrong
all = allgather x
let at = rank//2*32k
x = add all[at:at+16k] all[at+16k:at+32k]
group place by rank%2
allreduce g op=avg in place
#: transfer
# In PyTorch:
#   m = init_device_mesh("cuda", (2, 2), mesh_dim_names=("rows", "cols"))
#   dist.all_reduce(x, group=m["cols"].get_group())
# On 8 ranks (4, 2): the rows are still pairs, and four ranks share each
# place.
