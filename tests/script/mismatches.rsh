# what ranks of one collective must agree about, each in the words of `stuck`
tensor g[1k] = rank
tensor f[1k] f16 = 1
stream comm

@0-2 allreduce g op=max on comm
@3 allreduce g op=avg on comm
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    allreduce#1 in world does not match: rank 3 takes op=avg, ranks 0-2 take
#>    op=max
#>    ranks  hangs in             waits for  last done  next in world
#>    0-3    allreduce g on comm             nothing    allreduce g
abort world

@1-3 broadcast g root=2 on comm
@0 broadcast g on comm
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    broadcast#1 in world does not match: rank 0 names root 0, ranks 1-3 name root
#>    2
#>    ranks  hangs in             waits for  last done    next in world
#>    0-3    broadcast g on comm             allreduce g  broadcast g
abort world

@1 allreduce f on comm
@0,2-3 allreduce g on comm
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    allreduce#2 in world does not match: rank 1 brings f16, ranks 0,2,3 bring f32
#>    allreduce 2 in world: ranks 0,2,3 bring g (line 27), rank 1 brings f (line
#>    26)
#>    ranks  hangs in             waits for  last done    next in world
#>    0,2,3  allreduce g on comm             broadcast g  allreduce g
#>    1      allreduce f on comm             broadcast g  allreduce f
abort world

# another algorithm sends to other ranks: NCCL, told so by NCCL_ALGO, would wait for ever
@0-1 allreduce g algo=ring on comm
@2-3 allreduce g algo=tree on comm
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    allreduce#3 in world does not match: ranks 0,1 take algo=ring, ranks 2,3 take
#>    algo=tree
#>    ranks  hangs in             waits for  last done    next in world
#>    0,2,3  allreduce g on comm             allreduce g  allreduce g
#>    1      allreduce g on comm             allreduce f  allreduce g
abort world
@0-2 allreduce g on comm
@3 allreduce g algo=ring on comm
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    allreduce#4 in world does not match: rank 3 takes algo=ring, ranks 0-2 take
#>    algo=auto
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
#> stuck: ranks 0-3 wait, and no line can mend it
#>    alltoall#1 in world does not match: rank 0 sends 1 row to rank 2, which
#>    expects 2
#>    ranks  hangs in               waits for  last done  next in world
#>    0-3    alltoall y on default             counts     alltoall y
abort world
@0-2 y = alltoall x send=n recv=n
@3 z = alltoall w send=n recv=n
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    alltoall#2 in world does not match: rank 3 brings 12 B, ranks 0-2 bring 8 B
#>    alltoall 2 in world: ranks 0-2 bring x (line 76), rank 3 brings w (line 77)
#>    ranks  hangs in               waits for  last done  next in world
#>    0-2    alltoall y on default             counts     alltoall y
#>    3      alltoall z on default             counts     alltoall z
abort world
@0-2 y = alltoall x send=n recv=n
@3 y = alltoall x
stuck
#> stuck: ranks 0-3 wait, and no line can mend it
#>    alltoall#3 in world does not match: rank 3 gives no counts, ranks 0-2 give
#>    send= and recv=
#>    ranks  hangs in               waits for  last done   next in world
#>    0-2    alltoall y on default             counts      alltoall y
#>    3      alltoall y on default             alltoall z  alltoall y
abort world
y = alltoall x send=n recv=n
sync
expect y[3,0] == 3

# two names for one collective: the lowest rank in it gives the name, in whatever order their lines are typed
tensor a[4] b[4] = 1
@2 allreduce b
@1 c = gather a
stuck
#> stuck: ranks 1,2 wait, and no line can mend it
#>    gather#1 in world does not match: rank 1 calls gather, rank 2 calls allreduce
#>    gather 1 in world: rank 1 brings a (line 103), rank 2 brings b (line 102)
#>    ranks  hangs in                waits for  last done  next in world
#>    1      gather c on default     ranks 0,3  sync       gather c
#>    2      allreduce b on default  ranks 0,3  sync       allreduce b
abort world
