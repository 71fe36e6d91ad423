# fsdp: every rank keeps 1/n of everything; a group's parameters are gathered when it computes
# memory: 1/n of parameters, gradients and optimizer state; temporarily also the whole parameters
#   of 1+prefetch groups and the whole gradients of one group
#   reshard=off   all parameters stay gathered from forward to backward
#   wrap=model    everything is gathered at once: only the optimizer state is sharded all the time
#   accumulate    if above 1, gradients stay whole until the last micro-batch (PyTorch's no_sync)
#   offload=host  the optimizer state is in host memory; a step copies this rank's gradients to the host
#                 and its parameters back
#   offload=nvme  the optimizer state is on disk: read into prefetch+2 pinned buffers before each
#                 group's step, then written back
#   offload=optimizer:nvme,params:host,gradients:host    the GPU keeps only buffers for prefetch+2 groups
# sends: parameters (allgather before a group computes), gradients (reduce-scatter once computed)
# bytes: per micro-batch an allgather in forward and one in backward (not with reshard=off,
#   wrap=model, nor for parameters outside the blocks); per step a reduce-scatter. Each sends
#   (n-1)/n of the parameters.
#   With ddp over m nodes (HSDP), each rank also sends 2(m-1)/m of its gradients. With tp, all
#   figures are for the rank's part of the blocks. With pipeline, it gathers for each micro-batch.
#   offload, for P bytes of half-precision parameters: a step copies P/n to the host and P/n back
#   (params: P/n back for each allgather). nvme, with Adam: a step reads 6 P/n and writes 6 P/n
#   (params: writes P/n, and reads P/n for each allgather; gradients: P/n each way)
# when: the model does not fit on a GPU, and a group computes for longer than its allgather
#   takes: many tokens per rank, fast links.
# axis dp_shard: shard parameters, gradients and optimizer state
# after tp cp ep pp
# The options follow PyTorch's FSDP, arXiv:2304.11277.
option wrap=block of="layer block model" "gathered at once: a block (mlp: two layers), a layer (gpt: half a block), or the whole model"
option prefetch=1 least=0 "number of groups gathered ahead of the one that computes"
option reshard=on of="on off" with="wrap=block layer" "on: parameters are freed after forward and gathered again for backward (reshard_after_forward)"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
option offload=none of="none host nvme" for="optimizer params gradients" "where state is kept (optimizer:nvme,params:host); the host runs the step"
let per = 1+(wrap=="block");  let cut_parameters = 1;  let whole_gradients = per_round*accumulate > 1
# wrap=layer: a gpt's attention, MLP and experts gather just before their matrices, after the norm
let late = wrap == "layer" and first_unit == 0;  let inside = 0
source flat
def find_group u { replaced u;  let inside = late and own > 0;  if inside { let opens = 0;  let closes = 0 } }
def norm y x { replaced y x;  if inside { enter own 1-2*again } }
def by_rows y x w { replaced y x w;  if inside and reshard == "on" and not again { leave own } }
def by_rows_backward dx dy x w inputs weights { if inside and inputs { enter_backward own };  replaced dx dy x w inputs weights }
def experts_forward b k { replaced b k;  if inside and reshard == "on" and not again { leave own } }
def gate_backward dy k { if inside { enter_backward own };  replaced dy k }
def norm_backward dx dy x { if inside { leave own };  replaced dx dy x }
