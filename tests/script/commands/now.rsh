# now: the host's clock, as time.perf_counter(): a launch returns at once; work counts after a sync
# ranks 2
# sim: times stand in it
tensor a[1024,1024] b[1024,1024] = randn
c = matmul a b
sync
let t0 = now
c = matmul a b
let t1 = now
sync
let t2 = now
say "without sync $(t1-t0), with $(t2-t0)"
#> without sync 20 us, with 128.02 ms
expect t1-t0 == 20us and t2-t0 > 100ms and now == t2
# it is the rank's own, and moves with what its host does
@1 host 3ms
let t3 = now
expect t3-t2 == 3ms*rank
# a reading takes no time, and no part in what the ranks do with each other
mark apart
@1 { let here = now;  host 1ms;  print now-here }
#> [1] now-here = 1.00 ms
allreduce c
sync
@0 expect count(sync) == 1 and stall(peer) > 0
# of a host that waits for a line of another rank it is not known
@0 { send a to=1;  sync }
expect error "now: the host of rank 0 waits for work that is not queued yet" { @0 let t4 = now }
@1 recv b from=0
@0 let t4 = now
@0 expect t4 > t3
expect error "let: 'now' is a reserved word" { let now = 1 }
