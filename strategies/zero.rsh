# zero: data parallel with sharded optimizer state; stage 2 also shards gradients, 3 parameters
# memory: in bytes, for P half-precision parameters with Adam on n ranks (arXiv:1910.02054, table
#   1):
#   stage 1   2P + 2P + 12P/n: parameters, gradients, and 1/n of the master weights and Adam's moments
#   stage 2   2P + (2+12)P/n: each block's gradients are reduce-scattered as soon as they are ready
#   stage 3   (2+2+12)P/n, plus two blocks' gathered parameters: the current and the next one
#   f32       1: 4P + 4P + 8P/n;  2: 4P + (4+8)P/n;  3: (4+4+8)P/n
#   If accumulate is above 1, gradients stay whole until the last micro-batch, in every stage.
#   offload=host: the optimizer state, 12P/n, is in host memory (f32: 8P/n and a copy of the rank's
#   parameters). A step copies the rank's gradients to the host, and its parameters back.
#   offload=nvme: the optimizer state is on disk, read before each group's step and written back.
#   Gradients (stage 2) and parameters (stage 3) can be offloaded too:
#   offload=optimizer:nvme,params:host
# sends: gradients (reduce-scatter), parameters (allgather; stage 3: before each block)
# bytes: sent per rank and step: a reduce-scatter and an allgather, each (n-1)/n of the parameters'
#   bytes, together as many as an allreduce
#   stage 3   two allgathers per micro-batch (forward and backward; one for parameters outside the
#             blocks): if accumulate=1, up to 1.5 times as many bytes as stages 1 and 2
#   With ddp over m nodes, each rank also sends 2(m-1)/m of its gradients. With tp, all figures are
#   for the rank's part of the blocks.
# when: the model fits on a GPU and its optimizer state does not. Stages 1 and 2 send no more
#   than ddp.
#   Stage 3 is fsdp with fewer options.
# axis dp_shard: shard parameters, gradients and optimizer state
# after tp cp ep pp
option stage=1 of="1 2 3" "1 shards the optimizer state, 2 also gradients, 3 also parameters"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
option offload=none of="none host nvme" for="optimizer params gradients" "where state is kept (optimizer:nvme,params:host); the host runs the step"
let per = 2;  let wrap = "block";  let prefetch = 1;  let reshard = "on"        # groups are blocks (mlp: two layers)
let cut_parameters = stage == 3;  let whole_gradients = stage == 1 or per_round*accumulate > 1
source flat
