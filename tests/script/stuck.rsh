# what the looks say where ranks wait for ever
# ranks 4

## what is sent is what was sent
tensor x[1k] = rank
allreduce x
@0 send x to=1
allreduce x
traffic
#>    ranks  nvlink out
#>    0-3          8 kB
#> by collectives
#>    what       in     times  size  sent  formula     off  sends    by
#>    allreduce  world      1  4 kB  8 kB     6 kB  x 1.33         tree
at 0
#>    ranks  lane     at 0
#>    0-3    host     issues allreduce x
#>           default  allreduce x is not issued yet

## the wait that has no end is seen, and it is what `why` speaks of
timeline
#>    ms          0           0.02         0.04        ▼            0.08
#>    0   host    lllllllllllllllllllllllllllllllllllll│
#>        default .............███████████████ allreduce x ░░░░░░░░░░░░░░░░ppppppp
#>    1-3 host    llllllllllllllllllllllllll           │
#>        default .............███████████████ allreduce x ░░░░░░░░░░░░░░░░ppppppp
#>    l launch, p rank 0 default waited for rank 1, ░ queued, now 0.060 ms
#>    p rank 1 default waited for rank 0
why
#> send x on rank 0 (line 7, default) waits for rank 1, which has not been given
#> its line yet
#> root: a line of rank 1 that has not come
why 1s
#> host had nothing more to do
#> default waited (peer), before send x on rank 0 (line 7)
#> send x on rank 0 (line 7, default) waits for rank 1, which has not been given
#> its line yet
#> root: a line of rank 1 that has not come
at 1s
#>    ranks  lane     at 1.00 s
#>    0      host     has nothing to do
#>           default  send x waits for a line of rank 1 that was not given yet, for
#>                    999.91 ms
#>    1-3    host     has nothing to do
#>           default  allreduce x waits for allreduce x of rank 0, for 999.91 ms
critical
#> what sets the end, from the beginning: 90 us, of what ends (see `stuck`)
#>     from  takes
#>        0  20 us  launch         allreduce x on rank 0 (line 6)
#>    20 us  70 us  communication  allreduce x on rank 0 (line 6)
#> by kind
#>    communication  70 us  78%
#>    launch         20 us  22%
#>    longest of the rest    takes  slack
#>    allreduce x on rank 1  70 us      0
#>    allreduce x on rank 2  70 us      0
#>    allreduce x on rank 3  70 us      0

## members that bring what does not match
reset
tensor x[1k] = rank
@0,1 allreduce x
@2,3 broadcast x root=2
@0 timeline
#>    ms        0             0.005          0.010          0.015         ▼
#>    0 host    llllllllllllllllllllllllllllllllllllllllllllllllllllllllll│
#>      default ..........................................................│ppppppp
#>    l launch, p waited for rank 2, now 0.0200 ms
why x@3
#> broadcast x on rank 3 (line 63, default) has waited for 20 us, now for ever:
#> rank 0 brings allreduce x (`stuck` says what does not match)
#> root: broadcast x on rank 3 (line 63) does not match what it meets
abort
