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
