# timeline: a section, the last iteration, a time window, some ranks and streams; refusals
# ranks 4
# sim: ranks whose times differ stand apart
sync; timeline
#>    nothing has run or is queued here: it is now 0
timeline critical
#>    nothing has run or is queued here: it is now 0
stream io compute
tensor x[256,256] w[256,256] = randn
mark first
spin 2ms on io
wait io on compute; y = matmul x w on compute
sync
mark second
spin 1ms on compute
timeline second
#>    ms           ▼         4.2         4.4          4.6         4.8          5.0
#>    0-3 host    l│
#>        compute l░░░░░░░░░░░░░░░░░░░░░░░░░░░░ spin ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
#>    l launch, ░ queued, now 4.04 ms
timeline 1ms 3ms
#>    ms          1.0             1.5             2.0             2.5
#>    0-3 host    ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|
#>        io      █████████████ spin ██████████████                               |
#>        compute eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee██████████ matmul y ███████████|
#>    s waited 2.00 ms in `sync`, e waited for io, now 4.04 ms
@0,2 timeline compute first
#>    ms          0      0.5     1.0     1.5     2.0     2.5     3.0     3.5
#>    0,2 compute .eeeeeeeeeeeeeeeeeeeeeeeeeeeeeee███████████ matmul y ███████████|
#>    e waited for io, now 4.04 ms
@0,2 timeline compute io 1ms 1500us
#>    ms          1.0         1.1          1.2          1.3          1.4
#>    0,2 io      █████████████████████████████ spin █████████████████████████████|
#>        compute eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee|
#>    e waited for io, now 4.040 ms
timeline 7ms 8ms
#>    nothing has run or is queued here, from 7.00 ms to 8.00 ms: it is now 4.04 ms
sync
repeat 40 { spin 10us on compute; spin 10us on io }
sync; timeline all
#>    ms          0        1         2        3         4         5        6
#>    0-3 host    lsssssssssssssssssssssssssssssssssssssssssssssssllllllllllllllll|
#>        io      ██████ spin ███████sssssssssssssssssssssssssssss▎▎▎▎▎ x40 ▎▎▎▎▎▎|
#>        compute .eeeeeeeeeeeeeeeeee█████ matmul y █████▐ spin ███▎▎▎▎ x40 ▎▎▎▎▎▎|
#>    s host waited 4.97 ms in `sync`, l launch, s io host was in `sync`
#>    e waited for io, now 6.65 ms
expect error "the earlier time comes first" { timeline 3ms 2ms }
expect error "not a window" { timeline 3ms }
expect error "each is a window" { timeline last first }
expect error "third time" { timeline 1ms 2ms 3ms }
expect error "did you mean 'compute'" { timeline compte }
strategy pipeline schedule=1f1b
run 2
timeline last compute
#>    pipeline: 2 setup steps, then 9 per iteration, for mlp
#>    Enter or `step` runs one step, `run 20` runs 20 iterations; `program` lists the steps, `strategy pipeline help` shows the costs
#>    iteration 1   loss 2.02726   finished at 95.97 ms   10672 samples/s
#>    iteration 2   loss 1.14368   finished at 191.92 ms   10672 samples/s
#>    ms            80         100        120        140        160        180
#>    0 compute bb B2 bbb B3 3F0░F1░F2░░bbbbbbbbbbbbbbb B0 bbbbB1░bbbb B2 bbbbB3░2
#>    1 compute B2bb B3 ░2bbbbbbbF0F1░F2bbbbbbbbbb B0 ░F3░ B1 ░bb B2 ░bbb B3 ░2
#>    2 compute  B3 2bbbbbbbbbbbbbbF0░F1bbbbb B0 ░F2░ B1 ░F3 B2 ░bbb B3 ░2
#>    3 compute bbbbbbbbbbbbbbbbbbbbbb░░ B0 ░░F1 B1 ░░░  B2 ░░░ B3 ░2
#>    b rank 0 compute bubble: waited for rank 1, ░ queued, now 4.08 ms
#>    b rank 1 compute bubble: waited for rank 2
@2 timeline last compute grad_in
#>    ms            80         100        120        140        160        180
#>    2 compute  B3 2bbbbbbbbbbbbbbF0░F1bbbbb B0 ░F2░ B1 ░F3 B2 ░bbb B3 ░2
#>      grad_in bbbbbbbbbbbbbbbbbbbbbbbbbbbbb░bbbbbbb┊bbbbbb░bbbbbbb░
#>    b compute bubble: waited for rank 1, ░ queued, now 4.08 ms
#>    b grad_in bubble: waited for rank 3
expect error "needs a terminal" { replay all }
expect error "'1h' is not a time" { timeline 1h 2h }
expect error "the window is empty" { timeline 5ms 5ms }
expect error "third time" { timeline 0 1ms 2ms }
