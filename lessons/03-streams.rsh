# lesson: Streams and events
# minutes: 30
# ranks: 1
# learned: A stream runs its work in order; two streams have no common order.
# learned: `wait` makes one stream wait for another; the host does not wait.
# learned: A race is a missing order; correct numbers do not rule it out.

## Two things at once
# A stream runs one operation at a time, in queue order. Operations on
# different streams may run at the same time: a copy engine moves data while
# the multiprocessors compute.
# Task: copy h to x, and at the same time compute y = v w. The streams `io`
# and `compute` exist: a line that ends with `on io` queues its work there.
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
#: choice copy and matmul took turns
copy h -> x on io
y = matmul v w on io
#: choice the copy halved the speed of the matmul
slow 1.5x
copy h -> x on io
y = matmul v w on compute
#: check
# source: CUDA C++ Programming Guide, Streams; Overlap of Data Transfer and
# source: Kernel Execution
expect close(x, rx)   # x does not hold the data from h
expect close(y, ry)   # y is not v w
expect time <= 1.15 * best(time)   # copy and matmul do not run at the same time
#: hint
# Copy and matmul use different memory, so they need no order.
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
# On 8 ranks each GPU has its own streams, and operations on different GPUs
# have no common order.

## The missing order
# y = x w needs the data that is copied from h to x. The two streams are
# independent: if no line orders them, the matmul begins while x is still
# being written. u = v w does not need x. After `wait A on B`, work queued on
# B starts only when all work queued on A so far has finished.
# Task: copy h to x, compute u = v w and y = x w, and order them with `wait`
# where this is needed, and only there. The host waits for nothing.
#: start
tensor h[512,256] pinned = randn seed=3 scale=0.1
tensor v[256,256] w[256,256] = randn seed=1 scale=0.1
tensor x[512,256] = zeros
stream io compute
mark task
#: reference
tensor rx[512,256];  copy h -> rx
ry = matmul rx w;  ru = matmul v w
#: predict how long do all three take? = time
#: choice both matmuls waited for the copy
copy h -> x on io
wait io on compute
u = matmul v w on compute
y = matmul x w on compute
#: check
# source: CUDA C++ Programming Guide, Events; cudaStreamWaitEvent
# source: docs.pytorch.org/docs/stable/notes/cuda.html, CUDA streams
expect races == 0   # a line reads data before it is written
expect close(y, ry)   # y is not h w
expect close(u, ru)   # u is not v w
expect time <= 1.05 * best(time)   # a line waits for data that it does not need
expect hostwait <= best(hostwait)   # the host waits; let a stream wait instead
#: hint
# Which matmul needs x? Work queued after a `wait` on its stream waits; work
# queued before it does not.
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
# PyTorch: call compute.wait_stream(io) before y = x @ w. If x was allocated
# on io, also call x.record_stream(compute): otherwise its memory may be
# reused too early.
# CUDA: cudaEventRecord(e, io); cudaStreamWaitEvent(compute, e, 0)
# On 8 ranks each rank must give this order on its own streams.

## An event marks a point in a stream
# `wait io on compute` waits for everything queued on io so far. An event is
# finer: `record E on io` marks a point, and `wait E on compute` waits only
# until io has reached that point.
# Task: on io copy ha to a, then hb to b; on compute make y = a w. y must
# start as soon as a has arrived, without waiting for b. The host waits for
# nothing.
#: start
tensor ha[256,256] hb[512,256] pinned = randn seed=3 scale=0.1
tensor a[256,256] b[512,256] = zeros
tensor w[256,256] = randn seed=2 scale=0.1
stream io compute
mark task
#: reference
tensor ra[256,256] rb[512,256];  copy ha -> ra;  copy hb -> rb
ry = matmul ra w
#: predict how long from the first copy's start to the end of all? = time
#: choice the matmul waited for both copies
copy ha -> a on io;  copy hb -> b on io
wait io on compute
y = matmul a w on compute
#: check
# source: docs.nvidia.com/cuda/cuda-runtime-api, Event Management and Stream
# source: Management: a wait captures the last record before it
# source: docs.pytorch.org/docs/stable/notes/ddp.html: at the end of backward
# source: DDP waits for the allreduce of each bucket
expect races == 0   # the matmul and the copy to a have no order
expect close(y, ry) and close(b, rb)   # y should be a w, and b should hold hb
expect time <= 1.05 * best(time)   # the matmul also waits for b
expect hostwait <= best(hostwait)   # the host waits; let a stream wait instead
#: hint
# Record the event between the two copies.
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
#: ask `sync; timeline`: y begins how long after the copy to a begins? = 1ms
#: transfer
# PyTorch: e = io.record_event(); ...; compute.wait_event(e)
# wait_event waits for the event's last record before the call. If the event
# was never recorded, it waits for nothing.
# On 8 ranks: frameworks record such an event after each bucket's allreduce,
# and backward ends with a wait for it.

## Prefetch batch i+1
# n batches are in pinned memory. If there is one buffer on the GPU, copy and
# matmul take turns; if there are two, batch i+1 is copied while batch i is
# multiplied. Each buffer then needs two events: loaded (may be read) and used
# (may be written again). A wait for an event that was never recorded has no
# effect.
# Task: copy each batch[i] to a buffer, x0 or x1 (x$b names one by the value
# of b), and run `acc += matmul BUFFER w`, for any n. The host does not wait.
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
#: predict how long do all n batches take? = time
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
expect races == 0   # a buffer is written while it is read, or read while it is written
expect close(acc, racc)   # acc is not the sum over all batches
expect count(matmul) >= n   # each batch needs its own matmul
expect time <= 1.05 * best(time)   # copies and matmuls take turns
expect hostwait <= best(hostwait)   # the host waits; let a stream wait instead
#: hint
# In round i with b = i % 2: io waits for used$b before it copies, compute
# waits for loaded$b before it multiplies; each then records its own event.
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
#: ask `timeline`: which stream is busy nearly all the time? = "compute"
#: transfer
# PyTorch: copy the next batch on a separate stream, and call wait_stream
# before the step (data_prefetcher in apex's ImageNet example).
# If each round takes the same time, a third buffer gains nothing.
# On 8 ranks eight copies share the host's memory and bus.

## The race hunt
# This program has been in use for a year, and its loss was never wrong:
# 1 copy h -> x on io            5 copy g -> x on io
# 2 record ready on io           6 wait io on compute
# 3 wait ready on compute        7 z = matmul x w on compute
# 4 y = matmul x w on compute
# On a new machine y is sometimes wrong, z never. One order is missing.
# Task: type the seven lines again, with the one line that is missing.
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
#: predict which of the lines 1 to 7 runs too early? predict its number = 5
#: check
# source: docs.pytorch.org/docs/stable/cuda._sanitizer.html and
# source: generated/torch.Tensor.record_stream.html, notes/cuda.html
# source: torch/cuda/_sanitizer.py (which accesses it compares)
expect races == 0   # a line writes memory that another line reads, and no wait orders them
expect close(y, ry)   # y is not h w
expect close(z, rz)   # z is not g w
expect hostwait <= best(hostwait)   # the host waits; let a stream wait instead
#: hint
# For each line: which memory does it read or write, and which line on the
# other stream used it last? Does a chain of waits order the two lines?
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
# PyTorch: often it is the allocator that reuses x: memory freed on one stream
# is allocated again while another stream still reads it.
# x.record_stream(compute) keeps the block until compute has finished with it.
# `free x on compute` is cudaFreeAsync: the next tensor in this memory waits
# for compute.
# TORCH_CUDA_SANITIZER=1 finds tensors that two streams use without an order.
# If CUDA_LAUNCH_BLOCKING=1 makes the loss correct, an order was probably
# missing.
# On 8 ranks a race on one rank corrupts all of them at the next allreduce.
