# at: all ranks at one instant, and memory as it was then
# ranks 4
# sim: on a GPU memory is known as it is now only

tensor x[4] y[4] = rank
fill x 1
spin 1ms
x = add x x
@2 slow 3x
spin 1ms
allreduce x
spin 1ms
y = add x x
tensor w[4] = 7
sync
at 1.5ms
#>    ranks  lane     at 1.50 ms
#>    0,1,3  host     in `sync`, for 1.36 ms
#>           default  spin: 460 us of 1.00 ms, 46%
#>    2      host     in `sync`, for 1.36 ms
#>           default  spin: 460 us of 3.00 ms, 15%
peek x y
#>    at 1.50 ms:
#> [0-3] x = 2 2 2 2
#> [0] y = 0 0 0 0
#> [1] y = 1 1 1 1
#> [2] y = 2 2 2 2
#> [3] y = 3 3 3 3
at 2.5ms
#>    ranks  lane     at 2.50 ms
#>    0,1,3  host     in `sync`, for 2.36 ms
#>           default  allreduce x waits for allreduce x of rank 2, for 460 us
#>    2      host     in `sync`, for 2.36 ms
#>           default  spin: 1.46 ms of 3.00 ms, 49%
peek x w
#>    at 2.50 ms:
#> [0-3] x = 2 2 2 2
#> [0-3] w = 7 7 7 7
at 5us
#>    ranks  lane     at 5 us
#>    0-3    host     issues fill x
#>           default  fill x is not issued yet, for 5 us
peek x w
#>    at 5 us:
#> [0] x = 0 0 0 0
#> [1] x = 1 1 1 1
#> [2] x = 2 2 2 2
#> [3] x = 3 3 3 3
#> [0-3] w: nothing had been written to it
at 4.9ms
#>    ranks  lane     at 4.90 ms
#>    0,1,3  host     in `sync`, for 4.76 ms
#>           default  spin: 820 us of 1.00 ms, 82%
#>    2      host     in `sync`, for 4.76 ms
#>           default  spin: 820 us of 3.00 ms, 27%
at 3.001ms
peek x
#>    ranks  lane     at 3.00 ms
#>    0,1,3  host     in `sync`, for 2.86 ms
#>           default  allreduce x waits for allreduce x of rank 2, for 961 us
#>    2      host     in `sync`, for 2.86 ms
#>           default  spin: 1.96 ms of 3.00 ms, 65%
#>    at 3.00 ms:
#> [0-3] x = 2 2 2 2
at 20ms
#>    ranks  lane  at 20.00 ms
#>    0-3    host  has nothing to do
#>    everything ends before, at 7.08 ms
peek x y
#>    at 20.00 ms:
#> [0-3] x = 8 8 8 8
#> [0-3] y = 16 16 16 16
at off
peek y
#> [0-3] y = 16 16 16 16

## the books go on: now again
at 1.5ms
#>    ranks  lane     at 1.50 ms
#>    0,1,3  host     in `sync`, for 1.36 ms
#>           default  spin: 460 us of 1.00 ms, 46%
#>    2      host     in `sync`, for 1.36 ms
#>           default  spin: 460 us of 3.00 ms, 15%
spin 1ms
peek y
#> [0-3] y = 16 16 16 16
expect error "at wants a virtual time: at 3.2ms" { at 3 }
## in a block there is the table alone
if 1 { at 4us }
#>    ranks  lane     at 4 us
#>    0-3    host     issues fill x
#>           default  fill x is not issued yet, for 4 us

## data that steered the lines then, steers them now
tensor a[4] = 2
let twice = 2*a[1]
if twice == 4 { fill a 5 } else { fill a 6 }
sync
at 100ms
peek a
#>    ranks  lane  at 100.00 ms
#>    0-3    host  has nothing to do
#>    everything ends before, at 10.14 ms
#>    at 100.00 ms:
#> [0-3] a = 5 5 5 5
