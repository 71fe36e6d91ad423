# what ranks of one collective must agree on, each with the words of `stuck`
tensor g[1k] = rank
tensor f[1k] f16 = 1
stream comm

@0-2 allreduce g op=max on comm
@3 allreduce g op=avg on comm
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allreduce#1 in world does not match: rank 3 takes op=avg, ranks 0-2 take
#>    op=max
#>    allreduce 1 in world: ranks 0-2 bring g (line 6), rank 3 brings g (line 7)
#>    ranks  hangs in             waits for  last done  next in world
#>    0-3    allreduce g on comm             nothing    allreduce g
abort world

@1-3 broadcast g root=2 on comm
@0 broadcast g on comm
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    broadcast#1 in world does not match: rank 0 names root 0, ranks 1-3 name root
#>    2
#>    broadcast 1 in world: rank 0 brings g (line 18), ranks 1-3 bring g (line 17)
#>    ranks  hangs in             waits for  last done    next in world
#>    0-3    broadcast g on comm             allreduce g  broadcast g
abort world

@1 allreduce f on comm
@0,2-3 allreduce g on comm
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allreduce#2 in world does not match: rank 1 brings f16, ranks 0,2,3 bring f32
#>    allreduce 2 in world: ranks 0,2,3 bring g (line 29), rank 1 brings f (line
#>    28)
#>    ranks  hangs in             waits for  last done    next in world
#>    0,2,3  allreduce g on comm             broadcast g  allreduce g
#>    1      allreduce f on comm             broadcast g  allreduce f
abort world

# another algorithm sends to other ranks: NCCL, told so by NCCL_ALGO, would wait for ever
@0-1 allreduce g algo=ring on comm
@2-3 allreduce g algo=tree on comm
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allreduce#3 in world does not match: ranks 0,1 take algo=ring, ranks 2,3 take
#>    algo=tree
#>    allreduce 3 in world: ranks 0,1 bring g (line 41), ranks 2,3 bring g (line
#>    42)
#>    ranks  hangs in             waits for  last done    next in world
#>    0,2,3  allreduce g on comm             allreduce g  allreduce g
#>    1      allreduce g on comm             allreduce f  allreduce g
abort world
@0-2 allreduce g on comm
@3 allreduce g algo=ring on comm
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allreduce#4 in world does not match: rank 3 takes algo=ring, ranks 0-2 take
#>    algo=auto
#>    allreduce 4 in world: ranks 0-2 bring g (line 53), rank 3 brings g (line 54)
#>    ranks  hangs in             waits for  last done    next in world
#>    0-3    allreduce g on comm             allreduce g  allreduce g
abort world

# as given by all alike, wherever the lines stand
@0-1 allreduce g algo=tree on comm
@2-3 allreduce g algo=tree on comm
sync
expect g[0] == 6

# counts of an alltoall: what one sends the other expects, rows are of one size, and all give counts or none
tensor n[4] m[4] i32 = 1;  tensor x[4,2] = rank;  tensor w[4,3] = rank
@2 fill m[0] 2
y = alltoall x send=n recv=m
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    alltoall#1 in world does not match: rank 0 sends 1 row to rank 2, which
#>    expects 2
#>    ranks  hangs in               waits for  last done  next in world
#>    0-3    alltoall y on default             alltoall   alltoall y
abort world
@0-2 y = alltoall x send=n recv=n
@3 z = alltoall w send=n recv=n
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    alltoall#2 in world does not match: rank 3 brings 12 B, ranks 0-2 bring 8 B
#>    alltoall 2 in world: ranks 0-2 bring x (line 81), rank 3 brings w (line 82)
#>    ranks  hangs in               waits for  last done  next in world
#>    0-2    alltoall y on default             alltoall   alltoall y
#>    3      alltoall z on default             alltoall   alltoall z
abort world
@0-2 y = alltoall x send=n recv=n
@3 y = alltoall x
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    alltoall#3 in world does not match: rank 3 gives no counts, ranks 0-2 give
#>    send= and recv=
#>    alltoall 3 in world: ranks 0-2 bring x (line 91), rank 3 brings x (line 92)
#>    ranks  hangs in               waits for  last done   next in world
#>    0-2    alltoall y on default             alltoall    alltoall y
#>    3      alltoall y on default             alltoall z  alltoall y
abort world
y = alltoall x send=n recv=n
sync
expect y[3,0] == 3

## another command, or a message of another type: the lines of both are named, though a barrier brings no tensor
@0-2 barrier
@3 allreduce g
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    barrier#1 in world does not match: rank 3 calls allreduce, ranks 0-2 call
#>    barrier
#>    in world: ranks 0-2 call barrier (line 107), rank 3 calls allreduce g (line
#>    108)
#>    ranks  hangs in                waits for  last done  next in world
#>    0-2    barrier on default                 sync       barrier
#>    3      allreduce g on default             sync       allreduce g
abort world
@0 send g to=1
@1 recv f from=0
stuck
#> stuck: ranks 0,1 wait, and no line can help
#>    send#1 in world does not match: rank 0 sends f32, rank 1 receives f16
#>    send 1 in world: rank 0 sends g (line 119), rank 1 receives f (line 120)
#>    ranks  hangs in           waits for  last done  next in world
#>    0      send g on default             barrier    send g
#>    1      recv f on default             barrier    recv f
abort world

## orders that cross in a match that does not agree: nothing is added up, and nothing says so
tensor h[1k] = rank
@0 { allreduce g;  allreduce h }
@1 { allreduce h;  allreduce g }
@2-3 { allreduce g op=max;  allreduce g }
sync
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allreduce#6 in world does not match: ranks 0,1 take op=sum, ranks 2,3 take
#>    op=max
#>    allreduce 6 in world: rank 0 brings g (line 132), rank 1 brings h (line 133),
#>    ranks 2,3 bring g (line 134)
#>    ranks  hangs in                waits for  last done    next in world
#>    0      allreduce g on default             send g       allreduce g
#>    1      allreduce h on default             recv f       allreduce h
#>    2      allreduce g on default             barrier      allreduce g
#>    3      allreduce g on default             allreduce g  allreduce g
abort world

## two names for one collective: the lowest rank in it gives the name, in whatever order their lines are typed
tensor a[4] b[4] = 1
@2 allreduce b
@1 c = gather a
stuck
#> stuck: ranks 1,2 wait, and no line can help
#>    gather#1 in world does not match: rank 1 calls gather, rank 2 calls allreduce
#>    in world: rank 1 calls gather a (line 152), rank 2 calls allreduce b (line
#>    151)
#>    ranks  hangs in                waits for  last done  next in world
#>    1      gather c on default     ranks 0,3  sync       gather c
#>    2      allreduce b on default  ranks 0,3  sync       allreduce b
abort world

# parts of 5 rows without rows=, and 5 rows beside 6, which are padded to as many
tensor five[5,3] six[6,3] = 1
g = reducescatter five
sync
z = allgather g
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allgather#1 in world does not match: rank 2 brings 48 B, rank 3 brings 0 B,
#>    ranks 0,1 bring 96 B; as parts of 5 rows: `z = allgather g rows=5`
#>    ranks  hangs in                waits for  last done  next in world
#>    0-3    allgather z on default             sync       allgather z
abort world
@0-2 z = reducescatter five
@3 z = reducescatter six
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    reducescatter#2 in world does not match: rank 3 brings 72 B, ranks 0-2 bring
#>    60 B
#>    reducescatter 2 in world: ranks 0-2 bring five (line 175), rank 3 brings six
#>    (line 176)
#>    ranks  hangs in                    waits for  last done    next in world
#>    0-3    reducescatter z on default             allgather z  reducescatter z
abort world
@0-2 z = allgather g rows=5
@3 z = allgather g
stuck
#> stuck: ranks 0-3 wait, and no line can help
#>    allgather#2 in world does not match: rank 3 brings 0 B, ranks 0-2 bring 60 B
#>    allgather 2 in world: ranks 0-2 bring g (line 186), rank 3 brings g (line
#>    187)
#>    ranks  hangs in                waits for  last done        next in world
#>    0-3    allgather z on default             reducescatter z  allgather z
abort world
z = allgather g rows=5
sync
expect sum(z) == 15 * world

# in a group, and on a stream, the suggested line names them
stream side
group part 0-2 3
p = reducescatter five in part
sync
@0-2 z = allgather p in part on side
stuck
#> stuck: ranks 0-2 wait, and no line can help
#>    allgather#4 in part does not match: rank 2 brings 36 B, ranks 0,1 bring 72 B;
#>    as parts of 5 rows: `z = allgather p rows=5 in part on side`
#>    ranks  hangs in             waits for  last done  next in part
#>    0-2    allgather z on side             sync       allgather z
abort part
z = allgather p rows=5 in part on side
sync
@0-2 expect sum(z) == 45
@3 expect sum(z) == 15
