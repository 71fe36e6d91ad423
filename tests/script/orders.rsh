# orders of issue in which NCCL can hang: on a rank, a group's operations run one at a time
# ranks 3
stream s t
tensor a[8] b[8] c[8] = rank

## operations of several groups in opposite orders: only possible, and never reported unasked
group ahead by 0
group back by 0
@0 { send a to=1 on s in ahead;  recv b from=1 on t in back }
@1 { send a to=0 on s in back;  recv b from=0 on t in ahead }
sync
mark asked
stuck
#> no rank waits for another
#>    possible: ranks 0 and 1 queue operations of ahead and back in opposite
#>    orders: NCCL can hang if their kernels do not run side by side
#>       rank 0: send a in ahead (line 9), then recv b in back (line 9)
#>       rank 1: send a in back (line 10), then recv b in ahead (line 10)
# a collective against a message, and a circle of three groups
tensor d[8] e[8] f[8] = rank
@0 { broadcast d on s in ahead;  send c to=1 on t in back }
@1 { recv c from=0 on t in back;  broadcast d on s in ahead }
@2 broadcast d on s in ahead
group first 0-1
group second 1-2
group third 0,2
@0 { allreduce d on s in first;  allreduce f on t in third }
@1 { allreduce e on s in second;  allreduce d on t in first }
@2 { allreduce f on s in third;  allreduce e on t in second }
sync
mark more
races
#>    possible: ranks 0 and 1 queue operations of ahead and back in opposite
#>    orders: NCCL can hang if their kernels do not run side by side
#>       rank 0: send a in ahead (line 9), then recv b in back (line 9)
#>       rank 1: send a in back (line 10), then recv b in ahead (line 10)
#>    possible: ranks 0 and 1 queue operations of ahead and back in opposite
#>    orders: NCCL can hang if their kernels do not run side by side
#>       rank 0: broadcast d in ahead (line 21), then send c in back (line 21)
#>       rank 1: recv c in back (line 22), then broadcast d in ahead (line 22)
#>    possible: ranks 0-2 queue operations of first, second and third in a circle:
#>    NCCL can hang if their kernels do not run side by side
#>       rank 0: allreduce d in first (line 27), then allreduce f in third (line 27)
#>       rank 1: allreduce e in second (line 28), then allreduce d in first (line 28)
#>       rank 2: allreduce f in third (line 29), then allreduce e in second (line 29)

## a reduction and a message in opposite orders, on two streams
@0 { reduce c root=1 on s;  send a to=1 on t }
@1 { recv a from=0 on t;  reduce c root=1 on s }
@2 reduce c root=1 on s
#>    ranks 0 and 1 queue operations of world in opposite orders: NCCL can hang
#>       rank 0: reduce c (line 48), then send a (line 48)
#>       rank 1: recv a (line 49), then reduce c (line 49)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
# it runs here, where each direction of a pair is as a communicator of its own
sync

## both send first
@0-1 { send a to=1-rank on s;  recv b from=1-rank on t }
#>    ranks 0 and 1 queue operations of world in opposite orders: NCCL can hang
#>       rank 0: send a (line 59), then recv b (line 59)
#>       rank 1: send a (line 59), then recv b (line 59)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
sync
# a loop: its lines are named once
for k in 0:3 {
  @0 { recv b from=1 on s;  send a to=1 on t }
  @1 { recv b from=0 on s
    send a to=0 on t }
  sync
}
#>    ranks 0 and 1 queue operations of world in opposite orders: NCCL can hang
#>       rank 0: recv b (line 67), then send a (line 67)
#>       rank 1: recv b (line 68), then send a (line 69)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group

## all around a ring
send a to=(rank+1)%3 on s
recv b from=(rank+2)%3 on t
#>    ranks 0-2 queue operations of world in a circle: NCCL can hang
#>       rank 0: send a (line 78), then recv b (line 79)
#>       rank 1: send a (line 78), then recv b (line 79)
#>       rank 2: send a (line 78), then recv b (line 79)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
sync

## what is one operation, or comes in one order on all ranks, is no circle
together { send a to=(rank+1)%3 on s;  recv b from=(rank+2)%3 on t }
sync
sendrecv a -> b to=(rank+1)%3 from=(rank+2)%3 on s
allreduce c on s
sync
sendrecv b -> a to=(rank+2)%3 from=(rank+1)%3 on t
sync
# fused on one of the two ranks
@0 together { send a to=1 on s;  recv b from=1 on t }
@1 { send a to=0 on s;  recv b from=0 on t }
sync
# each way a group of its own, in one order
@0 { send a to=1 on s in ahead;  recv b from=1 on t in back }
@1 { recv b from=0 on s in ahead;  send a to=0 on t in back }
sync
# an operation that lacks a line is in the way of what is behind it: the circle is complete when that line comes
@0 { allreduce c on s;  send a to=1 on t }
@1 { recv b from=2 on s;  recv a from=0 on t;  allreduce c on s }
abort
@0 { allreduce c on s;  send a to=1 on t }
@1 { recv b from=2 on s;  recv a from=0 on t;  allreduce c on s }
@2 { send b to=1 on s;  allreduce c on s }
#>    ranks 0 and 1 queue operations of world in opposite orders: NCCL can hang
#>       rank 0: allreduce c (line 107), then send a (line 107)
#>       rank 1: recv a (line 108), then allreduce c (line 108)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
sync
# given up, it is none
@0 { allreduce c on s;  send a to=1 on t }
abort
@1 { recv a from=0 on t;  allreduce c on s }
abort
# one stream on each rank: they are stuck here too, which is reported when somebody waits
@0-1 { send a to=1-rank;  recv b from=1-rank }
abort

## a circle that `stuck` shows and one that only NCCL hangs in, in one block: the second is reported as it is line by line
group pair 0-1
{
  @1 recv b from=0 on s in pair
  @0-1 together { allreduce c on s in pair;  allreduce d on s in pair }
  @0-1 allreduce a on t in pair
  @0 send b to=1 on s in pair
}
#>    ranks 0 and 1 queue operations of pair in opposite orders: NCCL can hang
#>       rank 0: allreduce a (line 129), then send b (line 130)
#>       rank 1: recv b (line 127), then allreduce a (line 129)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
abort pair
# ... and in another order of the lines of different ranks
@0 { together { allreduce c on s in pair;  allreduce d on s in pair }
  allreduce a on t in pair
  send b to=1 on s in pair
}
@1 { recv b from=0 on s in pair
  together { allreduce c on s in pair;  allreduce d on s in pair }
  allreduce a on t in pair
}
#>    ranks 0 and 1 queue operations of pair in opposite orders: NCCL can hang
#>       rank 0: allreduce a (line 139), then send b (line 140)
#>       rank 1: recv b (line 142), then allreduce a (line 144)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
abort pair
