# lesson: The tour
# minutes: 3
# source: docs.pytorch.org/docs/stable/notes/cuda.html, Asynchronous execution
## The host queues work and goes on
#: start
tensor x[256,256] w[256,256] = randn seed=1
y = matmul x w
timeline
#: hint
## Reading a number makes the host wait
# The host waited until the matmul was done. In PyTorch this is
# loss.item().
#: start
print y[0,0]
timeline
## Two streams, and a common mistake
# The copy writes x while the matmul reads it: on a GPU the answer would be
# correct only sometimes.
#: start
reset
tensor x[256,256] w[256,256] = randn seed=1
tensor h[256,256] pinned = randn seed=2;  stream io compute
copy h -> x on io;  y = matmul x w on compute
## The same, corrected by a wait
# `wait io on compute` makes compute wait until io has reached this point. The
# host goes on at once, and waits only in its `sync`.
#: start
reset
tensor x[256,256] w[256,256] = randn seed=1
tensor h[256,256] pinned = randn seed=2;  stream io compute
copy h -> x on io;  wait io on compute;  y = matmul x w on compute;  sync
timeline
## All ranks meet in a collective, and one rank is slow
# Ranks 0, 1 and 3 wait in the allreduce (letter p) until rank 2 arrives.
#: start
mark slow
@2 slow 2x
y = matmul x w on compute;  allreduce y on compute;  sync
timeline slow
## Ask what it cost
# `stalls` names each wait and its cause. Work plus waits equal the elapsed
# time.
#: start
stalls
## Ask why
# `why` follows the wait to its root. The saving is exact: the lines ran again
# without the delay.
#: start
why y@0
## Your turn
# lesson 1        learn by doing; every task is checked
# strategy ddp    the GPUs train a model; Enter for each step
# view            the timeline on the whole screen
# explain on      each line in CUDA and PyTorch
# help            the commands; help WORD; TAB
#: start
@2 slow 1x
