# zero: data parallel with less memory; each rank keeps only its part of the optimizer's state (1), the gradients (2), the parameters (3)
# memory: P parameters of a half type with Adam on n ranks (arXiv:1910.02054, table 1)
#   stage 1   2P + 2P + 12P/n: parameters, gradients, and a part of master weights and Adam's means
#   stage 2   2P + (2+12)P/n: the gradients of a block are cut as soon as they are ready
#   stage 3   (2+2+12)P/n: and of one block, and the next, the parameters are whole for a while
#   f32       4P + 4P + 8P/n;  4P + (4+8)P/n;  (4+4+8)P/n
#   with accumulate above 1 the gradients stay whole until the last micro-batch, in all stages.
#   offload=host: the last of these, 12P/n, is in host memory (f32: 8P/n and a copy of the part of the parameters),
#   a step copies the gradients' part to the host, and the parameters' part back.
#   offload=nvme: it is on the disk, read ahead of each group's step and written back; gradients: (stage 2), params: (stage 3) may
#   be kept there too, as offload=optimizer:nvme,params:host
# sends: gradients, cut (reduce-scatter), and stepped parameters, gathered; stage 3 gathers before a block computes
# bytes: a rank sends in a step: a reduce-scatter and an allgather, (n-1)/n of the parameters each: as an allreduce
#   stage 3   two allgathers (forward, backward; of what is in no block one) for each micro-batch: up to 1.5 times the bytes of
#             stages 1 and 2, without accumulate
#   beside ddp on m nodes: of its part of the gradients 2(m-1)/m across; beside tp all of this is of a rank's blocks
# when: the model fits on a GPU, its optimizer does not: stages 1 and 2 send no more than ddp. Stage 3 is fsdp with fewer choices.
# axis dp_shard: cut what is kept of the parameters
# after tp cp ep pp
option stage=1 of="1 2 3" "what is cut: 1 the optimizer's state, 2 also gradients, 3 also parameters"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
option offload=none of="none host nvme" for="optimizer params gradients" "kept there (optimizer:nvme,params:host); the host steps"
let per = 2;  let wrap = "block";  let prefetch = 1;  let reshard = "on"        # groups are blocks (of an mlp: two layers)
let cut_parameters = stage == 3;  let whole_gradients = stage == 1 or per_round*accumulate > 1
source flat
