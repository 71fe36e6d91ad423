# reshape, shard, free, tensors, and names of part
tensor X[8,4] = iota
x = shard X
expect bytes(x) == 8*4*4B/world
y = reshape X [4,8]
y = reshape X [32]
print y[0:4]
#> [0-3] y[0:4] = 0 1 2 3
c = shard X dim=1
expect x[0,0] == rank*8/world*4
expect error "X is [8,4], 32 elements; [5,5] has 25" { z = reshape X [5,5] }
expect error "dim=2, and X has the dimensions 0-1" { z = shard X dim=2 }
expect error "X is a tensor with its own memory" { X = shard X }
tensor odd[7] = 0
expect error "free needs whole tensors" { free X[0] }
expect error "X is given twice" { free X X }
expect error "no tensor 'nothing'" { free nothing }
free y
free X odd
expect error "no tensor 'x'" { print x }
expect error "no tensor 'X'" { print X }
tensors
#> [0-3] no tensors: tensor x[64,64] = randn makes one

# what has written a part of a tensor has written the tensor
tensor g[8] = rank
part = g[4:8]
allreduce part
sync
expect busbw(g) > 0

# what waits for another rank's line is no race yet: the lines to come may put it behind what reads the same now
reset
stream a b
tensor p[4] y[4] u[4] = 1
@0 recv u from=1 on a
@0 y = relu p on a
@0 k = relu y on b
expect races == 0
@0 send k to=1 on b
@1 { recv u from=0; send u to=0 }
sync
expect races == 0
# a write is remembered though its own stream has read it since: another stream's read races with the write
reset
stream a b c
tensor p[4] = 1
y = relu p on a
k = relu y on a
m = relu y on b
expect races == world
# columns that are written leave what lies between them as it was
reset
stream a b c
tensor x[4,8] = 0
tensor z[1,2] v[4,2] = 1
x[0:1,0:2] = relu z on a
x[3:4,0:2] = relu z on a
x[:,4:6] = relu v on b
expect races == 0
x[3:4,0:2] = relu z on c
expect races == world
#>    ranks 0 and 1 queue operations of world in opposite orders: NCCL can hang
#>       rank 0: recv u (line 36), then send k (line 40)
#>       rank 1: recv u (line 41), then send u (line 41)
#>       fuse a rank's pair by `together { }`, or give one of the two its own group
#>    race: `relu` on a writes y while `relu` on b reads it. `wait a on b` between
#>    the two puts them in order.                                             [0-3]
#>    race: `relu` on a writes x[3:4,0:2] while `relu` on c writes it.
#>    `wait a on c` between the two puts them in order.                       [0-3]

# the name of a parameter, and of its state, that `part` does not hold
tensor held[4] = ones
expect error "part: PARAMETER: a name has at most 47 characters; `a_name_of_forty_eight_characters_is_one_too_long` has 48" { part held of a_name_of_forty_eight_characters_is_one_too_long }
expect error "part: as: a name has at most 15 characters; `of_16_characters` has 16" { part held of w as=of_16_characters }
part held of a_name_of_forty_eight_characters_is_one_too_lon as=of_15_character
