# gossip: decentralized SGD on a ring; each rank averages parameters with its two neighbours
# memory: the whole model on every rank: parameters, gradients, optimizer state; two neighbours'
#   parameters; activations for batch/n rows
# sends: parameters, to two neighbours in each step
# bytes: 2P per rank and step (P on 2 ranks), as ddp, but only to the neighbours, in one hop, so
#   the latency does not grow with n. A rank waits only for its two neighbours. An update reaches
#   the other side of the ring n/2 steps later, so the ranks' parameters differ a little; their
#   mean is the trained model.
# when: many ranks, slow or uneven links. D-PSGD, Lian et al., NIPS 2017, arXiv:1705.09056
# axis dp: split the batch
# after tp cp ep pp dp_shard
# loses size(dp) > 1: each rank has its own parameters
# own pace size(dp) > 3: a rank waits only for its neighbours, so `run` reads the losses at its end
option every=1 least=1 "steps between two averages"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp);  let micros = per_round*accumulate
refuse gathers == "flat" "gossip averages whole parameters, and with zero or fsdp no rank has them: use ddp there, or gossip alone"
let next = (dp+1)%size(dp);  let previous = (dp-1)%size(dp)
stream left right              # one for each neighbour

# Buffers for the neighbours' parameters. In half precision the f32 masters are exchanged.
def optimizer_memory p r c {
  replaced p r c
  if size(dp) > 1 { tensor left_$p[r,c] kind=buffer }
  if size(dp) > 2 { tensor right_$p[r,c] kind=buffer }
}
def iteration {
  if it%every == 0 {
    ## parameters to the neighbours
    # they are exchanged while this rank computes its own gradient
    phase C;  wait compute on left;  wait compute on right
    each_unit each_parameter to_neighbours
  }
  replaced
}
# Both exchanges start together. If they ran in sequence, each rank's first exchange would wait for
# its neighbour's second one, all around the ring: a deadlock.
def to_neighbours p r c deviation s cut {
  if size(dp) > 1 { together {
    sendrecv $(p)$master -> left_$p to=previous from=previous on left in dp
    if size(dp) > 2 { sendrecv $(p)$master -> right_$p to=next from=next on right in dp }
  } }
}
# `update` averages three ranks' parameters, then steps. `everywhere` adds up overflows, so that
# all ranks skip the step: a rank that steps would wait for a neighbour that does not.
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
