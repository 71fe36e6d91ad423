# why: from a wait to its root, one of each kind
# sim: times stand in its sentences
tensor x[256,256] w[256,256] = randn seed=1
stream io compute comm
@2 slow 2x
y = matmul x w on compute
wait compute on comm
allreduce y on comm
wait comm on compute
z = relu y on compute
sync
why z@1
#> relu z on rank 1 (line 10, compute) waited 3.50 ms for allreduce y on rank 1
#> (line 8)
#>   allreduce y on rank 1 waited 2.00 ms of that for rank 2, the last to arrive
#>     allreduce y on rank 2 waited 2.00 ms of that for matmul y on rank 2 (line 6)
#>       matmul y on rank 2 (line 6) ran 2.00 ms of that: 4.00 ms alone, 2.00 ms
#>       without `slow 2x`
#> root: `@2 slow 2x` (line 5)
#>    without it everything ends at 3.55 ms instead of 5.58 ms (run again)
@1 why compute
#> relu z on rank 1 (line 10, compute) waited 3.50 ms for allreduce y on rank 1
#> (line 8)
#>   allreduce y on rank 1 waited 2.00 ms of that for rank 2, the last to arrive
#>     allreduce y on rank 2 waited 2.00 ms of that for matmul y on rank 2 (line 6)
#>       matmul y on rank 2 (line 6) ran 2.00 ms of that: 4.00 ms alone, 2.00 ms
#>       without `slow 2x`
#> root: `@2 slow 2x` (line 5)
#>    without it everything ends at 3.55 ms instead of 5.58 ms (run again)
@2 slow 1x

# host work
reset
stream io compute
spin 1ms on io
host 3ms
spin 1ms on io
sync
why
#> spin on rank 0 (line 37, io) waited 2.02 ms, 2.00 ms of them while its host ran
#> host on rank 0 (line 36)
#> root: the host of ranks 0-3 computes (line 36)
#>    without it everything ends at 2.02 ms instead of 4.04 ms (run again)

# held in a print
reset
tensor x[256,256] = ones
stream io compute
spin 2ms on io
sync io
spin 1ms on compute
sync
why spin#2@0
#> spin on rank 0 (line 51, compute) waited 2.04 ms, 2.00 ms of them while its host
#> was held in sync on rank 0 (line 50)
#> root: `sync` holds the host of ranks 0-3 (line 50)
#>    without it everything ends at 2.02 ms instead of 3.04 ms (run again)
why sync#2@0
#> sync on rank 0 (line 52, host) held its host for 1.00 ms, for spin on rank 0
#> (line 51)
#>   spin on rank 0 (line 51) ran 1.00 ms of that
#> root: spin on ranks 0-3 (line 51): its own duration
#>    without it everything ends at 2.04 ms instead of 3.04 ms (run again)

# the host's launches
reset
stream io compute
repeat 30 { spin 1us on io }
spin 1ms on compute
sync
@3 why compute
#> spin on rank 3 (line 69, compute) waited 620 us while its host was launching 31
#> operations
#> root: the launch of 31 operations on ranks 0-3, 620 us
#>    without it everything ends at 1.00 ms instead of 1.62 ms (run again)

# a copy engine; work that takes its time
reset
tensor x[256,256] w[256,256]
tensor h[256,256] pinned = ones
stream io compute
copy h -> x on io
copy h -> w on compute
sync
why w@0
#> copy w on rank 0 (line 83, compute) waited 1.02 ms, 980 us of them for the copy
#> engine, busy with copy x on rank 0 (line 82)
#>   copy x on rank 0 (line 82) ran 980 us of that
#> root: copy x on ranks 0-3 (line 82): its own duration
#>    without it everything ends at 1.04 ms instead of 2.02 ms (run again)

# shared with others
reset
stream io compute comm
tensor x[256,256] w[256,256] = ones
a = matmul x w on io
b = matmul x w on compute
wait compute on comm
c = relu b on comm
sync
why c@0
#> relu c on rank 0 (line 99, comm) waited 4.02 ms, 3.94 ms of them for matmul b on
#> rank 0 (line 97)
#>   matmul b on rank 0 (line 97) ran 3.94 ms of that: 3.98 ms in all, 2.00 ms
#>   alone; it shared a resource with matmul a on rank 0 (line 96)
#> root: matmul b on rank 0 (line 97), which shares a resource
#>    without it everything ends when it does now (run again): something else sets the end; `critical` shows what

# longer than elsewhere, on two ranks alike
reset
tensor y[256,256] = ones
spin (rank<2)*4ms+1ms
allreduce y
sync
why y
#> allreduce y on rank 2 (line 113, default) waited 4.00 ms for rank 1, the last to
#> arrive
#>   spin on rank 1 (line 112) ran 4.00 ms of that: 5.00 ms in all; on other ranks
#>   this line takes 1.00 ms
#> root: spin on rank 1 (line 112) takes 5.00 ms, elsewhere 1.00 ms, and
#>       spin on rank 0 (line 112) takes 5.00 ms, elsewhere 1.00 ms
#>    without them everything ends at 2.52 ms instead of 6.52 ms (run again)
why spin@1
#> spin on rank 1 (line 112, default) waited 20 us while its host was launching
#> spin on rank 1 (line 112)
#> root: the launch of spin on ranks 0,1 (line 112)
#>    without it everything ends at 6.50 ms instead of 6.52 ms (run again)
why spin@3
#> spin on rank 3 (line 112, default) waited 20 us while its host was launching
#> spin on rank 3 (line 112)
#> root: the launch of spin on ranks 2,3 (line 112)
#>    without it everything ends when it does now (run again): something else sets the end; `critical` shows what

# memory
reset
set segment=1ms
stream io
spin 10us on io
tensor a[16M] = zeros
b = relu a
sync
why b
#> relu b on rank 0 (line 140, default) waited 1.04 ms, 1.00 ms of them while its
#> host got memory: memory on rank 0 (line 140)
#> root: the host of ranks 0-3 gets memory (line 140)
#>    without it everything ends at 8.04 ms instead of 9.04 ms (run again)

# what is asked: several of a name, a time, nothing
reset
why
#> nothing has run yet
stats
#> nothing has run yet
whatif launch=2x
#> nothing has run yet
sweep launch=1us,2us
#> nothing has run yet
at 1ms
#>    ranks  lane  at 1.00 ms
#>    0-3    host  idle
#>    nothing has run yet
at off
stream io
repeat 2 { spin 1ms on io }
why spin
#> spin is 2 operations on rank 0: say which
#>    why spin#1@0            spin   line 164
#>    why spin#2@0            spin   line 164
@1 why 1.5ms
#> host had no more work
#> io ran spin on rank 1 (line 164)
why 1s
#> why 1s: everything ends before, at 2.02 ms
why 1e30s
#> why 1e30s: everything ends before, at 2.02 ms
expect error "no operation" { why nope }
expect error "no rank 9" { why spin#1@9 }
sync
why io
#> spin on rank 0 (line 164, io) waited 20 us while its host was launching spin on
#> rank 0 (line 164)
#> root: the launch of spin on ranks 0-3 (line 164)
#>    without it everything ends at 2.00 ms instead of 2.02 ms (run again)
# a line that is missing
tensor z[64] = ones
@0-2 allreduce z
why z@0
#> allreduce z on rank 0 (line 186, default) has waited for 2.04 ms, now for rank
#> 3, which has no line for it yet
#> root: a missing line on rank 3
@3 allreduce z
sync
expect error "`@2 why` explains that rank, `why 2ms` that time" { why 2 }

## ranks that wait for ever
reset
tensor x[1k] = rank
allreduce x
@0 send x to=1
allreduce x
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
#> send x on rank 0 (line 199, default) waits for rank 1, which has no line for it
#> yet
#> root: a missing line on rank 1
why 1s
#> host had no more work
#> default waited (peer), before send x on rank 0 (line 199)
#> send x on rank 0 (line 199, default) waits for rank 1, which has no line for it
#> yet
#> root: a missing line on rank 1
at 1s
#>    ranks  lane     at 1.00 s
#>    0      host     idle
#>           default  send x waits for a missing line on rank 1, for 999.91 ms
#>    1-3    host     idle
#>           default  allreduce x waits for allreduce x of rank 0, for 999.91 ms
#>    a forecast: a line typed now begins at 40 us, and may change this
critical
#> critical path, from the beginning: 90 us, without work that hangs (see `stuck`)
#>     from  takes
#>        0  20 us  launch         allreduce x on rank 0 (line 198)
#>    20 us  70 us  communication  allreduce x on rank 0 (line 198)
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
#> broadcast x on rank 3 (line 244, default) has waited for 20 us, now forever:
#> rank 0 brings allreduce x (`stuck` shows the mismatch)
#> in world: ranks 0,1 call allreduce x (line 243), ranks 2,3 call broadcast x
#> (line 244)
#> root: broadcast x on rank 3 (line 244) does not match the other members
abort

## nothing has run: in plain words, once tensors are declared, and in a section of its own
reset
tensor x[64,64] w[64,64] = 1
why x
#> nothing has run yet
stats
#> nothing has run yet
stalls
#> nothing has run yet
whatif launch=2x
#> nothing has run yet
mark first
y = matmul x w
y = scale y 2
sync
mark second
stats
#> nothing has run yet in section 'second'
critical
#> nothing has run yet in section 'second'
sweep launch=1us,2us
#> nothing has run yet in section 'second'
mark third
diff second third
#> nothing has run in either

## what was written several times, and what is near to a name
repeat 3 { y = matmul x w }
why y@1
#> y was written 5 times, the last is shown; before: `why matmul#3` (136 us), `why
#> matmul#2` (104 us), `why scale#1` (53.2 us), and 1 more
#> matmul y on rank 1 (line 285, default) waited for nothing: it began at once, at
#> 136 us
#>   matmul y on rank 1 (line 285) ran 31.2 us
#> root: matmul y on ranks 0-3 (line 285): its own duration
#>    without it everything ends at 136 us instead of 167 us (run again)
expect error "did you mean 'matmul'" { why matmull }
stream copies
expect error "did you mean the stream 'copies'" { why copise }
expect error "did you mean 'scale#1'" { why scal#1 }
expect error "the last is matmul#4" { why matmul#9 }

## ranks that wait for ever in unlike operations are no one row; those that wait for unlike ranks are, and it is said
reset
tensor x[1k] = rank
@0-2 allreduce x
@3 recv x from=0
timeline
#>    ms          0             0.005         0.010         0.015         ▼
#>    0-2 host    llllllllllllllllllllllllllllllllllllllllllllllllllllllll│
#>        default ........................................................│ppppppp
#>    3   host    llllllllllllllllllllllllllllllllllllllllllllllllllllllll│
#>        default ........................................................│ppppppp
#>    l launch, p rank 0 default waited for rank 3, now 0.0200 ms
#>    p rank 3 default waited for rank 0
abort world
reset
tensor x[1k] = rank
@0 send x to=1
@1 send x to=2
@2 send x to=3
@3 send x to=0
timeline
#>    ms          0             0.005         0.010         0.015         ▼
#>    0-3 host    llllllllllllllllllllllllllllllllllllllllllllllllllllllll│
#>        default ........................................................│ppppppp
#>    l launch, p waited for other ranks (0 for 1), now 0.0200 ms
abort world

## behind the last kernel a rank waits as well: what it waits for there counts, not what then runs
reset
tensor x[64k] = rank
@2 slow 2x
spin 2ms
allreduce x
sync
why
#> allreduce x on rank 0 (line 332, default) waited 2.00 ms for rank 2, the last to
#> arrive
#>   spin on rank 2 (line 331) ran 2.00 ms of that: 4.00 ms alone, 2.00 ms without
#>   `slow 2x`
#> root: `@2 slow 2x` (line 330)
#>    without it everything ends at 3.52 ms instead of 5.52 ms (run again)
@2 slow 1x
