# lesson: Ranks meet: collectives, a straggler, a deadlock
# minutes: 30
# ranks: 4 6 8 10 12 14 16

## Everybody's sum
# Each rank has its own g: rank 0 holds ones, rank 1 twos, and so on. A
# collective is one line that every rank of the group runs.
# Task: make every g the sum over all ranks.
#: start
tensor g[64k] = rank + 1
tensor total[64k] = world * (world + 1) / 2
mark task
#: check
expect count(allreduce) == 1   # one allreduce does it
expect close(g, total)   # g is not the sum over all ranks (an average? somebody else's?)
#: hint
# allreduce g      sums when it is not told another op
#: solution
allreduce g
#: wrong
allreduce g op=avg
#: wrong
allreduce g op=max
#: wrong
@0-1 allreduce g

## Compute while it travels
# g travels between the GPUs for a millisecond or two; the multiprocessors
# have little to do with it.
# Task: run y = x w on `compute` while `allreduce g` runs on `comm`.
#: start
tensor g[64k] = rank + 1
tensor total[64k] = world * (world + 1) / 2
tensor x[256,256] w[256,256] = randn seed=1 scale=0.1
r = matmul x w;  sync
stream compute comm
mark task
#: check
expect count(allreduce) == 1 and count(matmul) == 1   # one allreduce of g, one matmul
expect overlap(comm,compute) > 90%   # they take turns: put them on two streams
expect close(g, total) and close(y, r)   # g should be the sum, y should be x w
#: hint
# The two lines need no order between them: they touch different tensors.
#: solution
allreduce g on comm
y = matmul x w on compute
#: wrong
allreduce g on comm
wait comm on compute
y = matmul x w on compute

## The straggler
# Rank 2's GPU is half as fast as the others. A collective starts when the
# last rank has come: everybody pays for rank 2.
# Task: share 512 rows out anew: let rank 2 multiply fewer rows of x than
# the others (all of it: 512 rows over all ranks), so that they all reach
# `allreduce g` within a tenth of a millisecond of each other.
# Each rank computes `y = matmul x[0:n] w` with an n of its own, then
# `allreduce g`, both on the default stream. For the check, make
# `tensor rows[1] = n` and let `allreduce rows` add them up at the end.
#: start
tensor x[512,512] w[512,512] = randn seed=1 scale=0.1
tensor g[64k] = rank + 1
tensor total[64k] = world * (world + 1) / 2
@2 slow 2x
mark task
#: check
expect count(matmul) == 1 and count(allreduce) == 2   # each rank one matmul, and two allreduces: g and rows
expect close(g, total)   # g should be the sum over all ranks
expect rows[0] == 512   # the ranks' rows do not add up to 512
expect stall(peer) < 10%   # somebody still waits long for rank 2 in the allreduce
expect time(task) < 8ms   # that is slower than it need be: 512 rows in all are enough
expect bytes(y) >= 512 * 16 * 4B   # every rank should do some of the work
#: hint
# With four ranks, three at full speed and one at half, the shares are
# 2 : 2 : 1 : 2. 512 / 7 is about 73 rows a share.
# A variable may differ by rank:
#   if rank == 2 { let n = 74 } else { let n = 146 }
#: solution
let part = 512 // (2*world - 1)
if rank == 2 { let n = 512 - 2*part*(world-1) } else { let n = 2*part }
tensor rows[1] = n
y = matmul x[0:n] w
allreduce g
allreduce rows
sync
#: wrong
tensor rows[1] = 128
y = matmul x[0:128] w
allreduce g
allreduce rows
sync
#: wrong
if rank == 2 { let n = 64 } else { let n = 128 }
tensor rows[1] = n
y = matmul x[0:n] w
allreduce g
allreduce rows
sync

## A deadlock, and the way out
# Neighbours exchange: ranks 0 and 1, ranks 2 and 3. A send is done only
# when the other side receives. If both sides send first, on one stream,
# both wait for ever.
# Task: bring each rank its partner's `mine` in `theirs`.
#: start
let partner = rank + 1 - 2 * (rank % 2)
tensor mine[64k] = rank
tensor theirs[64k] = -1
tensor wanted[64k] = partner
mark task
#: check
expect not stuck   # nobody can move: `stuck` shows who waits for whom; `abort world` frees them
expect close(theirs, wanted)   # `theirs` does not hold the partner's numbers
#: hint
# Either let the even ranks send first and the odd ones receive first, or
# say it in one line: sendrecv mine -> theirs to=... from=...
#: solution
sendrecv mine -> theirs to=partner from=partner
#: wrong
send mine to=partner
recv theirs from=partner
#: wrong
copy mine -> theirs
