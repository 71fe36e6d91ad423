# one disk has one queue of reads; what a GPU waits for if its disk is slow
tensor f[256,256] old[256,256] disk = randn seed=1
tensor h[256,256] g[256,256] pinned
stream rd io
stream load0 load1 kind=host
copy f -> h on rd
copy old -> g on io
sync
expect stall(engine) > 0 and time < 4.1ms
set launch=0 disk_latency=0 copy_latency=0
mark disk
copy f -> h on load0 rate=256MB/s
copy f -> g on load1 rate=256MB/s
sync
expect abs(time-2.048ms) < 2ns

# rank 0 alone, with 8 workers: every iteration takes a read
set launch=0us disk_latency=0us
model gpt layers=1 hidden=16 heads=2 seq=16 batch=16
loader workers=8 decode=4ms read=205.6kB/s
strategy serial
run 4;  sync
let worked = busy(compute)*time
@0 expect abs(stall(data)*time-(4*5ms+4ms-3/4*worked)) < 10ns
# sim: reads of one disk are not queued by the GPU
