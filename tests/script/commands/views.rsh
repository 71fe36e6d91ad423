# reshape, shard, free, tensors
tensor X[8,4] = iota
x = shard X
expect bytes(x) == 8*4*4/world
y = reshape X [4,8]
y = reshape X [32]
print y[0:4]
#> [0-3] y[0:4] = 0 1 2 3
c = shard X dim=1
expect x[0,0] == rank*8/world*4
expect error { z = reshape X [5,5] }
expect error { z = shard X dim=2 }
expect error { X = shard X }
tensor odd[7] = 0
expect error { free X[0] }
expect error { free X X }
expect error { free nothing }
free y
free X odd
expect error { print x }
expect error { print X }
tensors
#> [0-3] no tensors: tensor x[64,64] = randn makes one
