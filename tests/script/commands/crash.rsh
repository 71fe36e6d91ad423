# a crashed rank is named, whatever was queued after the crash
@2 crash
tensor g[4] = 1
allreduce g
sync
stuck
#> stuck: ranks 0,1,3 wait, and no line can help
#>    rank 2 has crashed, and others wait for it
#>    ranks  hangs in                waits for  last done  next in world
#>    0,1,3  allreduce g on default  rank 2     nothing    allreduce g
#>    2                                         crash      nothing: it has crashed
abort world
