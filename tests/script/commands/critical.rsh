# critical: the chain that determines the end, and by how much other work could grow
# ranks 4
# sim: times stand in it
critical
#> nothing has run yet
tensor x[256,256] w[256,256] = randn
stream io
@2 slow 2x
y = matmul x w
allreduce y
spin 1ms on io
z = relu y
sync
critical
#> critical path, from the beginning: 5.58 ms
#>       from    takes
#>          0    20 us  launch         matmul y on rank 2 (line 9)
#>      20 us  4.00 ms  compute        matmul y on rank 2 (line 9)
#>    4.02 ms  1.50 ms  communication  allreduce y on rank 2 (line 10)
#>    5.52 ms  62.5 us  compute        relu z on rank 2 (line 12)
#> by kind
#>    compute        4.06 ms  73%
#>    communication  1.50 ms  27%
#>    launch           20 us   0%
#>    longest of the rest      takes    slack
#>    matmul y on rank 0     2.00 ms  2.00 ms
#>    matmul y on rank 1     2.00 ms  2.00 ms
#>    spin on rank 2         2.00 ms  3.52 ms
#>    matmul y on rank 3     2.00 ms  2.00 ms
#>    allreduce y on rank 0  1.50 ms  31.2 us
timeline critical
#>    ms            0          1          2          3          4          5
#>    0,1,3 host                                                                  |
#>          default ────── matmul y ───────                     ─── allreduce ────|
#>          io      ─── spin ───                                                  |
#>    2     host    l                                                             |
#>          default █████████████████ matmul y ██████████████████▐ allreduce y ███|
#>          io      ──────── spin ─────────                                       |
#>    l launch, in full: the critical path, ─ other work, now 5.58 ms
mark two
repeat 30 { spin 10us }
@1 host 2ms
spin 1ms on io
sync
critical
#> critical path, of this section: 3.62 ms
#>       from    takes
#>    5.55 ms   600 us  launch   30 operations on rank 1
#>    6.15 ms  2.00 ms  host     host on rank 1 (line 42)
#>    8.15 ms    20 us  launch   spin on rank 1 (line 43)
#>    8.17 ms  1.00 ms  compute  spin on rank 1 (line 43)
#> by kind
#>    compute  1.00 ms  28%
#>    launch    620 us  17%
#>    host     2.00 ms  55%
#>    longest of the rest    takes    slack
#>    spin on rank 2       2.00 ms   969 us
#>    spin on rank 0       1.00 ms  2.00 ms
#>    spin on rank 3       1.00 ms  2.00 ms
#>    spin on rank 2         20 us  2.97 ms
#>    spin on rank 2         20 us  2.97 ms
critical two
#> critical path, of this section: 3.62 ms
#>       from    takes
#>    5.55 ms   600 us  launch   30 operations on rank 1
#>    6.15 ms  2.00 ms  host     host on rank 1 (line 42)
#>    8.15 ms    20 us  launch   spin on rank 1 (line 43)
#>    8.17 ms  1.00 ms  compute  spin on rank 1 (line 43)
#> by kind
#>    compute  1.00 ms  28%
#>    launch    620 us  17%
#>    host     2.00 ms  55%
#>    longest of the rest    takes    slack
#>    spin on rank 2       2.00 ms   969 us
#>    spin on rank 0       1.00 ms  2.00 ms
#>    spin on rank 3       1.00 ms  2.00 ms
#>    spin on rank 2         20 us  2.97 ms
#>    spin on rank 2         20 us  2.97 ms
expect error "no section 'twu'; did you mean 'two'?" { critical twu }

## what is not over yet is dimmed, on the path and beside it
reset
stream io
spin 1ms on io
@2 spin 2ms
timeline critical
#>    ms            ▼      0.5     1.0     1.5    2.0     2.5     3.0    3.5
#>    0,1,3 host    │
#>          io      ┄┄┄┄┄ spin ┄┄┄┄┄
#>    2     host    │
#>          default ┊░░░░░░░░░░░░░░░░░░░░░░░░░░░ spin ░░░░░░░░░░░░░░░░░░░░░░░░░░░░
#>          io      ┄┄┄┄┄┄┄┄┄┄┄┄ spin ┄┄┄┄┄┄┄┄┄┄┄┄┄
#>    ░ queued, l launch, in full: the critical path, ─ other work, now 0.04 ms

# equal times: by rank, and on a rank as they were queued, whoever is typed first
reset
stream io
@3 spin 9ms
@2 spin 2ms
@1 spin 1ms
@0 spin 1ms on io
@0 spin 1ms
sync
critical
#> critical path, from the beginning: 9.02 ms
#>     from    takes
#>        0    20 us  launch   spin on rank 3 (line 98)
#>    20 us  9.00 ms  compute  spin on rank 3 (line 98)
#> by kind
#>    compute  9.00 ms  100%
#>    launch     20 us    0%
#>    longest of the rest    takes    slack
#>    spin on rank 2       4.00 ms  5.00 ms
#>    spin on rank 0       1.00 ms  8.00 ms
#>    spin on rank 0       1.00 ms  7.98 ms
#>    spin on rank 1       1.00 ms  8.00 ms
# before anything has run, the path is the launch of what is queued
reset
timeline critical
#>    nothing has run or is queued here: it is now 0
@2 slow 1x
tensor early[64,64] = 1
after = relu early
timeline critical
#>    ms          0             0.005          0.010         0.015          ▼
#>    0   host    llllllllllllllllllllllllllllllllllllllllllllllllllllllllll│
#>        default                                                            relu
#>    1-3 host                                                              │
#>        default                                                           ┄┄┄┄┄┄
#>    l launch, ░ queued, in full: the critical path, ─ other work, now 0.0200 ms
