# lesson: Ranks meet: deadlock, mismatch, groups
# minutes: 30
# ranks: 4 8
# learned: Two who send first wait for ever: `together` begins both ways.
# learned: Collectives match by the order of the calls, and every rank comes.
# learned: A group says who meets; groups that share no rank do not wait.

## Two who send first
# Neighbours want each other's numbers: ranks 0 and 1, ranks 2 and 3. Each
# has queued a send, then a receive, and all stand: `stuck` shows who waits
# for whom; `abort world` gives up what is unfinished. `together { LINES }`
# starts its sends and receives as one. `@0,2 { LINES }` is for these ranks.
# Task: free them, and bring each its partner's `mine` in `theirs`, with both
# directions under way at the same time.
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
#: predict 256 kB each way: how long, once they run? = time
#: choice the two directions took turns
abort world
if rank % 2 == 0 { send mine to=partner; recv theirs from=partner }
if rank % 2 == 1 { recv theirs from=partner; send mine to=partner }
#: choice only the way's latency counted, not the bytes
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
expect time <= 1.15 * best(time)   # the two directions can be under way at once, and nothing but `mine` needs to travel
#: hint
# Whoever sends first waits for a receive that stands behind the other's own
# send. Start the send and the receive as one.
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
# NCCL does the same with ncclGroupStart and ncclGroupEnd. Two streams instead
# work here, where each direction of a pair has a communicator of its own; the
# operations of one NCCL communicator are done one at a time, so a note says
# that NCCL can hang: fuse them there.
# What changes at 8 ranks? Nothing: each pair has its own way.

## One brings something else
# Each rank wants in s the sum of all g, and has queued `s = allreduce g`. All
# but one: that one has queued half of g, for it was started with another
# model. `stuck` names who differs, and in what.
# Task: free them, and make s on every rank the sum of all ranks' whole g.
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
#: predict how many ranks stand, when one brings half? = world
#: check
# source: NCCL user guide, docs/usage/collectives.html (same count)
# source: pytorch.org/docs/stable/distributed.html, TORCH_DISTRIBUTED_DEBUG
expect close(s, r)   # s is not the sum of all of g
#: hint
# A sum that has been queued stays queued: first `abort world`.
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
#: ask Which rank brought something else? = world-2
#: transfer
# NCCL by itself compares neither shapes nor names: it hangs, crashes, or adds
# up what does not belong together. With TORCH_DISTRIBUTED_DEBUG=DETAIL ranks
# compare each call's kind and shapes before, which costs time. What changes
# at 8 ranks? Seven wait for one.

## Matched by order, not by name
# Two gradients are made on `compute`: even ranks have ga first, odd ranks gb.
# Each rank notes by an event when one is there: a_there, b_there. So each
# could send first what it has first ... but a collective knows no names: the
# first call of one rank meets the first call of the others.
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
expect races == 0   # a sum is read or written while the gradient is being made: comm must wait for it
expect close(ga, ra) and close(gb, rb)   # ga and gb are not the sums: which call of one rank met which of another?
#: hint
# Choose one order and keep it on all ranks, whoever has what first.
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
#: ask rank 0 has ga at 1 ms: comm then waits for event or peer? = "peer"
#: transfer
# In PyTorch: dist.all_reduce(ga); dist.all_reduce(gb), in that order on every
# rank. Two orders hang where shapes differ (`stuck` names them here), and add
# up apples and pears where they do not: nobody notices. DDP keeps one order
# of its buckets on all ranks for this reason. At 8 ranks nothing changes.

## The one who does not come
# Each rank adds up its batches' gradients with the others: s0, s1, s2. But
# the last rank had data for two batches only, and left: the others stand in
# the third allreduce. `stuck` says who is missing: here a line can mend it.
# Task: let the others have in s2 the sum of the third gradients, g[2], of
# those ranks that have one, on any number of ranks. What the last rank has in
# its g[2] is old.
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
expect rank == last or close(s2, r)   # s2 is not the sum of the third gradients of those who have one
#: hint
# Who has nothing to add can still come: with zeros.
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
# lets a rank that has no more data answer the others' allreduces with zeros.
# For a mean, divide by the number of those who had data, not by all.
# Nobody comes, ever? dist.init_process_group(..., timeout=...), and here
# `group g 0-3 timeout=2ms`. At 8 ranks: seven wait for one.

## Who meets whom
# Let ranks stand in rows of two: 0 1, 2 3, ... Two who share a row share a
# layer: their x must be added up. Those who have the same place in all rows
# have copies of one model: their g must be averaged.
# `mesh rows=world//2 cols=2` lays the ranks out, the last axis with
# neighbours, and makes a group of each axis: `allreduce x in cols`. Or
# `group NAME by EXPR` puts those together whose EXPR is the same.
# Task: add up x in each row, and average g over the ranks of one place, on
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
#: choice sums went to their owner, and not back to the others
mesh rows=world//2 cols=2
px = reducescatter x in cols;  pg = reducescatter g op=avg in rows
#: check
# source: pytorch.org/docs/stable/distributed.html, init_device_mesh
# source: NCCL user guide, docs/api/comms.html, ncclCommSplit
expect close(x, rx)   # x is not the sum over the two ranks of a row
expect close(g, rg)   # g is not the mean over the ranks of one place
expect sent("nvlink") <= 1.7 * best(sent("nvlink"))   # more travels than these sums ask for: does every sum need every rank?
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
# What changes at 8 ranks? (4, 2): the rows are still pairs, and four ranks
# have the same place.
