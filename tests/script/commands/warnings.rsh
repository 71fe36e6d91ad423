# races, uninitialized reads
tensor h[64,64] pinned = 1
tensor x[64,64] w[64,64] = 1
stream io compute
copy h -> x on io;  y = matmul x w on compute
#>    race: `copy` on io writes x while `matmul` on compute reads it.
#>    `wait io on compute` between the two puts them in order.                [0-3]
sync
races
#>    race: `copy` on io writes x while `matmul` on compute reads it.
#>    `wait io on compute` between the two puts them in order.                [0-3]
expect races > 0
tensor u[4]
v = relu u
#>    unwritten: `relu` reads u, and nothing has written it.                [0-3]
tensor k[4]
@0 fill k 1
broadcast k
stream io2
tensor m[4] = 1
reduce m on io2
r = add m m
#>    race: `reduce` on io2 writes m while `add` on default reads it.
#>    `wait io2 on default` between the two puts them in order.                 [0]
group p 0-1
group q 0-1
tensor g[4] = rank
@0 { allreduce g in p; allreduce g in q }
@1 { allreduce g in q; allreduce g in p }
#>    ranks 0 and 1 queue collectives of p and q in opposite orders: NCCL can hang
abort p
abort q
# of messages that are fused, the one that reads or writes the tensor
reset
stream l
tensor x[4] lo[4] hi[4] = rank
tensor u[4] v[4]
together { send x to=(rank+1)%world on l;  recv lo from=(rank-1)%world on l }
y = relu lo
#>    race: `recv` on l writes lo while `relu` on default reads it.
#>    `wait l on default` between the two puts them in order.                 [0-3]
together { recv v from=(rank-1)%world on l;  send u to=(rank+1)%world on l }
#>    unwritten: `send` reads u, and nothing has written it.                [0-3]
# of a gather into its own part, what it writes tells once
tensor w[16] = 0
w[4*rank:4*rank+4] = full [4] 1
w = allgather w[4*rank:4*rank+4] on l
#>    race: `full` on default writes w[0:4] while `allgather` on l writes w.
#>    `wait default on l` between the two puts them in order.                   [0]
#>    race: `full` on default writes w[4:8] while `allgather` on l writes w.
#>    `wait default on l` between the two puts them in order.                   [1]
#>    race: `full` on default writes w[8:12] while `allgather` on l writes w.
#>    `wait default on l` between the two puts them in order.                   [2]
#>    race: `full` on default writes w[12:16] while `allgather` on l writes w.
#>    `wait default on l` between the two puts them in order.                   [3]
