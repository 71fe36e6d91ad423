# lesson: The host queues and does not wait
# minutes: 20

## Queue three multiplications
# A rank has a host, which runs your lines, and a GPU, which does the work
# later. A kernel line only queues the work: the clock in the prompt moves
# by the launch time (20 us), not by the 2 ms that a matmul takes.
# Task: queue y1 = x w, y2 = y1 w, y3 = y2 w on the default stream, and do
# not wait for anything.
#: start
tensor x[256,256] w[256,256] = randn seed=1 scale=0.1
r1 = matmul x w;  r2 = matmul r1 w;  r3 = matmul r2 w;  sync
mark task
#: check
expect count(matmul) == 3   # three matmuls are asked for: y1 = matmul x w, and so on
expect count(sync) + count(print) == 0   # the host waited for an answer; nothing here needs one yet
expect close(y3, r3)   # y3 is not x w w w
#: predict how far will the three lines move the host's clock? = 60us
#: hint
#   y1 = matmul x w
# then y2 from y1, y3 from y2. One stream runs its work in order: no waiting
# is needed between them.
#: solution
y1 = matmul x w
y2 = matmul y1 w
y3 = matmul y2 w
#: wrong
y1 = matmul x w
y2 = matmul y1 w
print y2[0,0]
y3 = matmul y2 w

## The print in the loop
# This host is slow: it takes 0.5 ms to launch anything. While it queues
# ahead, that is hidden behind the GPU's work. But a `print` of data waits
# for the data; the GPU then idles while the next lines are launched.
# Task: run four steps of `y = matmul x w;  loss = mse y t`, and print `loss`
# once, after the last.
#: start
set launch=0.5ms
tensor x[256,256] w[256,256] = randn seed=1 scale=0.1
tensor t[256,256] = zeros
mark task
#: check
expect count(matmul) == 4 and count(mse) == 4   # four steps, each with a matmul and an mse
expect count(print) == 1   # print the loss once: every print stops the host
expect loss[0] > 0   # there is no loss yet
expect time(task) < 9.5ms   # the GPU still idles while the host launches: print after the loop, not in it
#: hint
# `repeat 4 { ... }` runs its lines four times. The print stands behind the
# closing brace.
#: solution
repeat 4 {
  y = matmul x w
  loss = mse y t
}
print loss
#: wrong
repeat 4 { y = matmul x w;  loss = mse y t;  print loss }
#: wrong
repeat 4 { y = matmul x w;  loss = mse y t;  sync }
print loss

## Memory that makes the host wait
# A copy from pageable memory (`host`, the default of malloc) is staged by
# the driver: the host stands still until it is done. From page-locked
# memory (`pinned`) the copy engine reads by itself.
# Task: copy a batch of 1M floats to x on stream io while `spin 2ms on
# compute` runs at the same time. The batch is in `h`: make your own.
#: start
tensor x[1M]
stream io compute
mark task
#: check
expect count(copy) >= 1 and count(spin) >= 1   # a copy to x on io and a `spin 2ms on compute` are asked for
expect overlap(io,compute) > 90%   # the spin was queued only after the copy was done: is h pinned?
expect x[0] == 7   # x does not hold the batch: h should be filled with 7
#: hint
#   tensor h[1M] pinned = 7
# then the copy on io, then the spin on compute: the host goes on at once
# after queueing the copy.
#: solution
tensor h[1M] pinned = 7
copy h -> x on io
spin 2ms on compute
sync
#: wrong
tensor h[1M] host = 7
copy h -> x on io
spin 2ms on compute
sync
