# a block freed while another stream still works on it: its owner, and a free that names the stream
stream side nccl
tensor one[64,64] = 1
sum = relu one
wait default on side;  wait side on nccl
allreduce sum on nccl
wait nccl on side
free sum
next = relu one
#>    race: `allreduce` on nccl writes sum while `relu` on default writes next, in
#>    the memory of sum, which was freed in line 8. `free sum on nccl` there, or
#>    `wait nccl on default` between the two, puts them in order.             [0-3]
sync
sum = relu one
wait default on nccl
allreduce sum on nccl
free sum on nccl
after = relu one
mark named                      # also where the new tensor has the name of the old one
short = relu one
wait default on side
seen = scale short 2 on side
free short
short = relu one
#>    race: `scale` on side reads short while `relu` on default writes short, in
#>    the memory of short, which was freed in line 23. `free short on side` there,
#>    or `wait side on default` between the two, puts them in order.          [0-3]
# `free ... on S` orders as cudaFreeAsync does: one block serves all turns, and its next tensor waits for S
stream compute comm
tensor src[4M] = 1
mark ahead
for k in 0:6 {
  buf = scale src 2 on compute
  wait compute on comm;  out = spin 5ms buf on comm
  free buf on comm
  free out on comm
}
sync
expect races(ahead) == 0 and peak < 49MB and count(wait,compute) == 5 and count(wait,comm) == 6
