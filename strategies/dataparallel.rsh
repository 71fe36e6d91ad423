# dataparallel: rank 0 sends out the model and the batch in every step; shows why ddp replaced it
# memory: rank 0 has everything, and the whole batch's outputs; other ranks have parameters,
#   gradients, activations for batch/n rows
# bytes: per step, for P bytes of parameters: a chain of ranks passes the parameters on (broadcast
#   from rank 0) and the gradients back (reduce). Rank 0 and the last rank send P, the others 2P.
#   Rank 0's link also carries the other ranks' rows, outputs and output gradients.
# axis dp: split the batch
# alone: one rank sends the whole model to all others
#  rank 0  rows out -> | parameters out -> | forward | outputs in <- | loss
#  others  rows in     | parameters in     | forward | outputs out   |
#  rank 0  gradients out -> | backward | sums in <- | optimizer
#  others  gradients in     | backward | sums out   |
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
refuse experts > 0 "rank 0 computes the loss, but the experts' balance loss is computed on each rank: `strategy ddp` trains such a model"
let ranks = size(dp);  let micros = accumulate
refuse batch < ranks "batch=$batch on $ranks ranks leaves some without a row; batch=$ranks fits, or ranksh -n $batch"
refuse micros > 1 and batch%(ranks*micros) != 0 "batch=$batch does not divide by ranks*accumulate=$(ranks*micros)"
stream comm blocking
# Finds this rank's rows in micro-batch k; rank 0 holds all rows.
def take_part k {
  take k;  let whole = rows
  let first = first+dp*whole//ranks;  let rows = (dp+1)*whole//ranks-dp*whole//ranks
}
# send_out copies each rank's rows of rank 0's `whole` to its `part`, one rank after the other;
# bring_in copies them back.
def send_out whole part {
  let all = batch//micros;  wait compute on comm
  @(dp == 0) { copy $(whole)[0:all//ranks*seq] -> $part on comm }
  for r in 1:ranks {
    @(dp == 0) { send $(whole)[r*all//ranks*seq:(r+1)*all//ranks*seq] to=r on comm in dp }
    @(dp == r) { recv $part from=0 on comm in dp }
  }
  wait comm on compute
}
def bring_in whole part {
  let all = batch//micros;  wait compute on comm
  @(dp == 0) { copy $part -> $(whole)[0:all//ranks*seq] on comm }
  for r in 1:ranks {
    @(dp == r) { send $part to=0 on comm in dp }
    @(dp == 0) { recv $(whole)[r*all//ranks*seq:(r+1)*all//ranks*seq] from=r on comm in dp }
  }
  wait comm on compute
}
def setup {
  ## streams, and the data
  # rank 0 holds the data and the model; the other ranks allocate memory for copies
  let weigh = micros > 1;  take 0
  @(dp == 0) { load_data;  input_room all;  target_room all;  tensor $(outcome)_all[rows*seq,wide] $dtype }
  take_part 0;  input_part 0;  tensor d$(outcome)_room[rows*seq,wide] $dtype
  ## the parameters
  # every rank has gradients; only rank 0 has optimizer state
  each_unit each_parameter parameter;  @(dp == 0) { scaler_memory }
}
def parameter p r c deviation s cut {
  @(dp == 0) { replaced p r c deviation s cut }
  @(dp > 0) { tensor $p[r,c] $dtype kind=parameter = zeros;  gradient_memory p r c }
}
# ---- an iteration ----
def broadcast_one p r c deviation s cut { broadcast $p root=0 on comm in dp }
def reduce_one p r c deviation s cut { reduce d$p op=sum root=0 on comm in dp }
def iteration {
  use compute
  ## the parameters go out
  # every step sends new copies, because the last step's copies are stale
  phase C;  wait compute on comm
  each_unit each_parameter broadcast_one
  wait comm on compute
  for k in 0:micros { micro_batch k }
  ## the gradients come in
  # summed on rank 0, the only rank that needs them
  phase C;  wait compute on comm
  each_unit each_parameter reduce_one
  wait comm on compute
  ## the optimizer
  # only rank 0 steps
  phase O;  @(dp == 0) { clip_gradients;  optimizer_step }
}
def micro_batch k {
  ## the batch goes out
  # rank 0 takes the batch and sends each rank its rows, one after the other
  phase F$k;  take k;  @(dp == 0) { read_input all;  read_target all }
  send_out $(input)_all $(input)_0
  take_part k
  for u in first_unit:last_unit {
    name_unit u
    ## forward of $name
    # all ranks compute, each on its rows
    forward u 0
  }
  output 0
  ## the outputs come in
  # all outputs come to rank 0, whose link is the bottleneck
  bring_in $(outcome)_all $(outcome)_0;  free $(outcome)_0
  ## the loss, and its gradient
  # only rank 0 computes; the others wait
  phase B$k;  @(dp == 0) { loss all;  loss_backward all }
  ## the gradients of the outputs go out
  # rank 0 sends each rank its part, one after the other
  d$(outcome)_0 = d$(outcome)_room[0:rows*seq];  send_out d$(outcome)_all d$(outcome)_0
  @(dp == 0) { free d$(outcome)_all }
  output_backward 0 1 1
  for u in last_unit-1:first_unit-1:-1 {
    name_unit u
    ## backward of $name
    # all ranks compute, each on its rows
    backward u 0 1 1
  }
}
