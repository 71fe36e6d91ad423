# lesson: Two streams, an event, and the next batch
# minutes: 25

## Two things at once
# A stream runs its work in order, one at a time. Work on different streams
# may run at the same time: a copy engine moves data while the
# multiprocessors compute.
# Task: copy h to x on `io`, and at the same time compute y = v w on
# `compute`.
#: start
tensor h[256,256] pinned = randn seed=1
tensor x[256,256]
tensor v[256,256] w[256,256] = randn seed=2 scale=0.1
r = matmul v w;  sync
stream io compute
mark task
#: check
expect count(copy) == 1 and count(matmul) == 1   # one copy and one matmul
expect overlap(io,compute) > 90%   # they do not run at the same time: put them on different streams
expect close(x, h) and close(y, r)   # x should hold h, and y should be v w
expect races == 0   # two operations touch the same memory in no order
#: hint
# Every line takes `on STREAM`.   copy h -> x on io
#: solution
copy h -> x on io
y = matmul v w on compute
#: wrong
copy h -> x on io
y = matmul v w on io

## The order that nobody gave
# Now the matmul needs what the copy brings. The streams know nothing of
# each other: without a line that says so, the matmul begins while x is
# still being written.
# Task: add the one line that makes compute wait for io.
#: start
tensor h[256,256] pinned = randn seed=1 scale=0.1
tensor w[256,256] = randn seed=2 scale=0.1
tensor x[256,256] d[256,256] = zeros
copy h -> d;  r = matmul d w;  sync
stream io compute
mark task
#: check
expect count(copy) == 1 and count(matmul) == 1   # one copy of h to x, one matmul
expect races == 0   # the matmul may read x before the copy has written it: `wait io on compute` between the two
expect close(y, r)   # y is not h w: it was computed from what was in x before
expect count(sync) == 0   # the host need not wait: let the stream wait
#: hint
# copy ... on io,   then   wait io on compute,   then the matmul on compute
#: solution
copy h -> x on io
wait io on compute
y = matmul x w on compute
#: wrong
copy h -> x on io
y = matmul x w on compute
#: wrong
y = matmul x w on compute
wait io on compute
copy h -> x on io
#: wrong
copy h -> x on io
sync
y = matmul x w on compute

## An event marks a place
# `wait io on compute` waits for all that io has been given so far. An event
# is finer: `record E on io` marks a place, and `wait E on compute` waits
# for that place only.
# Task: queue both copies first, then the matmul of a, so that it starts as
# soon as a is there, while b still travels.
#: start
tensor ha[256,256] hb[1024,256] pinned = randn seed=1 scale=0.1
tensor a[256,256] b[1024,256] d[256,256] = zeros
tensor w[256,256] = randn seed=2 scale=0.1
copy ha -> d;  r = matmul d w;  sync
stream io compute
mark task
#: check
expect count(copy) == 2 and count(matmul) == 1   # two copies (ha to a, hb to b) and one matmul (y = a w)
expect races == 0   # the matmul and the copy of a are in no order
expect close(y, r) and close(b, hb)   # y should be a w, and b should hold hb
expect overlap(io,compute) > 90%   # the matmul waits for b too: record an event between the two copies
#: hint
# copy ha -> a on io,  record there on io,  copy hb -> b on io,  wait there
# on compute, and the matmul
#: solution
copy ha -> a on io
record there on io
copy hb -> b on io
wait there on compute
y = matmul a w on compute
#: wrong
copy ha -> a on io
copy hb -> b on io
wait io on compute
y = matmul a w on compute
#: wrong
copy ha -> a on io
copy hb -> b on io
y = matmul a w on compute

## Prefetch batch N+1
# Eight batches wait in pinned memory. One buffer forces turns: copy,
# compute, copy, compute. With two buffers, batch N+1 crosses the bus while
# batch N is multiplied. Each buffer needs two events: `loaded` (may be
# read) and `used` (may be overwritten).
# Task: sum the products: acc += matmul of each batch with w, on compute,
# batches copied on io. An event never recorded holds nothing.
#: start
let n = 8
tensor batch[n,256,256] pinned = randn seed=1 scale=0.1
tensor w[256,256] = randn seed=2 scale=0.1
tensor x0[256,256] x1[256,256]
tensor acc[256,256] ref[256,256] = zeros
for i in 0:n { copy batch[i] -> x0;  ref += matmul x0 w }
sync
stream io compute
event used0 used1
mark task
#: check
expect count(copy) == 8 and count(matmul) == 8   # eight copies and eight matmuls
expect races == 0   # a buffer is written while it is read (or the other way): which event is missing?
expect close(acc, ref)   # acc is not the sum over all batches
expect overlap(io,compute) > 80%   # the copies and the matmuls still take turns
expect count(sync) == 0   # let the streams wait, not the host
#: hint
# In round i, buffer b = i % 2:
#   wait used$b on io,  copy batch[i] -> x$b on io,  record loaded$b on io,
#   wait loaded$b on compute,  acc += matmul x$b w on compute,
#   record used$b on compute
#: solution
for i in 0:n {
  let b = i % 2
  wait used$b on io
  copy batch[i] -> x$b on io;      record loaded$b on io
  wait loaded$b on compute
  acc += matmul x$b w on compute;  record used$b on compute
}
#: wrong
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
