# ranks 1 2 3 4 5 8 9
# every algorithm gives the same bits, unrolled too, rounded to the type at each step
def same x y {
  d = sub x y
  sync
  expect norm(d) == 0
}
tensor a[37] bf16 = randn seed=rank+1
tensor b[37] f16 = randn seed=rank+1
tensor c[37] = randn seed=rank+1
for op in sum avg max min {
  for t in a b c {
    x = allreduce $t op=$op
    y = allreduce $t op=$op unroll
    same x y
    if world > 1 {
      z = allreduce $t op=$op algo=tree
      same x z
    }
  }
}
let n = 5*world
tensor e[n] bf16 = randn seed=rank+1
x = reducescatter e op=avg
y = reducescatter e op=avg unroll
same x y
# the number wins over a NaN, whichever rank has it
for r in 0:world {
  tensor z[1] = 0
  tensor m[1] = rank
  @$r m = div z z
  x = allreduce m op=max
  y = allreduce m op=max unroll
  sync
  if world > 1 {
    if r < world-1 { expect x[0] == world-1 }
    if r == world-1 { expect x[0] == world-2 }
    expect x[0] == y[0]
  }
}
# i32 wraps: 2^31-1 plus 1 on every other rank
tensor w[1] i32 = 1
@0 fill w 2147483647
x = allreduce w
y = allreduce w unroll
sync
expect x[0] == y[0]
if world > 1 { expect x[0] == -2147483648 + world - 2 }
