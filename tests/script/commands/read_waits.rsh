# a line whose value hangs on another rank's line not yet given is refused, and leaves nothing behind: it costs no launch
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
