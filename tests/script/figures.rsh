# figures against the machine: what kernels reach of its peaks, what a job does, what its host waits for; by hand for the classroom
# sim: exact parts of the peaks stand in its lines
machine classroom
mark alone
tensor x[256,256] w[256,256] = randn
y = matmul x w
z = relu y
spin 1ms
sync
# 2*256^3 operations take 1.60 ms at the peak, and 80 % of that is reached
expect abs(flop_share(matmul) - 0.8) < 0.001 and abs(flop_share(matmul,alone) - 0.8) < 0.001
expect byte_share(relu) > 0.99 and byte_share(matmul) < 0.03
expect abs(mfu - 1.6ms/time) < 0.001 and hfu == mfu
expect idle < 0.01
expect error "no kernel 'matmal' has run on rank 0" { @0 expect flop_share(matmal) > 0 }
expect error "no section of that name" { expect overlapped(smoke) > 0 }
@0 roofline
#> kernels and what the machine could do
#>    ranks  kernel  type  times     time  peak  memory  bound by
#>    0      matmul  f32       1  2.00 ms   80%      2%     flops
#>           spin              1  1.00 ms
#>           relu    f32       1  31.2 us   10%    100%     bytes
#>    peaks: f32 20.97 GFLOP/s, f16 and bf16 41.94 GFLOP/s, memory 16.78 GB/s

mark recomputed
phase F0
y = matmul x w
phase R0
y = matmul x w
phase B0
y = matmul x w
phase O0
y = matmul x w
sync
expect abs(mfu - 3.2ms/time) < 0.001 and abs(hfu - 6.4ms/time) < 0.001

mark shared
phase off
stream io compute
a = matmul x w on io
b = matmul x w on compute
sync
expect abs(flop_share(matmul) - 0.4) < 0.01

mark hidden
tensor g[64k] = rank
wait compute on io
allreduce g on io
spin 0.5ms on compute
sync
expect overlapped > 0.3 and overlapped < 0.4 and overlapped(collectives) == overlapped and overlapped(transfers) == 0
expect exposed(collectives) == exposed and hostwait > 1ms and idle > 0.5

# bytes against the formula: a ring sends the least, 2(n-1)/n of the message in 2(n-1) sends; a tree more
mark bytes
wait io on default
wait compute on default
allreduce g algo=ring
all = allgather g algo=ring
reduce g root=0 algo=tree
allreduce g algo=tree
sync
traffic
#>    ranks  nvlink out
#>    0-3      2.125 MB
#> by collectives
#>    what       in     times    size    sent  formula     off  sends       by
#>    allreduce  world      2  512 kB  896 kB   768 kB  x 1.17         several
#>    allgather  world      1    1 MB  768 kB   768 kB              3     ring
#>    reduce     world      1  256 kB  512 kB   256 kB  x 2.00            tree

# memory over time: what a section begins with counts in its peak; freed blocks do not
mark some
let before = peak(bytes)
tensor u[256k] = 0
free u
mark less
tensor v[64k] = 0
expect peak(some) >= peak(less) + 512kB and peak(less) < peak(some)
expect peak(buffer,some) <= peak(some) and peak(parameter,some) == 0
expect error "no section 'nowhere'" { mem over nowhere }
expect error "over" { mem ovr }

mark by
tensor p[64k] q[64k] = rank
allreduce p on io algo=ring
allreduce q on compute algo=ring
allreduce q on compute algo=ring
sync
expect sent(p) == 384kB and sent(q) == 768kB and sent(io) == 384kB and sent(compute) == sent(q) and sent == sent(p) + sent(q)

# tables of some ranks
mark some
@1 spin 1ms
spin 10us
@1 stats
#> some
#>    ranks                        1
#>    time                   1.03 ms
#>    operations                   2
#>    busy default               98%
#>    idle compute streams        2%
#>    exposed communication        0
#>    stall launch                2%
@0 stalls
#> where the time went, in ms of 1.03 ms
#>    ranks  lane          work     launch       done
#>    0      host                0.02   2%  1.01  98%
#>           default  0.01   1%  0.02   2%  1.00  97%
#> largest
#>    20 us  launch  0 default  the host was issuing spin
