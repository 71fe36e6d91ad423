## Megatron's MLP: the first weight split by columns, the second by rows
mesh dp=2 tp=2                         # 4 ranks; `tp` is this rank's place in its group, size(tp) is 2
let B = 16; let d = 64; let h = 256
tensor X[B*size(dp),d] = randn seed=1
tensor W1[d,h] W2[h,d] = randn seed=2 scale=0.1
stream compute
use compute

x  = shard X in dp                     # data by dp
w1 = shard W1 dim=1 in tp              # columns: [d, h/2]
w2 = shard W2 dim=0 in tp              # rows:    [h/2, d]

## Forward: one allreduce
z = matmul x w1
a = gelu z
y = matmul a w2                        # a partial sum on every rank of tp
allreduce y in tp

## Backward: one allreduce
tensor t[B,d] = zeros
dy = mse_grad y t
dw2 = matmul a.T dy
da = matmul dy w2.T
dz = gelu_grad da z
dw1 = matmul x.T dz
dx = matmul dz w1.T
allreduce dx in tp
for p in w1 w2 { allreduce d$p op=avg in dp }    # data parallel on top
sync

## The same by one rank
Z = matmul x W1; A = gelu Z; Y = matmul A W2
DY = mse_grad Y t; DA = matmul DY W2.T; DZ = gelu_grad DA Z; DX = matmul DZ W1.T
sync
expect close(y, Y) and close(dx, DX)
expect count(allreduce) == 4
@dp=0,tp=1 print dw1[0:2, 0:4]
# ranks 4
