# of several fused messages, stuck names the one that has no partner
# ranks 4
# sim: on a GPU `let` waits until a key ends it

tensor a[4] b[4] = rank
@0 together { send a to=1;  recv b from=1 }
@1 recv a from=0
expect error "recv b waits for a line on rank 1" { let v = b[0] }
stuck
#> rank 0 waits for a line on rank 1
#>    ranks  hangs in           waits for  last done  next in world
#>    0      recv b on default  rank 1     nothing    recv b
#>    1                                    recv a     nothing
@1 recv a from=0
@0-1 sync
stuck
#> stuck: ranks 0,1 wait, and no line can help
#>    a circle: rank 0 (recv b) waits for rank 1 (recv a) waits for rank 0
#>    ranks  hangs in           waits for  last done  next in world
#>    0      recv b on default  rank 1     nothing    recv b
#>    1      recv a on default  rank 0     recv a     recv a
abort
