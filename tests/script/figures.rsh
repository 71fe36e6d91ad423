# figures relative to the machine, against values by hand: kernels and peaks, a job, host waits
# sim: exact parts of the peaks stand in its lines
machine classroom
mark alone
# ones: sums are exact, so what is printed is the same on every processor
tensor x[256,256] w[256,256] = ones
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
#> kernels and the machine's limits
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
expect exposed(collectives) == exposed and exposed(collectives,hidden) == exposed(hidden) and hostwait == 0ms and idle > 0.5
expect overlapped(collectives,hidden) == overlapped and exposed(copies,hidden) == 0ms and exposed(copies,shared) == 0ms
expect error "no stream, group of that name, nor communication, collectives, transfers, copies" { expect exposed(kernels,hidden) > 0ms }
expect error "no section 'nowhere'" { expect exposed(copies,nowhere) > 0ms }

# what the host waits for between its launches: not before the first and not behind the last, nor for memory that it gets
mark apart
sync
y = matmul x w
y = matmul x w
sync; print y[0,0]
#> [0-3] y[0,0] = 256
barrier
expect hostwait == 0ms and hostwait(alone) == 0ms
mark printed
y = matmul x w
print y[0,0]
#> [0-3] y[0,0] = 256
y = matmul x w
expect hostwait > 2ms and hostwait < 2.1ms
sync
mark stands
tensor slow_h[64k] host = 0
tensor onto[64k] = 0
y = matmul x w
barrier
copy slow_h -> onto
host 1ms
let seen = y[0,0]
sync
y = matmul x w
expect hostwait > 4ms and hostwait < 4.1ms       # the barrier 2 ms, the pageable copy 2 ms; `host` is work
sync
# a thread of the host hides nothing of the device, and what it does is no launch; a spin is a kernel
mark threads
stream thread kind=host
tensor file[1M] disk
tensor f[1M] pinned = 0
copy f -> file on thread
spin 1ms on thread
wait io on thread
allreduce g on io
sync
copy f -> file on thread
expect overlapped == 0 and exposed > 0.4ms and exposed(copies) == 0ms and exposed(thread) > 1ms and hostwait == 0ms
mark spins
spin 2ms on compute
allreduce g on io
sync
expect overlapped == 1 and exposed == 0ms and overlap(io,compute) == 1

# bytes against the formula: a ring sends the least, 2(n-1)/n of the message in 2(n-1) sends; within a tree a rank sends more, at its
# ends less. A reduce's root sends nothing. The table has the rank that sends most
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
#>    0        1.375 MB
#>    1,2      1.875 MB
#>    3        1.625 MB
#> by collectives
#>    what       in     times    size    sent  formula     off  sends       by
#>    allreduce  world      2  512 kB  896 kB   768 kB  x 1.17         several
#>    allgather  world      1    1 MB  768 kB   768 kB              3     ring
#>    reduce     world      1  256 kB  256 kB   256 kB                    tree
#>    allreduce in world: ring 256 kB, tree 256 kB
mark sizes
for k in 4 8 64k 16k { allreduce g[0:k];  reduce g[0:k] algo=tree }
sync
traffic sizes
#>    ranks  nvlink out
#>    0          480 kB
#>    1-3      800.1 kB
#> by collectives
#>    what       in     times    size      sent   formula  off  sends       by
#>    allreduce  world      4  320 kB  480.1 kB  480.1 kB              several
#>    reduce     world      4  320 kB    320 kB    320 kB                 tree
#>    allreduce in world: ring 64 kB to 256 kB, tree 16 B to 32 B

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
group halves 0-1 2-3
group everyone by 0
tensor away[64k] home[64k] pinned = 0
mark everywhere
allreduce p in halves algo=ring
allreduce q in everyone algo=ring
copy home -> away
sync
expect sent(world) == sent(p) + sent(q) and sent(world) == sent - sent(away) and sent(halves) == sent(p)

# operations by stream and by tensor: slices, views and all that is read or written
mark counted
tensor c[64] d[64] = rank
half = c[0:32]
allreduce c on io
allreduce c[32:64] on io
wait io on compute
allreduce half on compute
allreduce d on compute
e = add c d on compute
expect count(allreduce) == 4 and count(allreduce,io) == 2 and count(allreduce,compute) == 2 and count(allreduce,c) == 3
expect count(allreduce,half) == 1 and count(allreduce,d) == 1 and count(add,d) == 1 and count(add,e) == 1 and count(add,p) == 0
expect count(allreduce,counted) == 4 and count(allreduce,c,counted) == 3 and count(allreduce,io,by) == 1 and count(allreduce,c,by) == 0
expect error "count(add,nix): no stream, tensor or section of that name" { expect count(add,nix) == 0 }
expect error "count(add,counted): no stream or tensor of that name" { expect count(add,counted,by) == 0 }

# a section's own peak, with the memory that it began with; the kinds of that moment
mark big
tensor wide[1M] = 0
free wide
expect peak >= 4MB and peak(buffer) >= 4MB
mark small
expect peak < 4MB and peak > 1MB and peak == peak(small) and peak(big) >= 4MB and peak(buffer) == peak(buffer,small)
tensor narrow[64k] kind=gradient = 0
expect peak(gradient) == 256kB and peak >= peak(big) - 4MB + 256kB

# tables of some ranks
sync
mark some
@1 spin 1ms
spin 10us
@1 stats
#> some
#>    ranks                         1
#>    time                    1.03 ms
#>    operations                    2
#>    busy default                98%
#>    idle compute streams         2%
#>    exposed communication         0
#>    stall launch                 2%
#>    peak memory            4.001 MB
@0 stalls
#> time by cause, in ms of 1.03 ms
#>    ranks  lane          work     launch       done
#>    0      host                0.02   2%  1.01  98%
#>           default  0.01   1%  0.02   2%  1.00  97%
#> largest
#>    20 us  launch  0 default  the host was issuing spin

# without a kernel no stream computes: idle is what no stream works in, and no line of `stats` says it of compute streams
barrier
mark alone_on_default
allreduce g on default
sync
expect abs(idle-(1-busy(default))) < 1e-6 and busy(default) > 0.5
stats
#> alone_on_default
#>    ranks                          0-3
#>    time                       1.52 ms
#>    operations                       1
#>    busy default                   99%
#>    exposed communication      1.50 ms
#>    communication overlapped        0%
#>    stall launch                    1%
#>    bytes nvlink out            384 kB
#>    peak memory               4.001 MB
mark copies_on_default
copy home -> away
sync
expect abs(idle-(1-busy(default))) < 1e-6 and busy(default) > 0.5
# beside a kernel the collective is work of the stream that computes
mark with_a_kernel
y = matmul x w on default
allreduce g on default
sync
expect abs(idle-(1-busy(default))) < 1e-6 and busy(default) > 0.5
# a kernel on host memory is none of the GPU's
mark on_the_host
sgd home home lr=1 on compute
sync
roofline on_the_host
#> kernels and the machine's limits
#>    no kernel has run

# a title alone names no operation: the suggestion is one that works
reset
tensor titled[4] = ones
allreduce titled
expect error "no operation 'allreduce' on rank 0; did you mean 'allreduce#1'?" { print busbw(allreduce) }
