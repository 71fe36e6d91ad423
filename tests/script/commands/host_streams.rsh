# streams of the host (kind=host) work beside the GPU; a GPU that waits for one waits for data
# ranks 2
stream load0 load1 kind=host
stream compute comm
tensor f[256,256] disk = randn seed=1
tensor h[256,256] pinned
tensor x[256,256] y[256,256] = randn
set launch=0 disk_latency=0 copy_latency=0
# a read at a rate of its own, 1 ms, and 3 ms of a core: `slow` is of the device, and stretches none of it
slow 2x
copy f -> h on load0 rate=256MB/s
spin 3ms on load0
spin 1ms on load1
wait load0 on compute
copy h -> x on compute
sync
expect abs(busy(load0)*time-4.024ms) < 2ns and busy(load1)*time == 1ms
expect x[3,4] == f[3,4]
# the copy up takes 0.98 ms; of the GPU's streams compute alone has run
expect abs(stall(data)*time-4.024ms) < 2ns and stall(event) == 0
stalls
#> time by cause, in ms of 5.00 ms
#>    ranks  lane          work       sync       data       done
#>    0,1    host                5.00 100%
#>           load0    4.02  80%                        0.98  20%
#>           load1    1.00  20%                        4.00  80%
#>           compute  0.98  20%             4.02  80%
#> largest
#>    3.00 ms  data  0,1 compute  waited for spin on load0
#>    1.02 ms  data  0,1 compute  waited for copy f on load0
#>    5.00 ms  sync  0,1 host     waited for copy x on compute
# a thread of the host hides no communication, shares no multiprocessors, and waits for the device as for any event
mark beside
allreduce x on comm
spin 2ms on load0
wait comm on load1;  spin 1ms on load1
sync
expect exposed == exposed(comm) and abs(exposed-busy(comm)*time) < 2ns and stall(data) == 0
timeline beside
#>    ms                        5.5             6.0              6.5
#>    0,1 host  ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|
#>        load0 ██████████████████████████████ spin ██████████████████████████████|
#>        load1 eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee██████████████ spin █████████████▎|
#>        comm  ██████████ allreduce x █████████▎                                 |
#>    s waited 2.00 ms in `sync`, e waited for comm, now 7.00 ms
streams
#> [0,1] default    0 queued so far
#>       load0      3 queued so far, of the host
#>       load1      3 queued so far, of the host
#>       compute    2 queued so far
#>       comm       1 queued so far
# kernels of host tensors run there too
tensor w[1024] dw[1024] pinned = 1
sgd w dw lr=0.5 on load0
sync
expect w[0] == 0.5 and races == 0
# ordinary memory too: a thread's own copies block the thread, not the rank's host, which may write what is still being saved
mark saves
tensor m[256,256] dm[256,256] host = 1
tensor kept[256,256] disk = 0
copy m -> kept on load0
sgd m dm lr=0.5
#>    race: `copy` on load0 reads m while `sgd` on default writes it.
#>    `wait load0 on default` between the two puts them in order.             [0,1]
tensor into[256,256] host
copy f -> into on load1
copy into -> h on load1
m = relu into on load1
#>    race: `sgd` on default writes m while `relu` on load1 writes it.
#>    `wait default on load1` between the two puts them in order.             [0,1]
expect hostwait(saves) == 0
sync
mark staged                     # between the GPU and ordinary memory the rank's host waits
copy m -> x
copy x -> m
expect hostwait > 0

expect error "fill: f is on the disk: copy f -> a pinned tensor first" { fill f 7 on load0 }
expect error "sgd: f is on the disk" { sgd h f lr=0.5 on load0 }
expect error "is on the disk" { f[0:2] = relu h[0:2] on load0 }
expect error "scale: f is on the disk" { r = scale f 2 on load0 }
expect error "copy: load0 is a thread of the host (kind=host), and x is on the device" { copy h -> x on load0 }
expect error "matmul: load0 is a thread of the host (kind=host), and x is on the device" { z = matmul x x on load0 }
expect error "relu: load0 is a thread of the host (kind=host), and r would be made on the device" { r = relu h on load0 }
expect error "randn: load0 is a thread of the host" { r = randn [4] on load0 }
expect error "allreduce: load0 is a thread of the host (kind=host), which cannot exchange data between GPUs: use a stream of the GPU" { allreduce x on load0 }
expect error "load0 is a thread of the host" { allreduce x unroll on load0 }
expect error "send: load0 is a thread of the host" { @0 send x to=1 on load0 }
expect error "window: load0 is a thread of the host" { on load0 { window x } }
expect error "print: load0 is a thread of the host (kind=host), which does no work of the GPU" { on load0 { print x } }
on load0 { print w[0] }
#> [0,1] w[0] = 0.5
expect error "a graph holds device work only" { capture step { spin 1ms on load0 } }
expect error "kind=host makes a host thread, and priority=high is only for GPU streams" { stream a kind=host priority=high }
expect error "and blocking is only for GPU streams" { stream a blocking kind=host }
expect error "kind=" { stream a kind=hots }
expect error "copy: rate= is bytes a second, from 1B/s on" { copy f -> h rate=-1GB/s }
