# lesson: The host runs ahead
# minutes: 20
# ranks: 1
# learned: The host queues work and the GPU runs it later: queueing is cheap.
# learned: Reading a number makes the host wait, and the GPU runs out of work.
# learned: So keep numbers on the GPU, and read them once, after the loop.

## Queue three multiplications
# Each rank has a host, which runs your lines, and a GPU, which does the work
# later. A line such as `y = matmul x w` only queues the matmul: the host's
# clock, in the prompt, advances by the launch time (20 us), not by the
# matmul's 2 ms.
# Task: queue y1 = x w, y2 = y1 w, y3 = y2 w on the default stream, and wait
# for nothing in between.
#: start
tensor x[256,256] w[256,256] = randn seed=1 scale=0.1
mark task
#: reference
r = matmul x w;  r = matmul r w;  r = matmul r w
#: predict how far will the three lines move the host's clock? = 60us
#: check
# source: docs.pytorch.org/docs/stable/notes/cuda.html, Asynchronous execution
# source: CUDA C++ Programming Guide, Asynchronous Concurrent Execution
expect close(y3, r)   # y3 is not x w w w
expect hostwait <= best(hostwait)   # the host waited between two lines
#: hint
# One stream runs its work in queue order, so y1 is complete when y2 starts.
# No wait is needed.
#: solution
y1 = matmul x w
y2 = matmul y1 w
y3 = matmul y2 w
#: right
stream work
on work { y1 = matmul x w;  y2 = matmul y1 w;  y3 = matmul y2 w }
#: right
y1 = matmul x w;  y2 = matmul y1 w;  y3 = matmul y2 w
sync;  timeline;  @0 print y3[0,0]
#: right
y3 = matmul x w
repeat 2 { y3 = matmul y3 w }
#: wrong
y1 = matmul x w
y2 = matmul y1 w
print y2[0,0]
y3 = matmul y2 w
#: wrong
y1 = matmul x w;  sync
y2 = matmul y1 w;  sync
y3 = matmul y2 w
#: wrong
y1 = matmul x w
y2 = matmul y1 w
let seen = y2[0,0]
y3 = matmul y2 w
#: wrong
y1 = matmul x w
y2 = matmul x w
y3 = matmul x w
#: wrong
y1 = matmul x w
y2 = matmul w y1
y3 = matmul w y2
#: ask type `sync; timeline`: how long did the host wait? = time-60us
#: transfer
# PyTorch: y = x @ w returns at once; y.item(), print(y) and y.cpu() wait.
# A host timer around the line measures only the launch. Call
# torch.cuda.synchronize() before you read the timer the second time, or time
# with two torch.cuda.Event.
# On 8 ranks nothing changes: each rank's host queues work for its own GPU.

## The print in the loop
# This host is slow: each launch takes 0.2 ms. If the host runs ahead, the GPU
# computes queued kernels during a launch, which hides the launch time.
# `print y` blocks the host until y is computed; then the GPU is idle until
# the next launch.
# Task: run n steps of `y = matmul y w;  loss = mse y t`, for any n (`check`
# tries others). If you print `loss`, print it once, after the last step.
#: start
set launch=0.2ms
let n = 12
tensor y[64,256] w[256,256] = randn seed=1 scale=0.0625
tensor t[64,256] = zeros
mark task
#: reference
repeat n { y = matmul y w;  rloss = mse y t }
ry = scale y 1
#: vary n=10:17
#: predict how long from the first launch to the last kernel's end? = time
#: choice the host waited for each step's loss
repeat n { y = matmul y w;  loss = mse y t;  print loss }
#: choice the host waited for each kernel
repeat n { y = matmul y w;  sync;  loss = mse y t;  sync }
#: check
# source: docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html,
# source: Avoid unnecessary CPU-GPU synchronization
expect close(y, ry)   # y is not the result of n steps
expect close(loss, rloss)   # loss is not the last step's loss
expect hostwait <= best(hostwait)   # the host waits in the loop, which leaves the GPU without work
expect time <= 1.05 * best(time)   # the GPU runs out of work: it waits for launches
#: hint
# `repeat n { ... }` runs its lines n times. A line that waits belongs after
# the closing brace.
#: solution
repeat n { y = matmul y w;  loss = mse y t }
print loss
#: right
for i in 0:n { y = matmul y w }
loss = mse y t
sync;  timeline;  @0 print loss
#: right
stream work
on work { repeat n { y = matmul y w;  loss = mse y t } }
sync work
@0 print loss
#: naive
repeat n { y = matmul y w;  loss = mse y t;  print loss }
#: wrong
repeat n { y = matmul y w;  loss = mse y t;  sync }
print loss
#: wrong
repeat n { y = matmul y w;  loss = mse y t;  if loss[0] > 1M { say "oh" } }
print loss
#: wrong
repeat n { y = matmul y w;  loss = mse y t;  barrier }
print loss
#: wrong
repeat n-1 { y = matmul y w;  loss = mse y t }
print loss
#: wrong
loss = mse y t
repeat n { y = matmul y w }
print loss
#: wrong
repeat 12 { y = matmul y w;  loss = mse y t }
print loss
#: wrong
stream aside
repeat n {
  y = matmul y w;  wait default on aside
  loss = mse y t on aside;  wait aside on default
}
print loss
#: ask `stalls`: what did the default stream wait for at first? = "launch"
#: transfer
# PyTorch: loss.item(), print(loss), `if loss > 1:` and loss.cpu() wait.
# Read the loss every hundred steps, or after the epoch.
# On 8 ranks: if a rank waits, it is late for the next collective, and the
# other ranks wait for it there. So the print costs time on eight GPUs.

## Every loss, without a wait
# You want the loss of every step, not only the last. If you read it in each
# step, the host waits in each step. But a copy from GPU memory to GPU memory
# is queued like a kernel, and the host does not wait for it.
# Task: run n steps as before, for any n, so that log[i] holds the loss of
# step i. Print `log` once, at the end. `log[i:i+1]` is a slice of one number.
#: start
set launch=0.15ms
let n = 12
tensor y[64,256] w[256,256] = randn seed=1 scale=0.0625
tensor t[64,256] = zeros
tensor log[n]
mark task
#: reference
tensor rlog[n]
for i in 0:n { y = matmul y w;  rlog[i:i+1] = mse y t }
#: vary n=10:17
#: predict how long from the first launch to the last loss? = time
#: choice the host read each loss
for i in 0:n {
  y = matmul y w;  loss = mse y t
  let value = loss[0]
  fill log[i:i+1] value
}
print log
#: choice the host waited for each kernel
for i in 0:n {
  y = matmul y w;  sync;  loss = mse y t;  sync
  copy loss -> log[i:i+1];  sync
}
print log
#: check
# source: docs.pytorch.org/docs/stable/notes/faq.html (total_loss += loss)
expect close(log, rlog)   # log does not hold each step's loss
expect hostwait <= best(hostwait)   # the host waits in the loop, which leaves the GPU without work
expect time <= 1.05 * best(time)   # the GPU runs out of work: it waits for launches
#: hint
# Queue `copy loss -> log[i:i+1]` after the `mse` that makes this loss.
#: solution
for i in 0:n {
  y = matmul y w
  loss = mse y t
  copy loss -> log[i:i+1]
}
print log
#: right
for i in 0:n { y = matmul y w;  log[i:i+1] = mse y t }
sync;  timeline;  @0 print log
#: right
for i in 0:n { y = matmul y w;  loss$i = mse y t }
for i in 0:n { copy loss$i -> log[i:i+1] }
@0 print log
#: naive
for i in 0:n {
  y = matmul y w;  loss = mse y t
  let value = loss[0]
  fill log[i:i+1] value
}
print log
#: wrong
for i in 0:n { y = matmul y w;  loss = mse y t }
for i in 0:n { copy loss -> log[i:i+1] }
print log
#: wrong
repeat n { y = matmul y w;  loss = mse y t;  copy loss -> log[0:1] }
print log
#: wrong
stream io
for i in 0:n {
  y = matmul y w;  loss = mse y t;  wait default on io
  copy loss -> log[i:i+1] on io
}
print log on io
#: wrong
for i in 0:n {
  y = matmul y w;  loss = mse y t;  copy loss -> log[i:i+1]
  print log[i]
}
#: transfer
# PyTorch: losses.append(loss.detach()); torch.stack(losses).cpu() at the
# end. Without detach() each step's graph is kept as well.
# On 8 ranks each rank has the loss of its own part of the batch. One
# `allreduce log op=avg` at the end gives all means, instead of one allreduce
# in each step.
