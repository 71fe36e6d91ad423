# fsdp: every rank keeps 1/n of everything; a layer's parameters are gathered before it computes, and freed after it
# memory: 1/n of parameters, gradients, optimizer; whole for a while: the parameters of 1+prefetch groups, the gradients of one
#   reshard=off   all parameters whole from forward to backward
#   wrap=model    everything whole at once: only the optimizer's state is small
#   accumulate    above 1: the gradients stay whole until the last micro-batch (PyTorch's no_sync)
#   offload=host  the optimizer's state in host memory; a step copies 1/n of the gradients there, and 1/n of the parameters back
#   offload=nvme  on the disk: read into prefetch+2 pinned buffers ahead of each group's step, and written back
#   offload=optimizer:nvme,params:host,gradients:host    of the device's 1/n nothing stays but buffers for prefetch+2 groups
# sends: parameters, gathered before a group of them computes; gradients, cut (reduce-scatter) as they are made
# bytes: allgather in forward, allgather in backward (not with reshard=off, wrap=model, or of what is in no block),
#   for each micro-batch, and a reduce-scatter a step: (n-1)/n of the parameters each.
#   beside ddp on m nodes (HSDP): of its 1/k of the gradients 2(m-1)/m across; beside tp all of this is of a rank's blocks;
#   beside pipeline it gathers for each micro-batch.
#   offload, of P bytes of parameters (a half type): a step copies P/n to the host and P/n back (params: P/n back for each allgather);
#   nvme, with Adam: 6 P/n read and written (params: P/n written, and read for each allgather; gradients: P/n each way)
# when: the model does not fit on a GPU, and a group computes for longer than its parameters travel: many tokens a rank, fast links.
# axis dp_shard: cut what is kept of the parameters
# after tp cp ep pp
# with the choices of PyTorch's FSDP, arXiv:2304.11277
option wrap=block of="layer block model" "gathered together: a block (mlp: two layers), a layer (gpt: half a block), everything"
option prefetch=1 least=0 "groups that are gathered ahead of the one that computes"
option reshard=on of="on off" with="wrap=block layer" "freed after forward and gathered again for backward (PyTorch's reshard_after_forward)"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
option offload=none of="none host nvme" for="optimizer params gradients" "kept there (optimizer:nvme,params:host); the host steps"
let per = 1+(wrap=="block");  let cut_parameters = 1;  let whole_gradients = per_round*accumulate > 1
# with wrap=layer, a gpt's attention, MLP and experts are entered at their matrices, behind the norm
let late = wrap == "layer" and first_unit == 0;  let inside = 0
source flat
def find_group u { replaced u;  let inside = late and own > 0;  if inside { let opens = 0;  let closes = 0 } }
def norm y x { replaced y x;  if inside { enter own 1-2*again } }
def by_rows y x w { replaced y x w;  if inside and reshard == "on" and not again { leave own } }
def by_rows_backward dx dy x w inputs weights { if inside and inputs { enter_backward own };  replaced dx dy x w inputs weights }
def experts_forward b k { replaced b k;  if inside and reshard == "on" and not again { leave own } }
def gate_backward dy k { if inside { enter_backward own };  replaced dy k }
def norm_backward dx dy x { if inside { leave own };  replaced dx dy x }
