# ranks 4
# group ... timeout=: a straggler too late, one in time, one never, a mismatch, two parts
tensor none[4] = 1
expect error "timeout=2: which unit?" { group g 0-3 timeout=2 }
expect error "timeout= is a time from 1us to 3600s" { group g 0-3 timeout=1ns }
expect error "group: timeout=(rank+1)*1ms must be equal on all ranks: rank 1 has another value than rank 0" { group g by 0 timeout=(rank+1)*1ms }
group g 0-3 timeout=2ms
group half 0-1 2-3 timeout=500us
groups
#> world      0-3
#> g          0-3  timeout=2.00 ms
#> half       0,1 2,3  timeout=500 us

mark intime
tensor x[4] = rank
@3 spin 1.9ms
allreduce x in g
sync
expect x[0] == 6
expect not stuck

mark late                   # the others go on at 2 ms; what it brings when it comes is nobody's
tensor y[4] = rank+1
@3 spin 5ms
allreduce y in g
expect error "timeout: allreduce#2 in g" { sync }
#>    timeout: allreduce#2 in g (line 25) has waited 2.00 ms for rank 3. What is
#>    queued in g is aborted.                                               [0-3]
@0-2 expect time < 2.1ms
@3 expect time >= 5ms
print y
#> [0] y = 1 1 1 1
#>        spoiled by allreduce#2, which was not finished
#> [1] y = 2 2 2 2
#>        spoiled by allreduce#2, which was not finished
#> [2] y = 3 3 3 3
#>        spoiled by allreduce#2, which was not finished
#> [3] y = 4 4 4 4
#>        spoiled by allreduce#2, which was not finished

barrier
mark anew                       # numbered anew on all ranks
tensor z[4] = rank
allreduce z in g
expect z[0] == 6

barrier
mark never                      # rank 1 is given no line; the other part goes on
tensor v[4] = rank
@0 allreduce v in half
@2-3 allreduce v in half
expect error "timeout: allreduce#4 in half" { sync }
expect not stuck
@2-3 expect v[0] == 5
@0 expect time < 700us

barrier
mark mismatch
tensor w[4] = 1
@0 broadcast w in g
@1-3 allreduce w in g
expect error "timeout: broadcast#1 in g" { expect w[0] == 1 }
#>    timeout: allreduce#4 in half (line 50) has waited 500 us for rank 1. What
#>    is queued in half on these ranks is aborted.                          [0,1]
#>    timeout: broadcast#1 in g (line 60) has waited 2.00 ms and does not match:
#>    rank 0 calls broadcast, ranks 1-3 call allreduce. What is queued in g is
#>    aborted.                                                              [0-3]

barrier
mark messages                   # a message of the group that is under way ends with it
tensor m[2000000] = rank
@0 send m to=1 in g
@1 recv m from=0 in g
stream io
@2 barrier in g on io
expect error "timeout: barrier#5 in g" { sync }
expect sum(m) == rank * 2000000
#>    timeout: barrier#5 in g (line 75) has waited 2.00 ms for ranks 0,1,3. What
#>    is queued in g is aborted.                                            [0-3]

barrier
mark ended                      # rank 0 stands behind a `put` that ends with the group: it has not come either
tensor y[4000000] = 0
tensor ones[4000000] = 1
window y in g
@0 put ones -> y@1
expect error "timeout: close#1 in g" { close y }
sync
expect sum(y) == 0
#>    timeout: close#1 in g (line 87) has waited 2.00 ms for rank 0. What is
#>    queued in g is aborted.                                               [0-3]

barrier
mark axes                       # timeout= of a mesh is that of each axis
expect error "mesh needs an axis" { mesh timeout=2ms }
expect error "mesh: timeout= is a time from 1us to 3600s" { mesh dp=2 tp=2 timeout=2ns }
expect error "mesh: timeout=(rank+1)*1ms must be equal on all ranks" { mesh dp=2 tp=2 timeout=(rank+1)*1ms }
expect error "mesh: the sizes multiply to 2" { mesh dp=2 timeout=2ms }
mesh dp=2 tp=2 timeout=2ms
tensor k[4] = rank
@3 spin 5ms
allreduce k in tp
expect error "timeout: allreduce#6 in tp" { sync }
@0,1 expect k[0] == 1
#>    timeout: allreduce#6 in tp (line 102) has waited 2.00 ms for rank 3. What
#>    is queued in tp on these ranks is aborted.                            [2,3]
