## Prefetch with two streams
# Batch i+1 crosses the bus while batch i is multiplied. Two buffers, two events each.
let n = 8
tensor batch[n,256,256] pinned = randn seed=1
tensor w[256,256] = randn seed=2
tensor x0[256,256] x1[256,256] y[256,256]
stream io compute
event used0 used1

## One after the other
mark naive
for i in 0:n {
  wait compute on io                   # the copy may not overwrite what is still being read
  copy batch[i] -> x0 on io
  wait io on compute
  y = matmul x0 w on compute
}
sync

## Two buffers
mark prefetch
for i in 0:n {
  let b = i % 2
  wait used$b on io                    # never recorded in the first two rounds: holds nothing
  copy batch[i] -> x$b on io;       record loaded$b on io
  wait loaded$b on compute
  y = matmul x$b w on compute;      record used$b on compute
}
sync

diff naive prefetch
expect overlap(io,compute) > 80% and races == 0
expect time(prefetch) < 80% * time(naive)
# ranks 1 2 3 4 8
