# lesson: The ZeRO ladder: who keeps what
# minutes: 30
# ranks: 2 4 8 16

## Stage 1: the optimizer's state
# Adam keeps two numbers for each parameter, m and v. Data parallel keeps all
# of them on every rank, all the same. ZeRO-1 keeps on each rank only those of
# its own part of the parameters. The gradients g are there, one for each
# rank.
# Task: average g so that each rank gets its own part (a reduce-scatter into
# gs), update its part `ps` (a view of p) with adam (lr=1e-3, t=1), and bring
# everybody's parts together in p again (an allgather). Make m and v yourself.
#: start
let N = 16k
tensor p[N] q[N] = 0
tensor start[N] = randn seed=5 scale=0.1
copy start -> p;  copy start -> q
tensor g[N] = randn seed=10+rank
tensor G[N] = randn seed=10+rank
allreduce G op=avg
tensor M[N] V[N] = zeros
adam q G M V lr=1e-3 t=1
free M V start;  sync
ps = shard p;  average = shard G
mark task
#: check
expect bytes(m) + bytes(v) == 8B*N/world   # m and v should have N/world elements each
expect count(adam) == 1   # one adam, on this rank's part
expect close(gs, average)   # gs should be this rank's part of the average
expect close(p, q)   # p is not what plain data parallel would give
expect races == 0   # two operations touch the same memory in no order
expect count(allreduce) == 0   # a reduce-scatter brings each rank its part; nobody needs the whole
#: hint
# tensor m[N/world] v[N/world] = zeros
# gs = reducescatter g op=avg,  then adam ps gs m v lr=1e-3 t=1,
# then p = allgather ps
#: solution
tensor m[N/world] v[N/world] = zeros
gs = reducescatter g op=avg
adam ps gs m v lr=1e-3 t=1
p = allgather ps
#: wrong
tensor m[N] v[N] = zeros
allreduce g op=avg
adam p g m v lr=1e-3 t=1
#: wrong
tensor m[N/world] v[N/world] = zeros
gs = reducescatter g
adam ps gs m v lr=1e-3 t=1
p = allgather ps
#: wrong
tensor m[N/world] v[N/world] = zeros
gs = reducescatter g op=avg
adam ps gs m v lr=1e-3 t=1

## Stage 2: the gradients
# Once a layer's gradient has been reduced, a rank needs only its own part of
# it. Here are two layers, ga and gb, made one after the other by `backward_b`
# and `backward_a`.
# Task: run backward_b, reduce-scatter gb into sb and free gb before you run
# backward_a; then the same for ga and sa. The memory of gb serves ga.
#: start
let N = 64k
tensor wanted_a[N/world] wanted_b[N/world] = world * (world + 1) / 2
def backward_a { ga = randn [N] seed=1;  fill ga rank+1 }
def backward_b { gb = randn [N] seed=1;  fill gb rank+1 }
sync
mark task
#: check
expect close(sa, wanted_a) and close(sb, wanted_b)   # sa and sb should be this rank's parts of the sums
expect error "no tensor 'ga'" { peek ga }   # ga is still there: free it
expect error "no tensor 'gb'" { peek gb }   # gb is still there: free it
expect peak <= 4B*N + 4*4B*N/world + 4kB   # both gradients were there at once: free gb before backward_a
#: hint
# backward_b,  sb = reducescatter gb,  free gb,  and then layer a
#: solution
backward_b
sb = reducescatter gb
free gb
backward_a
sa = reducescatter ga
free ga
#: wrong
backward_b
backward_a
sb = reducescatter gb
sa = reducescatter ga
free ga gb
#: wrong
backward_b
sb = reducescatter gb
backward_a
sa = reducescatter ga
free gb

## Stage 3: the parameters
# At last even the parameters are kept in parts: wa and wb hold this rank's
# rows of two layers. A layer is brought together just before it is used, and
# thrown away right after.
# Task: compute h = x A and y = h B, where A is all of wa and B all of wb, and
# let no rank hold both A and B at any time.
#: start
let d = 256
tensor x[16,d] = randn seed=1
tensor wa[d/world,d] wb[d/world,d] = 0
tensor R[d,d] = randn seed=2 scale=0.1
H = matmul x R;  a = shard R;  copy a -> wa;  sync;  free R
tensor R[d,d] = randn seed=3 scale=0.1
Y = matmul H R;  b = shard R;  copy b -> wb;  sync;  free R H
mark task
let before = peak
#: check
expect count(allgather) == 2 and count(matmul) == 2   # each layer is brought together once and used once
expect close(y, Y)   # y is not x A B
expect error "no tensor 'A'" { peek A }   # A is still there: free it when it has been used
expect error "no tensor 'B'" { peek B }   # B is still there: free it when it has been used
expect bytes(wa) == 4B*d*d/world   # wa should stay this rank's part
expect peak <= before + 4B*d*d + 64kB   # A and B were there at once
#: hint
# A = allgather wa,  h = matmul x A,  free A,  and then the same with wb
#: solution
A = allgather wa
h = matmul x A
free A
B = allgather wb
y = matmul h B
free B
#: wrong
A = allgather wa
B = allgather wb
h = matmul x A
y = matmul h B
free A B
#: wrong
A = allgather wa
h = matmul x A
free A
B = allgather wb
y = matmul h B
