# collectives match by number: in opposite orders, ranks add the wrong tensors if sizes are equal
# ranks 3
# sim: times stand in it

## two gradients, made in another order on one rank
tensor first[4] = 1
tensor second[4] = 2
@0,2 { allreduce first op=avg;  allreduce second op=avg }
@1 { allreduce second op=avg;  allreduce first op=avg }
#>    allreduce 1 in world: ranks 0,2 bring first (line 8), rank 1 brings second
#>    (line 9): NCCL adds them because the sizes are equal
sync
print first[0]
#> [0,2] first[0] = 1.33333
#> [1] first[0] = 1.66667
stuck
#> no rank waits for another
#>    allreduce 1 in world: ranks 0,2 bring first (line 8), rank 1 brings second
#>    (line 9): NCCL adds them because the sizes are equal
why allreduce#2
#> allreduce second on rank 0 (line 8, default) waited for nothing: it began at
#> once, at 60.1 us
#>   allreduce second on rank 0 (line 8) ran 40.1 us
#> allreduce 2 in world: ranks 0,2 bring second (line 8), rank 1 brings first (line
#> 9)
#> root: allreduce second on ranks 0-2 (line 8): its own duration
#>    without it everything ends at 100 us instead of 140 us (run again)

## a round of three, and of one line that is called with other tensors
tensor a[4] b[4] c[4] = rank
def highest x { allreduce $x op=max }
@0-1 { highest a;  highest b;  highest c }
@2 { highest b;  highest c;  highest a }
#>    allreduce 3 in world: ranks 0,1 bring a (line 31), rank 2 brings b (line 31):
#>    NCCL reduces them to one because the sizes are equal

## statements in opposite orders, whatever their tensors are called; a loop reports it once
tensor mine$rank[4] yours$rank[4] = 1
def one { reduce mine$rank }
def two { reduce yours$rank }
allreduce a
for k in 0:3 {
  if rank == 1 { two;  one } else { one;  two }
  allreduce a
}
#>    reduce 1 in world: rank 0 brings mine0 (line 39), rank 1 brings yours1 (line
#>    40), rank 2 brings mine2 (line 39): NCCL adds them because the sizes are
#>    equal
sync

## one call too many on one rank: the members are shifted from there on
reset
tensor a[4] b[4] c[4] = rank
allreduce a
@0 { allreduce a;  allreduce b;  allreduce c }
@1-2 { allreduce b;  allreduce c }
stuck
#> rank 0 waits for a line on ranks 1,2
#>    allreduce 2 in world: rank 0 brings a (line 55), ranks 1,2 bring b (line 56):
#>    NCCL adds them because the sizes are equal
#>    ranks  hangs in                waits for  last done    next in world
#>    0      allreduce c on default  ranks 1,2  allreduce b  allreduce c
#>    1,2                                       allreduce c  nothing
abort

## named as each rank likes, and branches by rank: nothing is reported
@0 { allreduce a;  allreduce b }
@1-2 { allreduce c;  allreduce c }
for k in 0:world {
  if rank == k { broadcast a root=k } else { broadcast b root=k }
  if rank % 2 == 0 { allreduce a } else { allreduce b }
}
@0 { broadcast a;  barrier }
@1-2 { broadcast b;  barrier }
allreduce a;  allreduce b
sync
say "over"
#> over
