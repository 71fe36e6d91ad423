# a line that needs another rank's missing line is refused, has no effect and costs no launch
# ranks 2
tensor g[4] = rank
say "ready"
#> ready
@0 recv g from=1
@0 let a = g[0]
#> tests/script/commands/read_waits.rsh:7: g[0] is not known yet: recv g waits for a line on rank 1
@0 if g[0] > 0 { spin 1ms }
#> tests/script/commands/read_waits.rsh:9: g[0] is not known yet: recv g waits for a line on rank 1
@1 send g to=0
sync
expect time < 0.05ms
@0 let a = g[0]
@0 print a
#> [0] a = 1

# an answer that hangs on rank 0 alone leaves the others their time: rank 1 has a side in what waits on rank 0, and has not queued it
reset
stream s
tensor x[64,64] a[256,256] = rank
event begun done
@0 allreduce x on s
@0 y = matmul a a
@1 record begun
@0 let first = y[0,0]
@1 z = matmul a a
@1 record done
@1 allreduce x on s
sync
@1 expect elapsed(begun,done) < 3ms
# a collective that waits for its turn hangs on the one before it; of two circles the first is told
reset
stream a b
tensor p[4] q[4] = rank
@0 { allreduce p on a; allreduce q on b; sync b }
@0 let v = q[0]
#> tests/script/commands/read_waits.rsh:37: q[0] is not known yet: allreduce p waits for a line on rank 1
reset
stream a b
tensor p[4] q[4] r[4] s[4] = rank
send p to=1-rank on a; recv q from=1-rank on a
send r to=1-rank on b; recv s from=1-rank on b
sync
@0 let v = s[0]
#> tests/script/commands/read_waits.rsh:45: s[0] is not known yet: stuck: a circle: rank 0 (send p) waits for rank 1 (send p) waits for rank 0
reset
# a text reads as `print` does: the host waits for the stream. So does a line that steers what comes after it; a look leaves the program as it is
tensor g[4] = 0
mark text
spin 2ms
fill g 7
say "now $(g[0])"
#> now 7
fill g 8
expect hostwait(text) > 1.9ms and count(copy,text) == 1
mark factor
spin 2ms
fill g 3
slow g[0]
spin 1ms
slow 1
sync
expect hostwait(factor) > 1.9ms and count(copy,factor) == 1 and abs(time(factor)-5ms) < 0.1ms
mark look
spin 2ms
at g[0]*0.1ms
#>    ranks  lane     at 300 us
#>    0,1    host     in `say`, for 240 us
#>           default  spin: 280 us of 2.00 ms, 14%
at off
fill g 8
expect hostwait(look) == 0 and count(copy,look) == 0
# a value is read in the order of the stream that `use`, or the block around it, names; on a thread of the host in that of the default stream
reset
stream net
stream thread kind=host
tensor x[4] = rank
allreduce x on net
on net { let v = x[0] }
sync
fill x 5 on net
on net { if x[0] == 5 { say "five on $(x[1])" } }
#> five on 5
fill x 6 on net
use net
repeat x[0]-5 { say "six on $(x[1])" }
#> six on 6
use thread
let w = x[2]
use default
expect v == 1 and w == 6 and count(copy,net) == 5 and count(copy,default) == 1 and races == 0
