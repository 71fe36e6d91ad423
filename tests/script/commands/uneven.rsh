# one row for ranks with different lost times, which says so: rank 1's matmul meets less allreduce
# ranks 2
tensor g[256,256] x[256,256] w[256,256] = 1
stream c comm
@1 host 3ms
allreduce g on comm
y = matmul x w on c
sync
stalls
#> time by cause, in ms of 5.23 ms
#>    ranks  lane  work  slowed  launch  host  sync  peer  done
#>    0      host                  0.04        3.96        1.23
#>           c     2.00    0.50    0.04                    2.69
#>           comm  0.98            0.02              3.00  1.23
#>    1      host  3.00            0.04        2.19
#>           c     2.00    0.19    0.04  3.00
#>           comm  0.98            0.02  3.00              1.23
#> largest
#>      3.00 ms  host    1 c     the host had not reached it
#>      3.00 ms  host    1 comm  the host had not reached it
#>      3.00 ms  peer    0 comm  waited for allreduce g on comm of rank 1
#>    to 500 us  slowed  0,1 c   matmul y ran beside allreduce g on comm
#>        20 us  launch  0,1 c   the host was issuing matmul y
#>        20 us  launch  0,1 c   the host was issuing allreduce g
#>      3.96 ms  sync    0 host  waited for allreduce g on comm
#>      2.19 ms  sync    1 host  waited for matmul y on c

# what comes behind an answer begins no earlier than that, and is told so: nobody's host was late
reset
stream c
tensor x[4] = 1
@1 spin 3ms
allreduce x
expect x[0] == 2
spin 1ms on c
sync
stalls
#> time by cause, in ms of 4.04 ms
#>    ranks  lane     work  launch  host  sync  peer  done
#>    0      host             0.04        4.00
#>           default  0.02    0.02              3.00  1.00
#>           c        1.00    0.04  3.00
#>    1      host             0.06        3.98
#>           default  3.02    0.02                    1.00
#>           c        1.00    0.06  2.98
#> largest
#>    to 3.00 ms  host    0,1 c      the line came after an answer (a loss)
#>       3.00 ms  peer    0 default  waited for allreduce x on default of rank 1
#>         20 us  launch  0,1 c      the host was issuing spin
#>         20 us  launch  0,1 c      the host was issuing allreduce x
#>         20 us  launch  0 default  the host was issuing allreduce x
#>         20 us  launch  1 c        the host was issuing spin
#>    to 4.00 ms  sync    0,1 host   waited for spin on c
# sim: where a line came behind an answer, a GPU was idle
