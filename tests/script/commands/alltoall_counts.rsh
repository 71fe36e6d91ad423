# alltoall with counts: rows that differ by rank, none, all to one; refusals; time and bytes
# ranks 4
# rank r sends r+1 rows to each rank, and none to rank 0
tensor x[3*(rank+1),2] = rank
tensor n[4] i32 = rank+1
fill n[0] 0
got = alltoall n
print got
#> [0] got = 0 0 0 0
#> [1-3] got = 1 2 3 4
y = alltoall x send=n recv=got
expect bytes(y) == 8B*10*(rank>0)
sync
@1 print y
#> [1] y [10,2] =
#>       0 0
#>       1 1
#>       1 1
#>       ...
#>       3 3
#>       3 3
#>       3 3
# each rank sends its rows to 3, and gets 12 from rank 0, which has nothing to send
back = alltoall y send=got recv=n
expect close(back,x)
# a tensor without rows is one: it is added to, cast, summed up
z = add y y;  z = cast z to=bf16;  w = matmul y.T y
@0 expect norm(w) == 0
sync
@0 print z
#> [0] z [0,2]: no elements
# of eight numbers two are each rank's, and counts may lie on the host
tensor e[8] i32 = 1;  tensor s[8,1] = rank;  tensor h[8] pinned i32 = 1
t = alltoall s send=e recv=h
expect sum(t) == 12

# ---- what it costs: the most that a rank sends or receives. 1000 rows each to all, then all to rank 3 ----
tensor v[3072,64] = rank;  tensor a[4] i32 = 768;  tensor b[4] i32 = 0;  tensor c[4] i32 = 0
fill b[3] 3072
@3 fill c 3072
event one two three
mark even
record one;  u = alltoall v send=a recv=a;  record two
expect sent(nvlink) == 768B*256*3
mark all
u = alltoall v send=b recv=c;  record three
expect sent(nvlink) == 3072B*256*(rank<3)
sync
@1 expect elapsed(two,three) > 2*elapsed(one,two)

# ---- what is refused ----
tensor few[2,2] = 0;  tensor k[3] i32 = 1;  tensor f[4] = 1
expect error "send= has 3 numbers for 4 ranks: 4, or the same number for each, are expected" { q = alltoall x send=k recv=n }
expect error "send= adds up to 9 rows, and few is [2,2]" { @2 q = alltoall few send=n recv=n }
expect error "send= needs recv=, the rows from each rank: `y = alltoall x send=to recv=from`" { q = alltoall x send=n }
expect error "recv= needs send=, the rows to each rank" { q = alltoall x recv=n }
tensor triple[3] i32 = 1;  none = shard triple
expect error "send= has 0 numbers for 4 ranks: 4, or the same number for each, are expected" { @3 q = alltoall x send=none recv=n }
expect error "recv= has 0 numbers for 4 ranks" { @3 q = alltoall x send=n recv=none }
expect error "must be i32" { q = alltoall x send=f recv=n }
expect error "no tensor 'nn'" { q = alltoall x send=nn recv=n }
expect error "rows are counted from 0 on" { fill k[0] -1;  tensor m[4] i32 = -1;  q = alltoall x send=m recv=n }
expect error "alltoall cannot be unrolled" { tensor d[4] = 0;  q = alltoall d unroll send=n recv=got }
expect error "does not add" { y += alltoall x send=n recv=got }
expect error "gives a result" { alltoall x send=n recv=got }
