# a race that waited for rank 1's message is reported when the collective ends, asked before or not
# ranks 4
# sim: on GPUs `sync` waits for rank 1's message, which is sent after it
stream a c
tensor u[8] y[8] = 1
group late 0-3 timeout=2ms
@1 recv u from=2 on a
allreduce u in late on a
@0 u = relu y on c
expect races == 0
expect error "timeout: allreduce#1 in late" { @0 sync }
expect races == 1
#>    timeout: allreduce#1 in late (line 8) has waited 2.00 ms for rank 1. What
#>    is queued in late is aborted.                                         [0-3]
#>    race: `allreduce` on a writes u while `relu` on c writes it. `wait a on c`
#>    between the two puts them in order.                                       [0]
@2 send y to=1 on a
sync
