# memory over time, 256 kB each: y and z go at 2.07 ms, seen done by the host; then u, v of 64 kB
machine classroom
mark first
tensor x[256,256] w[256,256] = randn
y = matmul x w
z = relu y
sync
free z
free y
spin 2ms
sync
expect peak(first) == 1MB and peak(buffer,first) == 1MB
mark second
tensor u[128,128] = randn
v = relu u
sync
expect peak(second) == 640kB and peak(optimizer,second) == 0
mem over
#> device memory from 0 to 4.10 ms, by the host's allocations and frees
#>        ms          0          1           2           3          4
#>        0-3 host    lsssssssssssssssssssssssssssssssssssssssssssssss|
#>            default ███████ matmul y ████████▐███████ spin █████████|
#>        s waited 4.02 ms in `sync`, l launch, now 4.10 ms
#> ranks 0-3: at most 1 MB, at 20 us (^), reserved 2.75 MB of 256 MB
#>    all             █████████████████████████                         1 MB
#>                    █████████████████████████▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▇
#>                    ████████████████████████████████████████████████
#>                    ^
#>    buffers         █████████████████████████▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▅  1 MB
mem over second
#> device memory from 4.07 ms to 4.10 ms, by the host's allocations and frees
#>        ms                4.075    4.080   4.085    4.090   4.095
#>        0-3 host    lllllllllllllllllllllllllllllllllllsssssssssssss|
#>            default lllllllllllllllllllllllllllllllllll██ relu v ███|
#>        l launch, s waited 7.81 us in `sync`, now 4.0991 ms
#> ranks 0-3: at most 640 kB, at 4.07 ms (^), reserved 2.75 MB of 256 MB
#>    all             ████████████████████████████████████████████████  640 kB
#>                    ████████████████████████████████████████████████
#>                    ████████████████████████████████████████████████
#>                    ^
#>    buffers         ████████████████████████████████████████████████  640 kB
