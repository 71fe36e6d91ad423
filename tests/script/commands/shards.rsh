# shard splits as torch.chunk does; a tensor without elements is like any other
# ranks 5
group four 0-3
tensor X[6,3] = iota
x = shard X
print x
#> [0] x [2,3] =
#>       0 1 2
#>       3 4 5
#> [1] x [2,3] =
#>        6  7  8
#>        9 10 11
#> [2] x [2,3] =
#>       12 13 14
#>       15 16 17
#> [3,4] x [0,3]: no elements
tensor F[5,3] = iota
@0-3 f = shard F in four
@0-3 print f[:,0]
#> [0] f[:,0] = 0 3
#> [1] f[:,0] = 6 9
#> [2] f[:,0] = 12
#> [3] f[:,0] [0]: no elements
# [len(c) for c in torch.arange(size).chunk(5)], with 0 behind the last
def cut size a b c d e {
  tensor V$size[size] = iota;  v = shard V$size
  @0 expect bytes(v) == a*4B;  @1 expect bytes(v) == b*4B;  @2 expect bytes(v) == c*4B
  @3 expect bytes(v) == d*4B;  @4 expect bytes(v) == e*4B
  let k = min(rank*a,size);  let rows = min(a,size-k)
  expect sum(v) == rows*k + rows*(rows-1)/2
}
cut 1 1 0 0 0 0
cut 3 1 1 1 0 0
cut 4 1 1 1 1 0
cut 5 1 1 1 1 1
cut 6 2 2 2 0 0
cut 7 2 2 2 1 0
cut 8 2 2 2 2 0
cut 9 2 2 2 2 1
cut 11 3 3 3 2 0
cut 12 3 3 3 3 0
cut 13 3 3 3 3 1
cut 16 4 4 4 4 0
cut 21 5 5 5 5 1
cut 22 5 5 5 5 2
# columns: 2 2 2 0 0 of 6; strides stay
tensor C[2,6] = iota
k = shard C dim=1
@2 print k
#> [2] k [2,2] =
#>        4  5
#>       10 11
@3-4 print k k.T
#> [3,4] k [2,0]: no elements
#>       k.T [0,2]: no elements
# the middle one of three dimensions, and a part of a part
tensor D[2,1,2] = iota
d = shard D dim=1
@0 print d
#> [0] d [2,1,2] =
#>       [0]
#>       0 1
#>       [1]
#>       2 3
e = shard d dim=2
@1 print d e
#> [1] d [2,0,2]: no elements
#>     e [2,0,1]: no elements

# numbers of nothing, and what there is none of
@4 {
  expect sum(x) == 0 and norm(x) == 0 and bytes(x) == 0B and close(x, x)
  let s = sum(x)
  if s == 0 { say "nothing" }
}
#> nothing
expect error "x[0]: 0 is out of range for size 0" { @4 print x[0] }
expect error "x[0,0]: 0 is out of range for size 0" { @4 let s = x[0,0] }
expect error "x[0:1]: 1 is out of range for size 0" { @4 y = relu x[0:1] }
expect error "x[:,3]: 3 is out of range for size 3" { @4 print x[:,3] }
expect error "x[1:1]: 1:1 is empty" { @0 print x[1:1] }
expect error "sizes are 1 or more" { tensor none[0,3] = 0 }
@4 {
  y = relu x[:]
  y = add x[0:0,1:3] x[:,0:2]
  z = reshape x [3,0]
  z = reshape z [0,2,2]
}
expect error "reshape: x is [0,3], 0 elements; [1,3] has 3" { @4 z = reshape x [1,3] }
@4 peek y z
#> [4] y [0,2]: no elements
#> [4] z [0,2,2]: no elements

# files: np.load gives the same shapes
save x x$rank.npy
#> [0] x [2,3] saved as x0.npy
#> [1] x [2,3] saved as x1.npy
#> [2] x [2,3] saved as x2.npy
#> [3] x [0,3] saved as x3.npy
#> [4] x [0,3] saved as x4.npy
tensor l4 = load x4.npy
tensor l0 = load x0.npy
expect bytes(l4) == 0B and bytes(l0) == 24B
@0 expect close(l0, x)
expect error "the file holds [0,3]" { tensor l4[1,3] = load x4.npy }

# kernels: sums are 0, means are not a number, nothing else has an element. As PyTorch, the largest of nothing is refused
r = rowsum k
c = colsum x
q = sumsq x
m = mse x x
p = matmul k k.T
@4 p += matmul k k.T
t = matmul x.T x
@4 print r c q m p t
#> [4] r [2,1] =
#>       0
#>       0
#>     c = 0 0 0
#>     q = 0
#>     m = nan
#>     p [2,2] =
#>       0 0
#>       0 0
#>     t [3,3] =
#>       0 0 0
#>       0 0 0
#>       0 0 0
expect error "k is [2,0]: rowmax needs rows with elements" { b = rowmax k }
expect error "x is [2,3], k is [2,2]" { b = mse x k }
# a size of 1 is repeated as often as there is nothing
tensor one[1] = 1
b = add x one
@4 print b
#> [4] b [0,3]: no elements

# what is written in place stays as it was around an empty part
tensor g[6,3] m1[6,3] v1[6,3] = 1
gs = shard g;  ms = shard m1;  vs = shard v1
@3-4 {
  sgd x gs lr=1;  adam x gs ms vs t=1;  fill x 7;  copy gs -> x
}
@3-4 expect sum(X) == 153 and sum(m1) == 18
tensor h[6,3] pinned = 1
hs = shard h
@3-4 { copy hs -> x;  copy x -> hs;  copy x[:,0:2] -> hs[:,1:3] }
@3-4 expect sum(h) == 18 and sum(X) == 153

# an empty part touches no memory, wherever in its tensor it lies: it races with nothing, reads nothing unwritten, waits for
# nobody and writes for nobody
reset
stream a b
tensor U[4]
middle = U[1:3]
u = shard middle
@4 { y = relu u on a;  fill u 1 on b;  y = relu u on b }
expect races == 0
expect error "no operation has written 'U' on rank 4 yet" { @4 why U }
@0 fill u 1 on a
@0 y = relu u on b
expect races == 1
#>    race: `fill` on a writes u while `relu` on b reads it. `wait a on b` between
#>    the two puts them in order.                                               [0]
@4 recv U from=0 on a
@4 expect sum(u) == 0 and sum(y) == 0
@0 wait b on a
@0 fill U 1 on a
@0 send U to=4 on a
sync
@4 expect sum(U) == 4 and sum(u) == 0

# transfers and collectives of nothing: both sides meet, and no byte moves
reset
tensor X[6,3] = iota
x = shard X
e = zeros [0,3]
f = zeros [0,3]
@3 send x to=4
@4 recv x from=3
sendrecv e -> f to=(rank+1)%5 from=(rank+4)%5
together { send e to=(rank+1)%5;  recv f from=(rank+4)%5 }
window f
put e -> f@(rank+1)%5
get f@(rank+1)%5 -> e
add e -> f@(rank+1)%5
barrier
close f
allreduce e;  allreduce e op=avg;  broadcast e;  reduce e
a = allgather e;  b = gather e;  c = scatter e;  d = alltoall e;  s = reducescatter e
sync
expect sent == 0B
print a c d s
#> [0-4] a [0,3]: no elements
#>       c [0,3]: no elements
#>       d [0,3]: no elements
#>       s [0,3]: no elements
# a graph of it
stream work
capture G on work { y = relu x on work;  z = add y y on work;  y += scale x 2 on work }
launch G on work;  launch G on work
sync
@4 print y z
#> [4] y [0,3]: no elements
#>     z [0,3]: no elements
@1 print y[0] z[0]
#> [1] y[0] = 18 21 24
#>     z[0] = 12 14 16
# memory comes back
free y z e f a c d s
@0 free b
@4 tensors
#> [4] X [6,3]                      f32  device      72 B
#>     x [0,3]                      f32  device       0 B  view of X
free X
tensors
#> [0-4] no tensors: tensor x[64,64] = randn makes one
