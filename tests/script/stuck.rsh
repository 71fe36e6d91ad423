# what the looks show when ranks wait for ever
# ranks 4

## what is sent is what was sent
tensor x[1k] = rank
allreduce x
@0 send x to=1
allreduce x
traffic
#>    ranks  nvlink out
#>    0,3          4 kB
#>    1,2          8 kB
#> by collectives
#>    what       in     times  size  sent  formula     off  sends    by
#>    allreduce  world      1  4 kB  8 kB     6 kB  x 1.33         tree
at 0
#>    ranks  lane     at 0
#>    0-3    host     issues allreduce x
#>           default  allreduce x is not issued yet
abort
