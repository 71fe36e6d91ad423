# close_step: compares relative to the change, as verify does; what close() cannot detect
# sim: a GPU adds in another order
tensor x[16,8] t[16,8] = randn seed=rank+1
tensor begin[8,8] = randn seed=30 scale=0.3
tensor w[8,8] right[8,8] other[8,8] two[8,8] = 0
copy begin -> w;  copy begin -> right;  copy begin -> other;  copy begin -> two
repeat 2 { y = matmul x right;  dy = mse_grad y t;  g = matmul x.T dy;  allreduce g op=avg;  sgd right g lr=0.03 }
# the same in two halves and by a tree: right
repeat 2 { y = matmul x other;  dy = mse_grad y t;  g = matmul x.T[:,0:8] dy[0:8];  g += matmul x.T[:,8:16] dy[8:16];  allreduce g op=avg algo=tree;  sgd other g lr=0.03 }
# two local steps, then the mean of the weights: not the same, and close() does not see it
repeat 2 { y = matmul x w;  dy = mse_grad y t;  g = matmul x.T dy;  sgd w g lr=0.03 }
allreduce w op=avg
# one local step, then the mean, twice: that is the same
repeat 2 { y = matmul x two;  dy = mse_grad y t;  g = matmul x.T dy;  sgd two g lr=0.03;  allreduce two op=avg }
expect close(other, right) and close(two, right) and close(w, right)
expect close_step(other, begin, right) and close_step(two, begin, right) and close_step(right, begin, right)
expect not close_step(w, begin, right) and close_step(w, begin, right, 0.01)
expect not close_step(begin, begin, right) and not close_step(right, right, begin, 0.9)
let seen = close_step(w, begin, right)
print seen
#> [0-3] seen = 0
# nothing was trained, or something is no number
nan = sqrt begin
expect not close_step(begin, begin, begin) and not close_step(nan, begin, right) and not close_step(w, begin, nan)
# a half type: its own rounding is taken off, and what is no larger than that tells nothing
tensor a[64] b[64] c[64] d[64] bf16 = randn seed=5
c += mul a a;  d += mul a a;  fill d[0] 0
expect close_step(c, a, c) and not close_step(d, a, c) and not close_step(a, a, c)
expect error "the shapes differ" { expect close_step(w, x, right) }
expect error "takes 3 to 4 arguments" { expect close_step(w, begin) }
expect error "no tensor 'nix'" { expect close_step(w, begin, nix) }
