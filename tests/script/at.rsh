# at: all ranks at one instant, and the memory at that time
# ranks 4
# sim: on a GPU only the current memory is known

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
#>    0-3    host  idle
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
expect error "at needs a virtual time: at 3.2ms" { at 3 }
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
#>    0-3    host  idle
#>    everything ends before, at 10.14 ms
#>    at 100.00 ms:
#> [0-3] a = 5 5 5 5

## a time to come: the numbers are what they will be if nothing more is queued, and looking moves nothing
reset
@2 slow 1x
tensor b[256,256] = ones
repeat 3 { b = scale b 2 }
spin 3ms
at 2ms
#>    ranks  lane     at 2.00 ms
#>    0-3    host     idle
#>           default  spin: 1.89 ms of 3.00 ms, 63%
#>    a forecast: a line typed now begins at 80 us, and may change this
peek b[0,0] b[3,2:4]
#>    at 2.00 ms, a forecast:
#> [0-3] b[0,0] = 8
#> [0-3] b[3,2:4] = 8 8
at 70us
#>    ranks  lane     at 70 us
#>    0-3    host     issues spin
#>           default  scale b: 18.8 us of 31.2 us, 60%
peek b[0,0]
#>    at 70 us:
#> [0-3] b[0,0] = 2
expect time < 3.2ms
sync
at 2ms
#>    ranks  lane     at 2.00 ms
#>    0-3    host     in `sync`, for 1.92 ms
#>           default  spin: 1.89 ms of 3.00 ms, 63%
peek b[0,0]
#>    at 2.00 ms:
#> [0-3] b[0,0] = 8

reset
tensor v[256,256] w[256,256] = 0.5
y = matmul v w
tensor g[4] = rank
allreduce g
@0 allreduce w
at 5ms
#>    ranks  lane     at 5.00 ms
#>    0      host     idle
#>           default  allreduce w waits for a missing line on rank 1, for 2.94 ms
#>    1-3    host     idle
#>    a forecast: a line typed now begins at 40 us, and may change this
peek y[0,0] g w[0,0]
#>    at 5.00 ms, a forecast:
#> [0-3] y[0,0] = 64
#> [0-3] g = 6 6 6 6
#> [0-3] w[0,0] = 0.5
at 1ms
peek y[0,0]
#>    ranks  lane     at 1.00 ms
#>    0-3    host     idle
#>           default  matmul y: 980 us of 2.00 ms, 49%
#>    a forecast: a line typed now begins at 40 us, and may change this
#>    at 1.00 ms, a forecast:
#> [0-3] y[0,0]: nothing had been written to it
at off
peek y g
#> [0-3] y: nothing has been written to it yet
#> [0] g = 0 0 0 0
#> [1] g = 1 1 1 1
#> [2] g = 2 2 2 2
#> [3] g = 3 3 3 3
@1-3 allreduce w
sync
peek y[0,0]
#> [0-3] y[0,0] = 64

## memory that another tensor of the name had written, and a window, which another rank may have written
free y
y = relu v
peek y[0,0]
#> [0-3] y[0,0]: nothing has been written to it yet
sync
peek y[0,0]
#> [0-3] y[0,0] = 0.5
tensor e[4] one[4]
fill one 1
window e
@1 put one -> e@2
sync
barrier
@2 peek e
#> [2] e = 1 1 1 1
tensor none[4]
peek none
#> [0-3] none: nothing has been written to it yet
