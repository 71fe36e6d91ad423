# tensors that an abort has poisoned are reported as such until they are written again
tensor s[2] = rank
@0 allreduce s
abort world
peek s
#> [0] s = 0 0
#>        spoiled by allreduce#1, which was not finished
#> [1] s = 1 1
#> [2] s = 2 2
#> [3] s = 3 3
print s
#> [0] s = 0 0
#>        spoiled by allreduce#1, which was not finished
#> [1] s = 1 1
#> [2] s = 2 2
#> [3] s = 3 3
fill s 1
print s
#> [0-3] s = 1 1
