# gossip: decentralized SGD on a ring; a rank averages its parameters with those of its two neighbours, while it computes
# memory: the whole model on every rank: parameters, gradients, optimizer; the neighbours' parameters; activations of batch/n rows
# sends: parameters, to two neighbours in each step
# bytes: 2P a rank and step (of 2 ranks P), as ddp's; but to the neighbours alone, in one hop: no latency that grows with n.
#   a rank waits for its two neighbours and for nobody else; what it has learned is on the other side of the ring n/2 steps later,
#   so ranks have parameters of their own, near each other; the mean of all is what is trained.
# when: many ranks, slow or uneven links. D-PSGD, Lian et al., NIPS 2017, arXiv:1705.09056
# axis dp: share out the batch
# after tp cp ep pp dp_shard
# loses size(dp) > 1: ranks have parameters of their own
# own pace size(dp) > 3: a rank waits for its neighbours alone, so `run` reads the losses at its end
option every=1 least=1 "steps between two averages"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp);  let micros = per_round*accumulate
refuse gathers == "flat" "gossip averages whole parameters, and beside zero or fsdp no rank has them: ddp there, or gossip alone"
let next = (dp+1)%size(dp);  let previous = (dp-1)%size(dp)
stream left right              # one for each neighbour

# room for the neighbours' parameters; of a half type its masters travel
def optimizer_memory p r c {
  replaced p r c
  if size(dp) > 1 { tensor left_$p[r,c] kind=buffer }
  if size(dp) > 2 { tensor right_$p[r,c] kind=buffer }
}
def iteration {
  if it%every == 0 {
    ## parameters to the neighbours
    # they travel while the gradient is computed, which is of a rank's own
    phase C;  wait compute on left;  wait compute on right
    each_unit each_parameter to_neighbours
  }
  replaced
}
# the two exchanges start as one: one after the other, each rank's first would wait for its neighbour's second, all around the ring
def to_neighbours p r c deviation s cut {
  if size(dp) > 1 { together {
    sendrecv $(p)$master -> left_$p to=previous from=previous on left in dp
    if size(dp) > 2 { sendrecv $(p)$master -> right_$p to=next from=next on right in dp }
  } }
}
# the mean of three, and then the step
# all leave a step with an overflow out, or neighbours would wait for who did not; a norm is of this rank's own
def everywhere seen { replaced seen;  if "$seen" != "squares" { allreduce seen in dp } }
def update {
  if it%every == 0 { wait left on compute;  wait right on compute;  each_unit each_parameter mix }
  replaced
}
def mix p r c deviation s cut {
  if size(dp) > 1 { $(p)$master += left_$p }
  if size(dp) > 2 { $(p)$master += right_$p }
  $(p)$master = scale $(p)$master 1/min(3,size(dp))
}
