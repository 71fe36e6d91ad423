# why: from a wait to its root, and its cost
# ranks 4
# sim: times stand in its sentences

tensor x[256,256] w[256,256] = randn
@2 slow 2x
y = matmul x w
allreduce y
z = relu y
spin 1ms
sync
why z@1
#> relu z on rank 1 (line 9, default) was queued for 5.46 ms, 2.00 ms of them while
#> allreduce y waited for rank 2, the last to arrive
#>   matmul y on rank 2 (line 7) ran 2.00 ms of that: 4.00 ms alone, 2.00 ms
#>   without `slow 2x`
#> root: `@2 slow 2x` (line 6)
#>    without it everything ends at 4.55 ms instead of 7.58 ms (run again)
why y@2
#> y was written 2 times, the last is shown; before: `why matmul#1` (4.02 ms)
#> allreduce y on rank 2 (line 8, default) was queued for 3.98 ms behind matmul y
#>   matmul y on rank 2 (line 7) ran 3.98 ms of that: 4.00 ms alone, 2.00 ms
#>   without `slow 2x`
#> root: `@2 slow 2x` (line 6)
#>    without it everything ends at 4.55 ms instead of 7.58 ms (run again)
why @2
#> relu z on rank 2 (line 9, default) was queued for 1.50 ms behind allreduce y
#>   allreduce y on rank 2 (line 8) ran 1.50 ms of that
#> root: allreduce y on ranks 0-3 (line 8): its own duration
#>    without it everything ends at 6.08 ms instead of 7.58 ms (run again)
@1 why default
#> allreduce y on rank 1 (line 8, default) waited 2.00 ms for rank 2, the last to
#> arrive
#>   matmul y on rank 2 (line 7) ran 2.00 ms of that: 4.00 ms alone, 2.00 ms
#>   without `slow 2x`
#> root: `@2 slow 2x` (line 6)
#>    without it everything ends at 4.55 ms instead of 7.58 ms (run again)
@0 why 4.5ms
#> host waited (sync), before sync on rank 0 (line 11)
#> default ran allreduce y on rank 0 (line 8)

## each kind of root, alone
reset
@0-3 slow 1x
stream io
spin 2ms on io
wait io on default
spin 1ms
why spin@3
#> spin is 2 operations on rank 3: say which
#>    why spin#1@3            spin   line 46
#>    why spin#2@3            spin   line 48
reset
host 3ms
spin 1ms
why spin@0
#> spin on rank 0 (line 55, default) waited 3.02 ms, 3.00 ms of them while its host
#> ran host on rank 0 (line 54)
#> root: the host of ranks 0-3 computes (line 54)
#>    without it everything ends at 1.02 ms instead of 4.02 ms (run again)
reset
tensor g[64k] = rank
spin 4ms
sync
spin 1ms
why spin#2@1
#> spin on rank 1 (line 65, default) waited 20 us while its host was launching spin
#> on rank 1 (line 65)
#> root: the launch of spin on ranks 0-3 (line 65)
#>    without it everything ends at 5.02 ms instead of 5.04 ms (run again)
reset
tensor g[64k] = rank
@3 spin 4ms
allreduce g
sync
why g@0
#> allreduce g on rank 0 (line 74, default) waited 4.02 ms, 4.00 ms of them for
#> rank 3, the last to arrive
#>   spin on rank 3 (line 73) ran 4.00 ms of that
#> root: spin on rank 3 (line 73): its own duration
#>    without it everything ends at 1.54 ms instead of 5.52 ms (run again)
reset
tensor h[256k] = 1
tensor p[256k] host = 1
stream io
copy p -> h on io
spin 1ms
why spin@2
#> spin on rank 2 (line 87, default) waited 7.98 ms, 7.94 ms of them while its host
#> was held in copy on rank 2 (line 86)
#> root: `copy` holds the host of ranks 0-3 (line 86)
#>    without it everything ends at 7.96 ms instead of 8.98 ms (run again)
reset
tensor g[64k] = rank
@0-2 allreduce g
why g@1
#> allreduce g on rank 1 (line 95, default) has waited for 20 us, now for rank 3,
#> which has no line for it yet
#> root: a missing line on rank 3
expect error "no rank 7" { why g@7 }
if 1 { why g@0 }
#> allreduce g on rank 0 (line 95, default) has waited for 20 us, now for rank 3,
#> which has no line for it yet
#> root: a missing line on rank 3
abort world

## nothing to take away: ranks that wait for each other, and one that is gone
reset
stream a
tensor x[64k] y[64k] = 1
group pair 0-1
@0 allreduce x on a
@0-1 allreduce y in pair on a
@1-3 allreduce x on a
why x@2
#> allreduce x on rank 2 (line 114, a) has waited for 40 us, now for rank 1, which
#> has not reached it
#>   allreduce y on rank 1 (line 113) waits for rank 0, which has not reached it
#>     allreduce x on rank 0 (line 112) waits for rank 1, which has not reached it
#>       allreduce y on rank 1 (line 113) waits for an operation above: they wait
#>       for each other (`stuck` shows the circle)
#> root: ranks wait for each other, as in allreduce y on rank 1 (line 113)
#>    ranks 0 and 1 queue collectives of world and pair in opposite orders: NCCL can hang
abort world
reset
tensor x[64k] = 1
@3 crash
@0-2 allreduce x
why x@0
#> allreduce x on rank 0 (line 128, default) has waited for 20 us, now for rank 3,
#> which has crashed
#> root: the crash of rank 3
abort world
