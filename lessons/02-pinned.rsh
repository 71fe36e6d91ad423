# lesson: Pinned and pageable memory
# minutes: 20
# ranks: 1
# learned: A copy from pageable memory blocks the host until it is read.
# learned: The copy engine itself reads pinned memory; the host goes on.
# learned: Do not write memory that a copy still reads: use two buffers.

## The copy that blocks the host
# Memory from malloc is pageable. The driver first copies it, piece by piece,
# to a buffer of its own (staging), and `copy` blocks the host until the last
# piece is read. So the host queues the next line late. If memory is
# page-locked (`pinned`), the copy engine reads it directly, and the host goes
# on at once.
# Task: copy `batch` (pageable) to x on stream io, while y = matmul v w runs
# on compute. `tensor h[512,256] pinned` makes page-locked memory.
#: start
tensor batch[512,256] host = randn seed=3
tensor v[256,256] w[256,256] = randn seed=1 scale=0.1
tensor x[512,256]
stream io compute
mark task
#: reference
tensor rx[512,256];  copy batch -> rx
ry = matmul v w
#: predict how long will both together take? = time
#: choice the copy to x blocked the host
copy batch -> x on io
y = matmul v w on compute
#: choice writing pinned memory took as long as the copy over the bus
set host_rate=270MB/s
tensor h[512,256] pinned
copy batch -> h
copy h -> x on io
y = matmul v w on compute
#: check
# source: docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html,
# source: docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html,
# source: CUDA C++ Best Practices Guide, Pinned Memory; Asynchronous and
# source: Overlapping Transfers with Computation
# source: docs.pytorch.org/docs/stable/data.html, Memory Pinning
expect close(x, rx)   # x does not hold the whole batch
expect close(y, ry)   # y is not v w
expect races == 0   # two operations access the same memory, and no wait orders them
expect time <= 1.05 * best(time)   # the copy takes twice as long as necessary, or one operation waits for the other
#: hint
# First copy `batch` to pinned memory of your own. The host makes that copy,
# and it is fast. The copy from there to x does not need the host.
#: solution
tensor h[512,256] pinned
copy batch -> h
copy h -> x on io
y = matmul v w on compute
#: right
tensor page[512,256] pinned
stream up
y = matmul v w on compute
copy batch -> page;  copy page -> x on up
sync;  timeline
#: right
tensor a[256,256] b[256,256] pinned
copy batch[0:256] -> a;    copy a -> x[0:256] on io
copy batch[256:512] -> b;  copy b -> x[256:512] on io
y = matmul v w on compute
sync;  @0 print y[0,0]
#: naive
copy batch -> x on io
y = matmul v w on compute
#: wrong
y = matmul v w on compute
copy batch -> x on io
#: wrong
tensor h[512,256] host
copy batch -> h
copy h -> x on io
y = matmul v w on compute
#: wrong
tensor h[512,256] pinned
copy batch -> h
copy h -> x on io
wait io on compute
y = matmul v w on compute
#: wrong
tensor h[512,256] pinned
copy batch -> h
copy h -> x on io
sync
y = matmul v w on compute
#: wrong
tensor h[256,256] pinned
copy batch[0:256] -> h
copy h -> x[0:256] on io
copy h -> x[256:512] on io
y = matmul v w on compute
#: wrong
tensor h[256,256] pinned
copy batch[0:256] -> h;    copy h -> x[0:256] on io
copy batch[256:512] -> h;  copy h -> x[256:512] on io
y = matmul v w on compute
#: wrong
tensor h[512,256] pinned
copy batch -> h
copy h -> x on io
y = matmul w v on compute
#: ask `timeline`: how long did `copy batch -> h` block the host? = 0.2ms
#: transfer
# PyTorch: DataLoader(..., pin_memory=True), and in the loop x = x.to("cuda",
# non_blocking=True). x.pin_memory() also allocates and copies, and is slow:
# x.pin_memory().to(...) in the loop may cost more than x.to(...) alone. Here
# h is allocated once.
# On 8 ranks eight processes pin memory on one host. Pinned memory cannot be
# swapped out, so pin buffers, not the whole data set.

## Do not write a buffer that is still being copied
# A `copy` from pinned memory returns before the copy engine has read the
# memory. If you then write the next batch into the same buffer, you overwrite
# the current one. Here filling a buffer takes 0.5 ms, copying it to the GPU
# 1 ms. `record E on io` records an event; `sync E` blocks the host until io
# has reached it, and returns at once if the event was never recorded.
# Task: bring batch[i] to x[i] through pinned memory, for all i in 0:n and any
# n. Fill one buffer (`h$b` is h0 or h1) while the other is copied.
#: start
set host_rate=525MB/s
let n = 6
tensor batch[n,256,256] host = randn seed=3
tensor x[n,256,256]
tensor h0[256,256] h1[256,256] pinned
stream io
event sent0 sent1
mark task
#: reference
tensor rx[n,256,256]
copy batch -> rx
#: vary n=5:8
#: predict how long do all n batches take? = time
#: choice there were one buffer, and filling and copying alternated
for i in 0:n { copy batch[i] -> h0;  copy h0 -> x[i] on io;  sync io }
#: choice the driver staged each batch
for i in 0:n { copy batch[i] -> x[i] on io }
#: check
# source: docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
# source: docs.nvidia.com/cuda/cuda-runtime-api, Event Management: an event
# source: that was never recorded holds no work, and nobody waits for it
expect races == 0   # a copy still reads the buffer that is written
expect close(x, rx)   # x does not hold the batches
expect time <= 1.05 * best(time)   # filling and copying take turns
#: hint
# In round i use buffer b = i % 2. Before you fill it, wait for the last copy
# that read this buffer, and for no other copy.
#: solution
for i in 0:n {
  let b = i % 2
  sync sent$b
  copy batch[i] -> h$b
  copy h$b -> x[i] on io
  record sent$b on io
}
#: right
for i in 0:n {
  tensor own$i[256,256] pinned
  copy batch[i] -> own$i
  copy own$i -> x[i] on io
}
sync;  timeline
#: right
stream up0 up1
for i in 0:n {
  let b = i % 2
  sync up$b
  copy batch[i] -> h$b
  copy h$b -> x[i] on up$b
}
#: naive
for i in 0:n {
  copy batch[i] -> h0
  copy h0 -> x[i] on io
  sync io
}
#: wrong
for i in 0:n {
  copy batch[i] -> h0
  copy h0 -> x[i] on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  copy batch[i] -> h$b
  copy h$b -> x[i] on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  copy batch[i] -> h$b
  sync sent$b
  copy h$b -> x[i] on io
  record sent$b on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  sync sent$b
  copy batch[i] -> h$b
  record sent$b on io
  copy h$b -> x[i] on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  copy batch[i] -> h$b
  copy h$b -> x[i] on io
  sync io
}
#: wrong
for i in 0:n { copy batch[i] -> x[i] on io }
#: wrong
for i in 0:2 {
  copy batch[i] -> h$i
  copy h$i -> x[i] on io
}
for i in 2:n { copy h$(i%2) -> x[i] on io }
#: ask in `stalls`, by which command is the host blocked? = "sync"
#: transfer
# CUDA: cudaEventRecord(sent[b], io) after cudaMemcpyAsync, and
# cudaEventSynchronize(sent[b]) before the buffer is filled again.
# PyTorch: record an event after x.to("cuda", non_blocking=True), and do not
# write x before that event has completed.
# On 8 ranks nothing changes if each GPU has its own path to host memory.

## A loader thread
# Now the batches are on a disk. The host thread that launches kernels should
# not read them or wait for buffers; a data loader uses another thread.
# `stream load kind=host` is such a thread: it runs its work in order and has
# events, like any stream, and a `wait` there blocks only this thread.
# Task: bring batch[i] to x[i] again, for any n: `load` fills the buffers, and
# io copies them to x. The host only queues, and waits for nothing.
#: start
set disk_read=525MB/s
let n = 6
tensor batch[n,256,256] disk = randn seed=3
tensor x[n,256,256]
tensor h0[256,256] h1[256,256] pinned
stream load kind=host
stream io
event sent0 sent1
mark task
#: reference
tensor rx[n,256,256] pinned
copy batch -> rx
#: vary n=5:8
#: check
# source: docs.pytorch.org/docs/stable/data.html, Memory Pinning and
# source: Multi-process data loading
expect races == 0   # a buffer is written or read too early
expect close(x, rx)   # x does not hold the batches
expect time <= 1.05 * best(time)   # filling and copying take turns
expect hostwait <= best(hostwait)   # the host does the work of the thread
#: hint
# io waits for load before it reads a buffer. Before load fills a buffer, it
# waits for the event recorded after the last copy from this buffer.
#: solution
for i in 0:n {
  let b = i % 2
  wait sent$b on load
  copy batch[i] -> h$b on load
  wait load on io
  copy h$b -> x[i] on io
  record sent$b on io
}
#: right
event full0 full1
for i in 0:n {
  let b = i % 2
  wait sent$b on load
  copy batch[i] -> h$b on load;  record full$b on load
  wait full$b on io
  copy h$b -> x[i] on io;  record sent$b on io
}
sync;  timeline
#: right
stream load0 load1 kind=host
stream up0 up1
for i in 0:n {
  let b = i % 2
  wait up$b on load$b;  copy batch[i] -> h$b on load$b
  wait load$b on up$b;  copy h$b -> x[i] on up$b
}
#: naive
for i in 0:n {
  wait io on load
  copy batch[i] -> h0 on load
  wait load on io
  copy h0 -> x[i] on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  copy batch[i] -> h$b on load
  wait load on io
  copy h$b -> x[i] on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait sent$b on load
  copy batch[i] -> h$b on load
  copy h$b -> x[i] on io
  record sent$b on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  sync sent$b
  copy batch[i] -> h$b
  copy h$b -> x[i] on io
  record sent$b on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait sent$b on load
  copy batch[i] -> h$b on load
  sync load
  copy h$b -> x[i] on io
  record sent$b on io
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait sent$b on load
  copy batch[0] -> h$b on load
  wait load on io
  copy h$b -> x[i] on io
  record sent$b on io
}
#: transfer
# PyTorch: DataLoader(data, num_workers=2, pin_memory=True): workers read, a
# thread pins, and your loop finds batches that are ready.
# On 8 ranks eight loaders share one host: its cores, its memory bandwidth and
# its disk. ranksh gives each rank its own part of the disk, so a rank's
# loaders (`loader workers=2`) do not wait for those of other ranks.
