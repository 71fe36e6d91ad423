# lesson: What a collective costs: the ring by hand
# minutes: 30
# ranks: 4 8
# learned: In a ring allreduce each rank sends 2(n-1)/n of the tensor.
# learned: Hops cost latency: send few bytes in few hops, many in pieces.
# learned: A collective runs beside kernels and occupies some multiprocessors.

## The first lap: the pieces add up
# g has 256 kB on each rank. It is cut into one piece per rank: g[p] is piece
# p, and its owner, rank p, will have its sum. A piece starts on the rank to
# the right of its owner, and moves right from rank to rank. Each rank adds
# its own numbers, until the piece reaches its owner. All pieces move at the
# same time: in every hop a rank runs
# `sendrecv PIECE -> inbox to=right from=left`, and then one
# `g[...] += inbox`.
# Task: make g[rank] the sum over all ranks, for any number of ranks, with
# sends and receives only.
#: start
let right = (rank + 1) % world;  let left = (rank - 1) % world
let c = 64k / world
tensor g[world,c] = randn seed=rank
tensor inbox[c]
mark task
#: reference
r = allreduce g
sync
#: vary ranks=4,8
#: predict how many hops until each rank has its piece's sum? = world - 1
#: check
# source: Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for
#   clusters of workstations, J. Parallel Distrib. Comput. 69 (2009): the ring
# source: NCCL user guide, docs/usage/collectives.html (ReduceScatter)
# source: github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
expect close(g[rank], r[rank])   # g[rank] is not the sum of this piece over all ranks
expect count(allreduce) + count(reduce) + count(reducescatter) + count(broadcast) + count(allgather) + count(gather) + count(scatter) + count(alltoall) + count(window) == 0   # this task is by hand: use only sends and receives
expect sent("nvlink") <= best(sent("nvlink"))   # more bytes travel than one piece per hop
expect time <= 1.1 * best(time)   # pieces wait while others travel: every rank can send and receive at the same time
#: hint
# In hop s (for s in 0:world-1) a rank sends piece rank-1-s to the right, and
# receives piece rank-2-s from the left (both % world).
#: solution
for s in 0:world-1 {
  sendrecv g[(rank-1-s)%world] -> inbox to=right from=left
  g[(rank-2-s)%world] += inbox
}
#: right
for d in 1:world {
  sendrecv g[(rank+d)%world] -> inbox to=(rank+d)%world from=(rank-d)%world
  g[rank] += inbox
}
#: right
stream ring
let s = 0
repeat world-1 {
  together on ring {
    send g[(rank-1-s)%world] to=right;  recv inbox from=left
  }
  g[(rank-2-s)%world] += inbox on ring
  let s = s + 1
}
sync; timeline
#: right
tensor second[c]
for s in 0:world-1 {
  if s % 2 == 0 {
    sendrecv g[(rank-1-s)%world] -> inbox to=right from=left
    g[(rank-2-s)%world] += inbox
  } else {
    sendrecv g[(rank-1-s)%world] -> second to=right from=left
    g[(rank-2-s)%world] += second
  }
}
#: naive
tensor all[world,c]
for p in 1:world {
  @(rank == p) send g to=0
  @0 recv all from=p
  @0 g += all
}
for p in 1:world { @0 send g[p] to=p; @(rank == p) recv g[p] from=0 }
#: wrong
for s in 0:world-1 {
  sendrecv g[rank] -> inbox to=right from=left
  g[(rank-1)%world] += inbox
}
#: wrong
for s in 0:world {
  sendrecv g[(rank-1-s)%world] -> inbox to=right from=left
  g[(rank-2-s)%world] += inbox
}
#: wrong
for s in 0:world-1 {
  sendrecv g[(rank-s)%world] -> inbox to=right from=left
  g[(rank-1-s)%world] += inbox
}
#: wrong
tensor mine[world,c] all[world,c]
copy g -> mine
for s in 0:world-1 {
  sendrecv mine -> all to=right from=left
  copy all -> mine
  g += all
}
#: wrong
x = reducescatter g
copy x[0] -> g[rank]
#: wrong
allreduce g
#: wrong
for p in 0:world { reduce g[p] root=p }
#: wrong
for s in 0:world-1 {
  if rank % 2 == 0 { send g[(rank-1-s)%world] to=right }
  recv inbox from=left
  if rank % 2 == 1 { send g[(rank-1-s)%world] to=right }
  g[(rank-2-s)%world] += inbox
}
#: ask In `traffic`, how much has each rank sent (answer like 100k)? = sent
#: transfer
# This is dist.reduce_scatter_tensor(out, g), ncclReduceScatter: a rank sends
# (n-1)/n of g for every n. On 8 ranks there are seven hops instead of three,
# with pieces half as large.

## The second lap: every rank gets all pieces
# `first_lap` queues the lap that you have just built; after it g[rank] is the
# sum. In the second lap nothing is added: the finished pieces go round once
# again, and each rank keeps a copy of each piece. Together the two laps are
# an allreduce.
# Task: queue first_lap, and then the second lap, so that every rank has the
# whole sum in g, for any number of ranks. Use only sends and receives.
#: start
let right = (rank + 1) % world;  let left = (rank - 1) % world
let c = 64k / world
tensor g[world,c] = randn seed=rank
tensor inbox[c]
def first_lap { for s in 0:world-1 {
  sendrecv g[(rank-1-s)%world] -> inbox to=right from=left
  g[(rank-2-s)%world] += inbox } }
mark task
#: reference
r = allreduce g
sync
#: vary ranks=4,8
#: predict g has 256 kB: how much does each rank send in both laps? = sent
#: choice each rank sent all of its g to each of the others
tensor other[world,c]
for d in 1:world {
  sendrecv g -> other to=(rank+d)%world from=(rank-d)%world
}
#: choice one lap were enough
first_lap
#: check
# source: Patarasuk, Yuan (2009), as above: reduce-scatter, then allgather
# source: github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
expect close(g, r)   # g is not the sum on all ranks: which pieces does a rank lack?
expect count(allreduce) + count(reduce) + count(reducescatter) + count(broadcast) + count(allgather) + count(gather) + count(scatter) + count(alltoall) + count(window) == 0   # this task is by hand: use only sends and receives
expect sent("nvlink") <= best(sent("nvlink"))   # more bytes travel than one piece per hop
expect time <= 1.1 * best(time)   # pieces wait while others travel
#: hint
# In hop s a rank passes on the piece that it received in hop s-1. So it
# first sends its own piece, number rank, then pieces rank-1, rank-2 ...
# Receive each piece in its place in g: no inbox is needed.
#: solution
first_lap
for s in 0:world-1 {
  sendrecv g[(rank-s)%world] -> g[(rank-1-s)%world] to=right from=left
}
#: right
first_lap
for d in 1:world {
  let up = (rank + d) % world;  let down = (rank - d) % world
  sendrecv g[rank] -> g[down] to=up from=down
}
#: right
first_lap
for s in 0:world-1 {
  sendrecv g[(rank+s)%world] -> g[(rank+1+s)%world] to=left from=right
}
sync; timeline
@0 print g[0,0]
#: right
first_lap
stream lap
wait default on lap
for s in 0:world-1 {
  together on lap {
    send g[(rank-s)%world] to=right
    recv g[(rank-1-s)%world] from=left
  }
}
#: naive
first_lap
for p in 1:world { @(rank == p) send g[p] to=0; @0 recv g[p] from=p }
for p in 1:world { @0 send g to=p; @(rank == p) recv g from=0 }
#: wrong
first_lap
for s in 0:world-1 { sendrecv g[rank] -> g[left] to=right from=left }
#: wrong
first_lap
first_lap
#: wrong
first_lap
for s in 0:world-2 {
  sendrecv g[(rank-s)%world] -> g[(rank-1-s)%world] to=right from=left
}
#: wrong
for s in 0:world-1 {
  sendrecv g[(rank-s)%world] -> g[(rank-1-s)%world] to=right from=left
}
first_lap
#: wrong
first_lap
tensor all[world,c]
for s in 0:world-1 {
  sendrecv g -> all to=right from=left
  copy all[(rank-1-s)%world] -> g[(rank-1-s)%world]
}
#: wrong
allreduce g
#: wrong
first_lap
for p in 0:world { broadcast g[p] root=p }
#: wrong
first_lap
for s in 0:world-1 {
  if rank % 2 == 0 { send g[(rank-s)%world] to=right }
  recv g[(rank-1-s)%world] from=left
  if rank % 2 == 1 { send g[(rank-s)%world] to=right }
}
#: ask How much would each of 8 ranks send (answer like 100k)? = 2*7/8*256k
#: transfer
# This is dist.all_reduce(g), ncclAllReduce with the ring: a rank sends
# 2(n-1)/n of g. `traffic` shows these bytes, and `busbw` is these bytes
# divided by the time.
# On 8 ranks: nearly the same bytes, but 14 hops instead of 6.

## Few bytes: count the hops
# This machine's links have a high latency: 100 us a hop (`machine`:
# link_latency). g has 64 bytes. Two laps of the ring would be 2(n-1) hops for
# very few bytes. Instead, each rank exchanges g with a partner at distance 1,
# then 2, then 4, and adds what it receives: the sums cover 2 ranks, then 4,
# then all 8. The partner at distance d of rank r is r+d if r//d is even, else
# r-d.
# Task: make g the sum over all ranks (4 or 8) in these log2(world) hops.
#: start
set link_latency=100us;  set launch=2us
tensor g[16] = randn seed=rank
tensor inbox[16]
mark task
#: reference
r = allreduce g
sync
#: vary ranks=4,8
#: predict how long will it take? = time
#: choice each rank received from all others one after the other
copy g -> inbox
for d in 1:world {
  sendrecv g -> inbox to=(rank+d)%world from=(rank-d)%world
}
#: choice only the bytes took time, and the hops had no latency
set link_latency=0us
for s in 0:log2(world) {
  sendrecv g -> inbox to=(rank+1)%world from=(rank-1)%world
}
#: check
# source: Thakur, Rabenseifner, Gropp, Optimization of Collective
#   Communication Operations in MPICH (2005): recursive doubling for few bytes
# source: NCCL user guide, docs/env.html, NCCL_ALGO
# source: developer.nvidia.com/blog, Massively Scale Your Deep Learning
#   Training with NCCL 2.4 (trees)
# source: github.com/NVIDIA/nccl, src/graph/tuning.cc: 2 log2 of the nodes
expect close(g, r)   # g is not the sum over all ranks
expect time <= 1.15 * best(time)   # more hops in sequence than log2 of the number of ranks
#: hint
# First `let d = 1`. Then repeat log2(world) { exchange, add, let d = 2*d }.
# The partner is rank + d - 2*d*(rank//d%2).
#: solution
let d = 1
repeat log2(world) {
  let p = rank + d - 2*d*(rank//d%2)
  sendrecv g -> inbox to=p from=p
  g += inbox
  let d = 2*d
}
#: right
let d = world / 2
repeat log2(world) {
  if rank // d % 2 == 0 { let p = rank + d } else { let p = rank - d }
  together { send g to=p; recv inbox from=p }
  g = add g inbox
  let d = d / 2
}
sync; timeline
#: right
let d = 1
repeat log2(world) {
  sendrecv g -> inbox to=(rank+d)%world from=(rank-d)%world
  g += inbox
  let d = 2*d
}
#: naive
tensor mine[16]
copy g -> mine
for d in 1:world {
  sendrecv mine -> inbox to=(rank+d)%world from=(rank-d)%world
  g += inbox
}
#: wrong
allreduce g algo=ring
#: wrong
allreduce g algo=tree
#: wrong
let d = 1
repeat log2(world) {
  sendrecv g -> inbox to=(rank+1)%world from=(rank-1)%world
  g += inbox
}
#: wrong
for d in 1:world {
  @(rank == d) send g to=0
  @0 recv inbox from=d;  @0 g += inbox
}
for d in 1:world { @0 send g to=d; @(rank == d) recv g from=0 }
#: wrong
let d = 1
repeat log2(world) - 1 {
  let p = rank + d - 2*d*(rank//d%2)
  sendrecv g -> inbox to=p from=p
  g += inbox
  let d = 2*d
}
#: ask Is most of that time latency or bytes? = "latency"
#: transfer
# Over n nodes NCCL's tree takes 2 log2(n) hops, up and down, and sends the
# bytes in pieces; a ring of n ranks takes 2(n-1) hops, each with 1/n of the
# bytes. NCCL chooses the faster one by its own tables; NCCL_ALGO=Ring, here
# algo=ring, forces the ring. With S bytes, latency L and rate B:
#   exchange  log2(n) (L + S/B)         ring  2(n-1) (L + S/(n B))
# On 8 ranks: 3 hops instead of 2; the ring has 14 instead of 6.

## The collective runs beside the matmul
# y = x w does not need the sum of g, and the sum does not need y. During a
# matmul the links are idle; while g travels, most multiprocessors are idle.
# But a collective is a kernel as well: it moves and adds data, and occupies a
# share of the multiprocessors (SMs; `machine`: collective_sms). Alone, the
# matmul takes 0.50 ms, and the allreduce 0.43 ms on 4 ranks.
# Task: compute y = x w, make g the sum over all ranks, and finish sooner than
# if one ran after the other.
#: start
set launch=2us;  set link_latency=1us
tensor x[128,256] w[256,128] = randn seed=1 scale=0.1
tensor g[19k] = randn seed=rank
stream compute comm
mark task
#: reference
ry = matmul x w
rg = allreduce g
sync
#: vary ranks=4,8
#: predict how long until both are done? = time
#: choice the collective occupied no multiprocessors
set collective_sms=0%
y = matmul x w on compute
allreduce g on comm
#: choice matmul and allreduce took turns
y = matmul x w on compute
allreduce g on compute
#: check
# source: NCCL user guide, docs/env.html, NCCL_MAX_CTAS
# source: NCCL user guide, docs/api/flags.html, NCCL_CTA_POLICY_EFFICIENCY
# source: pytorch.org/docs/stable/distributed.html, all_reduce (async_op)
expect close(y, ry)   # y should be x w
expect close(g, rg)   # g should be the sum over all ranks
expect time <= 1.1 * best(time)   # matmul and allreduce take turns, although neither needs the other
#: hint
# A stream runs one operation at a time: use two streams, and no wait between
# them.
#: solution
y = matmul x w on compute
allreduce g on comm
#: right
allreduce g on comm
y = matmul x w on compute
sync; timeline
@0 print y[0,0]
#: right
stream sum
for p in 0:2 { allreduce g[p*9728:(p+1)*9728] on sum }
y = matmul x w
#: right
p = reducescatter g on comm
g = allgather p on comm
for i in 0:2 { y$i = matmul x[i*64:(i+1)*64] w on compute }
tensor y[128,128]
for i in 0:2 { copy y$i -> y[i*64:(i+1)*64] on compute }
#: naive
y = matmul x w on compute
wait compute on comm
allreduce g on comm
#: wrong
allreduce g
y = matmul x w
#: wrong
allreduce g on comm
sync
y = matmul x w on compute
#: wrong
allreduce g on comm
wait comm on compute
y = matmul x w on compute
#: wrong
y = matmul x w on compute
allreduce g op=avg on comm
#: wrong
y = matmul x w on compute
#: wrong
allreduce g on comm
y = matmul w.T x.T on compute
#: ask Which share of the SMs does the allreduce occupy (like 50%)? = 20%
#: transfer
# In PyTorch: work = dist.all_reduce(g, async_op=True); y = x @ w; work.wait()
# NCCL_MAX_CTAS limits the multiprocessors of a collective: if it has fewer,
# the matmul loses less, and the sum may take longer.
# On 8 ranks the sum takes 0.51 ms, so the matmul loses more.
