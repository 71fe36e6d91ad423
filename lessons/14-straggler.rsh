# lesson: A straggler
# minutes: 10
# ranks: 4 6 8 10 12 14 16

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

