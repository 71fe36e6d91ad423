# ranks 4
# backup=: the sum leaves out the latest ranks; they receive it on arrival, or with the others
tensor x[4] y[4] z[4] = rank+1
expect error "backup=4 leaves out all ranks: the group has 4 ranks" { allreduce x backup=4 }
expect error "backup= is for op=sum and op=avg" { allreduce x op=max backup=1 }
expect error "backup= does not unroll" { allreduce x backup=1 unroll }
expect error "has no option 'backup'" { broadcast x backup=1 }

mark slow                       # rank 3 brings 4, and it is in nobody's sum
@3 spin 2ms
allreduce x backup=1
sync
@0-2 expect time < 0.5ms and sent(nvlink) > 0B
@3 expect time > 2ms and sent(nvlink) == 0B
expect x[0] == 6
expect races == 0

# who counts sends by the algorithm of all 4, as without backup=
tensor all[4] most[4] = 1
barrier
mark most
@3 spin 2ms
allreduce most backup=1
sync
@0 expect sent(nvlink) == 16B
@1-2 expect sent(nvlink) == 32B
@3 expect sent(nvlink) == 0B
barrier
mark everybody
allreduce all
sync
@0 expect sent(nvlink) == 16B
@1-2 expect sent(nvlink) == 32B

mark mean                       # the mean is of those that count: (1 + 2 + 4) / 3 = 7/3
@2 spin 2ms
z = allreduce y op=avg backup=1
sync
@0 expect z[0] > 2.333 and z[0] < 2.334 and y[0] == 1
@2 expect z[0] > 2.333 and z[0] < 2.334 and y[0] == 3

barrier
mark tie                        # all at once: the higher ranks are left out
tensor t[4] = rank+1
tensor i[4] i32 = rank+1
allreduce t backup=2
allreduce i op=avg backup=2
sync
expect t[0] == 3
expect i[0] == 1

barrier
mark graph                      # who is left out is decided at each launch
tensor c[4] = rank+1
tensor d[4] e[4] = 0
capture g { d = allreduce c backup=1; e = add d c }
launch g
sync
expect d[0] == 6 and e[0] == 7+rank
@1 spin 1ms
launch g
sync
expect d[0] == 8 and e[0] == 9+rank

barrier
mark behind                     # rank 3 is two collectives behind, and has them in its own order
tensor a[4] b[4] = rank+1
stream s
@3 spin 1ms
allreduce a backup=1
allreduce b backup=1 on s
wait s
sync
expect a[0] == 6 and b[0] == 6
@0-2 expect time < 0.5ms

mark never                      # no line of rank 3, and no need of one
tensor n[4] = rank+1
@0-2 allreduce n backup=1
@0-2 sync
@0-2 expect n[0] == 6
expect not stuck
@3 allreduce n backup=1
@3 expect n[0] == 6

mark mismatch                   # who brings something else waits in vain
tensor m[4] = 1
tensor l[8] = 1
@0-2 allreduce m backup=1
@3 allreduce l backup=1
@0-2 expect m[0] == 3
expect stuck
abort world
sync
