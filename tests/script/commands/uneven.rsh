# ranks that lost different times stand in one row, which says so: rank 1 is later, and its matmul meets less of the allreduce
# ranks 2
tensor g[256,256] x[256,256] w[256,256] = 1
stream c comm
@1 host 3ms
allreduce g on comm
y = matmul x w on c
sync
stalls
#> where the time went, in ms of 5.23 ms
#>    ranks  lane       work     launch       host       sync       peer       done
#>    0      host             0.04   1%             3.96  76%             1.23  24%
#>           c     2.50  48%  0.04   1%                                   2.69  51%
#>           comm  0.98  19%  0.02   0%                        3.00  57%  1.23  24%
#>    1      host  3.00  57%  0.04   1%             2.19  42%
#>           c     2.19  42%  0.04   1%  3.00  57%
#>           comm  0.98  19%  0.02   0%  3.00  57%                        1.23  24%
#> largest
#>      3.00 ms  host    1 c     the host had not come to it
#>      3.00 ms  host    1 comm  the host had not come to it
#>      3.00 ms  peer    0 comm  waited for allreduce g on comm of rank 1
#>    to 500 us  slowed  0,1 c   matmul y shared what it needs with other work
#>        20 us  launch  0,1 c   the host was issuing matmul y
#>        20 us  launch  0,1 c   the host was issuing allreduce g
