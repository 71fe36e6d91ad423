# whatif: the lines since the world was empty run again in a new world, with a change
# ranks 4
# sim: on a GPU each answer begins with what was measured

## without a change: the same times, whatever data had to say
stream io
let n = 3
tensor x[64] = rank
spin 2ms on io
wait io on default
repeat n { spin 1ms }
let first = x[0]
if first == 2 { host 5ms }
sync
whatif
#>    run again: 41 operations, each at the same time to the nanosecond

## with one: time is the largest of the ranks
whatif launch=2x
#>    time 10.04 -> 10.06 ms   its end would depend on kernels next: 50%
whatif launch=40us
#>    time 10.04 -> 10.06 ms   its end would depend on kernels next: 50%
@0 whatif slow 3x
#>    time 10.04 -> 15.04 ms   its end would depend on kernels next: 100%
whatif without "wait io on default"
#>    time 10.04 -> 8.06 ms   its end would depend on the host next: 62%
#>    `wait io on default` left out 1 time
whatif without "spin   1ms" launch=0ns
#>    time 10.04 -> 7.02 ms   its end would depend on the host next: 71%
#>    `spin 1ms` left out 3 times

## what it does not know
expect error "no number 'lunch'; did you mean 'launch'?" { whatif lunch=2x }
expect error "launch is a time, such as 20us" { whatif launch=3GB/s }
expect error "machine=NAME" { whatif machine=3 }
expect error "did you mean 'dgx-h100'?" { whatif machine=dgx-h10 }
expect error "slow: the factor must be from 0.01x to 1000x" { @1 whatif slow 0 }
expect error "outside of blocks, defs and programs" { whatif launch=2x }
whatif bucket=1M
#> tests/script/whatif.rsh:39: `whatif bucket=1M`: bucket= is not a number of the machine (`machine` lists them), and no `strategy` line since the world was empty has an option of that name
whatif without "spin 7ms"
#> tests/script/whatif.rsh:41: `whatif without "spin 7ms"`: no line `spin 7ms` has run in this section; did you mean `spin 1ms`?

## a change holds from the section's first line on, beside what its lines set
reset
set launch=10us
repeat 10 { spin 0ms }
sync
mark two
set launch=30us
repeat 10 { spin 0ms }
sync
@2 slow 3x
spin 1ms
sync
whatif launch=2x
#>    time 3.33 -> 3.66 ms   its end would depend on kernels next: 82%
whatif launch=2us
#>    time 3.33 -> 3.02 ms   its end would depend on kernels next: 99%
@2 whatif slow 1x
#>    time 3.33 -> 1.33 ms   its end would depend on kernels next: 75%

## a strategy: its options, the model's, the machine
@2 slow 1x
model mlp layers=4 hidden=64 batch=32 lr=0.06   # no loss is within 16 roundings of where its printed digits change
set launch=1us
strategy ddp bucket=64k
run 3
#>    mlp: 16384 parameters; `strategy ddp` trains it
#>    ddp: 3 setup steps, then 12 per iteration, for mlp
#>    Enter or `step` runs one step, `run 20` runs 20 iterations; `program` lists the steps, `strategy ddp help` shows the costs
#>    iteration 1   loss 1.81236   finished at 0.53 ms   60099 samples/s
#>    iteration 2   loss 1.72701   finished at 1.07 ms   60099 samples/s
#>    iteration 3   loss 1.7259   finished at 1.60 ms   60099 samples/s
whatif
#>    run again: 380 operations, each at the same time to the nanosecond
whatif bucket=8k
#>    iteration 532.46 -> 679.13 us   exposed 420.00 -> 558.33 us   its end would depend on communication next: 88%
whatif batch=64
#>    iteration 532.46 -> 593.18 us   exposed 420.00 -> 420.00 us   its end would depend on communication next: 71%
whatif link_rate=2x launch=5us
#>    iteration 532.46 -> 352.46 us   exposed 420.00 -> 240.00 us   its end would depend on communication next: 68%
whatif machine=dgx-h100
#>    iteration 532.46 -> 136.50 us   exposed 420.00 -> 10.90 us   its end would depend on launches next: 100%
@2 slow 2x
mark three
run 2
#>    iteration 4   loss 1.48112   finished at 2.19 ms   58528 samples/s
#>    iteration 5   loss 1.32707   finished at 2.78 ms   57625 samples/s
@2 whatif slow 1x
#>    iteration 589.60 -> 532.46 us   exposed 420.00 -> 420.00 us   its end would depend on communication next: 79%
whatif without "wait compute on comm"
#>    iteration 589.60 -> 414.14 us   exposed 420.00 -> 332.53 us   its end would depend on communication next: 97%
#>    `wait compute on comm` left out 2 times
#>    without that order there are races:
#>    race: `matmul` on compute writes dw4 while `allreduce` on comm writes
#>    bucket1. `wait compute on comm` between the two puts them in order.     [0-3]
#>    race: `matmul` on compute writes dw3 while `allreduce` on comm writes
#>    bucket1. `wait compute on comm` between the two puts them in order.     [0-3]
#>    race: `matmul` on compute writes dw2 while `allreduce` on comm writes
#>    bucket1. `wait compute on comm` between the two puts them in order.     [0-3]
#>    race: `matmul` on compute writes dw1 while `allreduce` on comm writes
#>    bucket1. `wait compute on comm` between the two puts them in order.     [0-3]

## each of several values
reset
@2 slow 1x
set launch=1us
model mlp layers=4 hidden=64 batch=16 lr=0.06
strategy ddp
run 2
sweep bucket=4k:16k:x2
#>    mlp: 16384 parameters; `strategy ddp` trains it
#>    ddp: 3 setup steps, then 12 per iteration, for mlp
#>    Enter or `step` runs one step, `run 20` runs 20 iterations; `program` lists the steps, `strategy ddp help` shows the costs
#>    iteration 1   loss 1.79135   finished at 0.50 ms   31866 samples/s
#>    iteration 2   loss 1.63964   finished at 1.01 ms   31866 samples/s
#>    bucket  iteration  exposed      peak
#>    4k         661 us   574 us  135.5 kB  ########################
#>    8k         661 us   574 us  135.5 kB  ########################
#>    16k        661 us   574 us  135.5 kB  ########################
sweep batch=8,16,24
#>    batch  iteration  exposed      peak
#>    8         488 us   420 us    132 kB  #######################  <- the least
#>    16        502 us   420 us  135.5 kB  #######################
#>    24        517 us   420 us    139 kB  ########################
## a value with which a line is refused has a row, and the reason stands below, once
sweep batch=2,4,16
#>    batch  iteration  exposed      peak
#>    2              -        -         -
#>    4         485 us   420 us    132 kB  #######################  <- the least
#>    16        502 us   420 us  135.5 kB  ########################
#>    2: run again: tests/script/whatif.rsh:110:
#>    strategies/parts/micro_batches.rsh:16: batch=2 in 4 parts leaves some without
#>    a row; use at least batch=4
sweep link_rate=1GB/s,10GB/s
#>    link_rate  iteration  exposed      peak
#>    1 GB/s        240 us   158 us  135.5 kB  ########################
#>    10 GB/s       135 us  53.1 us  135.5 kB  #############  <- the least
sweep bukket=1:3:1
#> tests/script/whatif.rsh:140: bukket= is not a number of the machine (`machine` lists them), and no `strategy` line since the world was empty has an option of that name; did you mean 'bucket'?
expect error "sweep: 'bucket=4k:16k:x1': values were expected" { sweep bucket=4k:16k:x1 }
expect error "sweep: 'bucket=4k:16': values" { sweep bucket=4k:16 }
expect error "launch is a time" { sweep launch=1:3:1 }
expect error "sweep: at most 64 values" { sweep bucket=1:1k:1 }
expect error "whatif needs KEY=VALUE" { whatif 1e30 }
expect error "compare: run=: how many iterations, 1 to 1000" { compare ddp / zero run=1e30 }

## a replay that gets stuck says who waits, since nobody does in the session
reset
tensor x[1k] = rank
@0 send x to=1
@1 recv x from=0
sync
whatif without "@0 send x to=1"
#> tests/script/whatif.rsh:155: `whatif without "@0 send x to=1"`: run again it gets stuck: rank 1 waits for a line on rank 0
whatif without "send x to=1"
#> tests/script/whatif.rsh:157: `whatif without "send x to=1"`: no line `send x to=1` has run in this section; did you mean `@0 send x to=1`?

## what verify compares is read in the rerun too: later lines come behind it there as they did here
reset
model mlp layers=2 hidden=16 batch=4
strategy serial
expect verify
barrier
whatif
#>    mlp: 512 parameters; `strategy ddp` trains it
#>    serial: 2 setup steps, then 8 per iteration, for mlp
#>    Enter or `step` runs one step, `run 20` runs 20 iterations; `program` lists the steps, `strategy serial help` shows the costs
#>    run again: 27 operations, each at the same time to the nanosecond
