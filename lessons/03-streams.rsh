# lesson: Streams and events
# minutes: 30
# ranks: 1
# learned: A stream runs its work in order; two streams know of no order.
# learned: `wait` gives one: it holds a stream, not the host, up to an event.
# learned: A race is a missing order; right numbers do not show there is none.

## Two things at once
# A stream runs its work in order, one at a time. Work on different streams
# may run at the same time: a copy engine moves data while the
# multiprocessors compute.
# Task: copy h to x, and at the same time compute y = v w. The streams `io`
# and `compute` are there: `on io` behind a line puts it there.
#: start
tensor h[512,256] pinned = randn seed=3
tensor x[512,256]
tensor v[256,256] w[256,256] = randn seed=1 scale=0.1
stream io compute
mark task
#: reference
tensor rx[512,256];  copy h -> rx
ry = matmul v w
#: predict how long will both together take? = time
#: choice they took turns
copy h -> x on io
y = matmul v w on io
#: choice the copy made the matmul half as fast
slow 1.5x
copy h -> x on io
y = matmul v w on compute
#: check
# source: CUDA C++ Programming Guide, Streams; Overlap of Data Transfer and
# source: Kernel Execution
expect close(x, rx)   # x does not hold what h holds
expect close(y, ry)   # y is not v w
expect time <= 1.15 * best(time)   # they do not run at the same time
#: hint
# They touch different memory: no order between them is needed.
#: solution
copy h -> x on io
y = matmul v w on compute
#: right
y = matmul v w
copy h -> x on io
sync;  timeline
#: right
stream a b
on a { copy h[0:256] -> x[0:256];  copy h[256:512] -> x[256:512] }
on b { y = matmul v w }
#: right
y = matmul v w on compute
for i in 0:8 { copy h[64*i:64*(i+1)] -> x[64*i:64*(i+1)] on io }
#: naive
copy h -> x on io
y = matmul v w on io
#: wrong
copy h -> x on io
sync
y = matmul v w on compute
#: wrong
copy h -> x on io
wait io on compute
y = matmul v w on compute
#: wrong
copy h -> x
y = matmul v w
#: wrong
copy h[0:256] -> x[0:256] on io
copy h[0:256] -> x[256:512] on io
y = matmul v w on compute
#: wrong
copy h -> x on io
y = matmul w v on compute
#: ask type `sync; timeline`: how long do both run at once? = time-20us
#: transfer
# PyTorch: with torch.cuda.stream(io): x.copy_(h, non_blocking=True)
# CUDA: cudaMemcpyAsync(x, h, bytes, cudaMemcpyDefault, io)
# At 8 ranks: each GPU has streams of its own; work on one says nothing
# about work on another.

## The order that nobody gave
# y = x w needs what the copy of h brings. The two streams know nothing of
# each other: unless a line says so, the matmul begins while x is still
# being written. u = v w needs nothing of it.
# Task: copy h to x, compute u = v w and y = x w, and say with `wait A on B`
# (B starts nothing later until A has done what it has so far) what must
# wait for what, and no more. The host waits for nothing.
#: start
tensor h[512,256] pinned = randn seed=3 scale=0.1
tensor v[256,256] w[256,256] = randn seed=1 scale=0.1
tensor x[512,256] = zeros
stream io compute
mark task
#: reference
tensor rx[512,256];  copy h -> rx
ry = matmul rx w;  ru = matmul v w
#: predict how long for all three? = time
#: choice both matmuls waited for the copy
copy h -> x on io
wait io on compute
u = matmul v w on compute
y = matmul x w on compute
#: check
# source: CUDA C++ Programming Guide, Events; cudaStreamWaitEvent
# source: docs.pytorch.org/docs/stable/notes/cuda.html, CUDA streams
expect races == 0   # something is read before it is there
expect close(y, ry)   # y is not h w
expect close(u, ru)   # u is not v w
expect time <= 1.05 * best(time)   # something waits for what it does not need
expect hostwait <= best(hostwait)   # the host waits, where a stream would do
#: hint
# Which of the two matmuls needs x? What stands behind a `wait` on its stream
# waits, what stands before it does not.
#: solution
copy h -> x on io
u = matmul v w on compute
wait io on compute
y = matmul x w on compute
#: right
stream other
on io { copy h -> x;  record here }
on other { u = matmul v w }
on compute { wait here;  y = matmul x w }
sync;  timeline
#: right
u = matmul v w on compute
copy h -> x on io
wait compute on io
y = matmul x w on io
#: naive
copy h -> x on io
wait io on compute
u = matmul v w on compute
y = matmul x w on compute
#: wrong
copy h -> x on io
u = matmul v w on compute
y = matmul x w on compute
#: wrong
wait io on compute
copy h -> x on io
u = matmul v w on compute
y = matmul x w on compute
#: wrong
copy h -> x on io
u = matmul v w on compute
wait compute on io
y = matmul x w on compute
#: wrong
copy h -> x on io
u = matmul v w on compute
y = matmul x w on compute
wait io on compute
#: wrong
copy h -> x on io
u = matmul v w on compute
sync io
y = matmul x w on compute
#: wrong
copy h -> x on io
u = matmul v w on io
y = matmul x w on io
#: wrong
copy h -> x on io
u = matmul x w on compute
wait io on compute
u = matmul x w on compute
y = matmul x w on compute
#: wrong
copy h -> x on io
u = matmul v w on compute
wait io on compute
y = matmul v w on compute
#: transfer
# PyTorch: compute.wait_stream(io) before y = x @ w; and if x was made on
# io, x.record_stream(compute), or its memory may be given away too early.
# CUDA: cudaEventRecord(e, io); cudaStreamWaitEvent(compute, e, 0)
# At 8 ranks each has to say it for itself.

## An event marks a place
# `wait io on compute` waits for all that io has been given so far. An event
# is finer: `record E on io` marks a place, and `wait E on compute` waits for
# that place only.
# Task: queue the copies of ha to a and of hb to b on io, in this order, and
# only then y = a w on compute, so that it starts as soon as a is there. The
# host waits for nothing.
#: start
tensor ha[256,256] hb[512,256] pinned = randn seed=3 scale=0.1
tensor a[256,256] b[512,256] = zeros
tensor w[256,256] = randn seed=2 scale=0.1
stream io compute
mark task
#: reference
tensor ra[256,256] rb[512,256];  copy ha -> ra;  copy hb -> rb
ry = matmul ra w
#: predict how long from the first copy to the end of all? = time
#: choice the matmul waited for both copies
copy ha -> a on io;  copy hb -> b on io
wait io on compute
y = matmul a w on compute
#: check
# source: docs.nvidia.com/cuda/cuda-runtime-api, Event Management and Stream
# source: Management: a wait captures the last record before it
# source: docs.pytorch.org/docs/stable/notes/ddp.html: at the end of backward
# source: DDP waits for the allreduce of each bucket
expect races == 0   # the matmul and the copy of a are in no order
expect close(y, ry) and close(b, rb)   # y should be a w, and b hold hb
expect time <= 1.05 * best(time)   # the matmul waits for b too
expect hostwait <= best(hostwait)   # the host waits, where a stream would do
#: hint
# The mark belongs between the two copies.
#: solution
copy ha -> a on io
record there on io
copy hb -> b on io
wait there on compute
y = matmul a w on compute
#: right
stream second
copy ha -> a on io
wait io on second
copy hb -> b on second
wait io on compute
y = matmul a w on compute
sync;  timeline
#: right
copy ha -> a on io
wait io on compute
copy hb -> b on io
y = matmul a w on compute
#: naive
copy ha -> a on io
copy hb -> b on io
wait io on compute
y = matmul a w on compute
#: wrong
copy ha -> a on io
copy hb -> b on io
record there on io
wait there on compute
y = matmul a w on compute
#: wrong
copy ha -> a on io
record there on io
copy hb -> b on io
sync there
y = matmul a w on compute
#: wrong
record there on io
copy ha -> a on io
copy hb -> b on io
wait there on compute
y = matmul a w on compute
#: wrong
event there
copy ha -> a on io
wait there on compute
record there on io
copy hb -> b on io
y = matmul a w on compute
#: wrong
copy ha -> a on io
copy hb -> b on io
y = matmul a w on compute
#: wrong
copy ha -> a on io
record there on io
copy hb -> b on io
wait there on compute
y = matmul b[0:256] w on compute
#: ask `sync; timeline`: when does y begin, from the first copy on? = 1ms
#: transfer
# PyTorch: e = io.record_event(); ...; compute.wait_event(e)
# A wait holds for what was recorded when it is called: who calls wait_event
# before record_event waits for nothing.
# At 8 ranks: frameworks record such an event behind each bucket's allreduce,
# and backward ends with a wait for it.

## Prefetch batch i+1
# n batches wait in pinned memory. With one buffer copy and matmul take
# turns. With two, batch i+1 crosses the bus while batch i is multiplied.
# Then each buffer has two events: loaded (may be read) and used (may be
# written again). A wait for an event never recorded holds nothing.
# Task: acc += matmul BUFFER w for each batch[i], for any n. The buffers are
# x0 and x1: x$b is x0 or x1, as b says. The host waits for nothing.
#: start
let n = 6
tensor batch[n,256,256] pinned = randn seed=1 scale=0.1
tensor w[256,256] = randn seed=2 scale=0.1
tensor x0[256,256] x1[256,256]
tensor acc[256,256] = zeros
stream io compute
event used0 used1
mark task
#: reference
tensor racc[256,256] = zeros
for i in 0:n { copy batch[i] -> x0;  racc += matmul x0 w }
#: vary n=4:8
#: predict how long for all n? = time
#: choice copy and matmul took turns
for i in 0:n { copy batch[i] -> x0 on io;  acc += matmul x0 w on io }
#: choice the matmuls cost nothing
set peak_f32=1TFLOP/s
for i in 0:n { copy batch[i] -> x0 on io;  acc += matmul x0 w on io }
#: check
# source: docs.nvidia.com/cuda/cuda-runtime-api, cudaStreamWaitEvent: an event
# source: that was never recorded holds nothing
# source: docs.pytorch.org/docs/stable/generated/torch.cuda.Event.html
# source: github.com/NVIDIA/apex, examples/imagenet/main_amp.py
expect races == 0   # a buffer is written while it is read, or the other way
expect close(acc, racc)   # acc is not the sum over all batches
expect count(matmul) >= n   # a matmul for each batch, and not one for many
expect time <= 1.05 * best(time)   # copies and matmuls take turns
expect hostwait <= best(hostwait)   # the host waits, where a stream would do
#: hint
# In round i with b = i % 2: io waits for used$b before it copies, compute
# waits for loaded$b before it multiplies; each records its own behind.
#: solution
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;      record loaded$b on io
  wait loaded$b on compute
  acc += matmul x$b w on compute;  record used$b on compute
}
#: right
stream up0 up1
for i in 0:n {
  let b = i % 2
  wait used$b on up$b;  copy batch[i] -> x$b on up$b
  wait up$b on compute
  acc += matmul x$b w on compute;  record used$b on compute
}
sync;  timeline
#: right
for i in 0:n {
  tensor own$i[256,256]
  copy batch[i] -> own$i on io
  wait io on compute
  acc += matmul own$i w on compute
}
@0 print acc[0,0] on compute
#: naive
for i in 0:n {
  wait compute on io
  copy batch[i] -> x0 on io
  wait io on compute
  acc += matmul x0 w on compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  copy batch[i] -> x$b on io;      record loaded$b on io
  wait loaded$b on compute
  acc += matmul x$b w on compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io
  acc += matmul x$b w on compute;  record used$b on compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;      record loaded$b on io
  wait loaded$b on compute
  record used$b on compute;        acc += matmul x$b w on compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait compute on io
  copy batch[i] -> x$b on io
  wait io on compute
  acc += matmul x$b w on compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  copy batch[i] -> x$b on io
  sync io
  acc += matmul x$b w on compute
  sync compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;      record loaded$b on io
  sync loaded$b
  acc += matmul x$b w on compute;  record used$b on compute
}
#: wrong
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;   record loaded$b on io
  wait loaded$b on compute
  acc = matmul x$b w on compute;  record used$b on compute
}
#: wrong
tensor sum[256,256] = zeros
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;       record loaded$b on io
  wait loaded$b on compute
  sum += scale x$b 1 on compute;    record used$b on compute
}
acc += matmul sum w on compute
#: wrong
for i in 0:n-1 {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;      record loaded$b on io
  wait loaded$b on compute
  acc += matmul x$b w on compute;  record used$b on compute
}
#: ask `timeline`: which stream hardly ever rests? = "compute"
#: transfer
# PyTorch: the next batch is copied on a stream of its own, and wait_stream
# stands before the step (data_prefetcher of apex's ImageNet example).
# What would a third buffer bring? Nothing, as long as each round takes the
# same time. At 8 ranks eight copies share the host's memory and bus.

## The race hunt
# This program has been in use for a year, and its loss was never wrong:
# 1 copy h -> x on io            5 copy g -> x on io
# 2 record ready on io           6 wait io on compute
# 3 wait ready on compute        7 z = matmul x w on compute
# 4 y = matmul x w on compute
# On a new machine y is wrong at times, z never. One order is missing.
# Task: type the seven lines anew with the one line more that is missing.
# The host waits for nothing, and no other tensor is needed.
#: start
tensor h[256,256] g[256,256] pinned = randn seed=3 scale=0.1
tensor w[256,256] = randn seed=2 scale=0.1
tensor x[256,256] = zeros
stream io compute
mark task
#: reference
tensor rx[256,256]
copy h -> rx;  ry = matmul rx w
copy g -> rx;  rz = matmul rx w
#: predict which of the lines 1 to 7 comes too early? predict its number = 5
#: check
# source: docs.pytorch.org/docs/stable/cuda._sanitizer.html and
# source: generated/torch.Tensor.record_stream.html, notes/cuda.html
# source: torch/cuda/_sanitizer.py (which accesses it compares)
expect races == 0   # a line still writes what another one reads
expect close(y, ry)   # y is not h w
expect close(z, rz)   # z is not g w
expect hostwait <= best(hostwait)   # the host waits, where a stream would do
#: hint
# For each line: what does it read or write, and which line on the other
# stream touched that last? Is there a way from that one to this one?
#: solution
copy h -> x on io
record ready on io
wait ready on compute
y = matmul x w on compute
wait compute on io
copy g -> x on io
wait io on compute
z = matmul x w on compute
#: right
copy h -> x on io
wait io on compute
y = matmul x w on compute;  record read on compute
wait read on io
copy g -> x on io
record ready on io
wait ready on compute
z = matmul x w on compute
sync;  timeline;  races
#: right
on compute {
  copy h -> x;  y = matmul x w
  copy g -> x;  z = matmul x w
}
#: wrong
copy h -> x on io
record ready on io
wait ready on compute
y = matmul x w on compute
copy g -> x on io
wait io on compute
z = matmul x w on compute
#: wrong
copy h -> x on io
record ready on io
wait ready on compute
y = matmul x w on compute
wait ready on io
copy g -> x on io
wait io on compute
z = matmul x w on compute
#: wrong
copy h -> x on io
record ready on io
wait ready on compute
wait compute on io
y = matmul x w on compute
copy g -> x on io
wait io on compute
z = matmul x w on compute
#: wrong
copy h -> x on io
record ready on io
wait ready on compute
y = matmul x w on compute
sync
copy g -> x on io
wait io on compute
z = matmul x w on compute
#: wrong
copy g -> x on io
wait io on compute
z = matmul x w on compute
y = matmul x w on compute
#: wrong
copy h -> x on io
wait io on compute
y = matmul x w on compute
z = matmul x w on compute
#: transfer
# PyTorch: x is often not written by you but by the allocator: memory freed on
# one stream is given out again while another still reads it; hence
# x.record_stream(compute), which keeps the block until compute is found done.
# `free x on compute` is cudaFreeAsync: the next tensor waits for compute.
# TORCH_CUDA_SANITIZER=1 looks for tensors that two streams use in no order,
# and where CUDA_LAUNCH_BLOCKING=1 makes the loss right, an order was most
# likely missing.
# At 8 ranks one rank's race spoils all of them by the next allreduce.
