# peek waits for nothing: it shows what is there before the kernel has run
tensor x[4] = 1
y = zeros [4]
y += spin 5ms x
mark m
peek y
#> [0-3] y = 0 0 0 0
sync
peek y
#> [0-3] y = 1 1 1 1
# what an abort spoiled says so until it is written again
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
# sim: what is queued runs when it is looked at
