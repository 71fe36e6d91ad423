# transfers of several sizes in one line match: a ring over uneven parts, `together` with two sends
# ranks 2 3 5
tensor x[16,16] bf16 = 1
allreduce x unroll
expect x[0,0] == world
tensor a[64] b[4] = rank + 1
@0 together { send a to=1; send b to=1 }
@1 together { recv a from=0; recv b from=0 }
sync
@1 expect b[0] == 1
expect not stuck
say "met"  #> met
