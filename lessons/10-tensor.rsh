# lesson: Tensor parallel by hand, for one layer
# minutes: 25
# ranks: 2 4 8 16

## Split the first weight by columns, the second by rows
# The MLP y = gelu(x W1) W2 on several ranks: with W1 split by columns, each
# rank has some columns of the hidden layer, and gelu works on them alone.
# With W2 split by rows, these columns are all that its part of W2 needs. Each
# rank then has a y that lacks the others' columns.
# Task: name this rank's parts (w1 = shard W1 dim=1, w2 = shard W2 dim=0),
# compute y from x with them alone, and make it whole with one allreduce.
#: start
let B = 32; let d = 64; let h = 256
tensor x[B,d] = randn seed=1
tensor W1[d,h] W2[h,d] = randn seed=2 scale=0.1
Z = matmul x W1;  A = gelu Z;  Y = matmul A W2;  sync
mark task
#: check
expect bytes(w1) == 4B*d*h/world and bytes(w2) == 4B*d*h/world   # w1 and w2 should be this rank's parts
expect count(matmul) == 2 and count(gelu) == 1   # two matmuls and one gelu, on the parts
expect bytes(z) == 4B*B*h/world   # z should be this rank's columns of the hidden layer: name it z = matmul x w1
expect count(allreduce) == 1 and count(allgather) == 0   # one allreduce, and nothing else, goes between the ranks
expect close(y, Y)   # y is not gelu(x W1) W2
expect sent <= 2*4B*B*d   # more was sent than y's own bytes ask for
#: hint
# z = matmul x w1,  a = gelu z,  y = matmul a w2: a partial sum on every rank
#: solution
w1 = shard W1 dim=1;  w2 = shard W2 dim=0
z = matmul x w1;  a = gelu z;  y = matmul a w2
allreduce y
#: wrong
w1 = shard W1 dim=1;  w2 = shard W2 dim=0
z = matmul x w1;  a = gelu z;  y = matmul a w2
#: wrong
w1 = shard W1 dim=1;  w2 = shard W2 dim=0
z = matmul x w1;  a = gelu z;  y = matmul a w2
allreduce y op=avg
#: wrong
w1 = shard W1 dim=1;  w2 = shard W2 dim=0
z = matmul x W1;  a = gelu z;  y = matmul a W2
allreduce y op=avg

## The way back
# Backward goes the other way: dy is whole on every rank. Each rank gets the
# gradients of its own parts of the weights without asking anybody, but its dx
# lacks what went through the others' columns.
# Task: compute dw2, dz, dw1 and dx (a.T dy; dy w2.T through gelu_grad; x.T
# dz; dz w1.T), and make dx whole with one allreduce.
#: start
let B = 32; let d = 64; let h = 256
tensor x[B,d] dy[B,d] = randn seed=1
tensor W1[d,h] W2[h,d] = randn seed=2 scale=0.1
Z = matmul x W1;  DA = matmul dy W2.T;  DZ = gelu_grad DA Z
DX = matmul DZ W1.T;  DW1 = matmul x.T DZ
w1 = shard W1 dim=1;  w2 = shard W2 dim=0
rw1 = shard DW1 dim=1
z = matmul x w1;  a = gelu z;  sync
mark task
#: check
expect count(matmul) == 4 and count(gelu_grad) == 1   # four matmuls (dw2, da, dw1, dx) and one gelu_grad
expect close(dw1, rw1)   # dw1 is not this rank's columns of the gradient
expect close(dx, DX)   # dx is not whole: every rank has a part of the sum
expect count(allreduce) == 1   # dx is all that must go between the ranks
#: hint
# dw2 = matmul a.T dy,  da = matmul dy w2.T,  dz = gelu_grad da z,
# dw1 = matmul x.T dz,  dx = matmul dz w1.T
#: solution
dw2 = matmul a.T dy
da = matmul dy w2.T;  dz = gelu_grad da z
dw1 = matmul x.T dz
dx = matmul dz w1.T
allreduce dx
#: wrong
dw2 = matmul a.T dy
da = matmul dy w2.T;  dz = gelu_grad da z
dw1 = matmul x.T dz
dx = matmul dz w1.T
#: wrong
dw2 = matmul a.T dy
da = matmul dy w2.T;  dz = gelu_grad da z
dw1 = matmul x.T dz
allreduce dw1
dx = matmul dz w1.T
