# causes: the rank that causes a delay: the one before it in its group
# ranks 2
tensor g[256,256] h[256,256] = 1
stream a b
allreduce g on a
allreduce h on b
sync
stalls
#> time by cause, in ms of 1.98 ms
#>    ranks  lane       work     launch       sync     engine       done
#>    0,1    host             0.04   2%  1.94  98%
#>           a     0.98  49%  0.02   1%                        0.98  49%
#>           b     0.98  49%  0.04   2%             0.96  48%
#> largest
#>     960 us  engine  0,1 b     busy with allreduce g on a
#>      20 us  launch  0,1 a     the host was issuing allreduce g
#>      20 us  launch  0,1 b     the host was issuing allreduce g
#>      20 us  launch  0,1 b     the host was issuing allreduce h
#>    1.94 ms  sync    0,1 host  waited for allreduce h on b
