# ranks 1 2 3 4 8
# an unrolled algorithm gives the collective's result
let n = 4*world
tensor a[n] b[n] c[n] = rank+1
allreduce a
allreduce b unroll
allreduce c op=avg unroll
sync
expect close(a, b)
expect close(c[0:2], b[0:2]) or world > 1
expect c[0] == (world+1)/2
tensor p[3] = rank
x = allgather p
y = allgather p unroll
sync
expect close(x, y)
tensor s[n] = iota
u = reducescatter s
v = reducescatter s unroll
sync
expect close(u, v)
tensor d[5] e[5] = rank
broadcast d root=world-1
broadcast e root=world-1 unroll
sync
expect close(d, e)
expect races == 0
tensor whole[5] i32 = iota
expect error "allreduce: op=avg of i32 does not unroll" { allreduce whole op=avg unroll }
