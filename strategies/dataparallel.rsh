# dataparallel: rank 0 sends the model and the batch out in every step; to see why ddp replaced it
# memory: rank 0: everything, and the outputs of the whole batch; the others: parameters, gradients, activations of batch/n rows
# bytes: a step: parameters go from rank to rank (broadcast, from rank 0), gradients back (reduce): each sends 2P. Through rank 0's
#   link also go the rows and the outputs' gradients of the others, and their outputs
# axis dp: share out the batch
# alone: one rank sends the whole model out, to all the others
#  rank 0  rows out -> | parameters out -> | forward | outputs in <- | loss
#  others  rows in     | parameters in     | forward | outputs out   |
#  rank 0  gradients out -> | backward | sums in <- | optimizer
#  others  gradients in     | backward | sums out   |
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
refuse experts > 0 "rank 0 has the loss, and experts' balance is each rank's own: `strategy ddp` trains a model with experts"
let ranks = size(dp);  let micros = accumulate
refuse batch < ranks "batch=$batch on $ranks ranks: some would have no row; batch=$ranks fits, or ranksh -n $batch"
refuse micros > 1 and batch%(ranks*micros) != 0 "batch=$batch does not divide by ranks*accumulate=$(ranks*micros)"
stream comm blocking
# micro-batch k is rank 0's; of its rows this rank's part
def take_part k {
  take k;  let whole = rows
  let first = first+dp*whole//ranks;  let rows = (dp+1)*whole//ranks-dp*whole//ranks
}
# rank 0's `whole` in parts to everybody's `part`, one after the other; and back
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
  # the data and the model are rank 0's; the others have room for copies
  let weigh = micros > 1;  take 0
  @(dp == 0) { load_data;  input_room all;  target_room all;  tensor $(outcome)_all[rows*seq,wide] $dtype }
  take_part 0;  input_part 0;  tensor d$(outcome)_room[rows*seq,wide] $dtype
  ## the parameters
  # gradients are everybody's; what the optimizer keeps is rank 0's
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
  # the copies are made anew in every step: last step's are stale
  phase C;  wait compute on comm
  each_unit each_parameter broadcast_one
  wait comm on compute
  for k in 0:micros { micro_batch k }
  ## the gradients come in
  # added up on rank 0, the only one that needs them
  phase C;  wait compute on comm
  each_unit each_parameter reduce_one
  wait comm on compute
  ## the optimizer
  # only rank 0 again
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
    # all ranks compute, each with its rows
    forward u 0
  }
  output 0
  ## the outputs come in
  # all outputs come to rank 0, whose link is the narrow one
  bring_in $(outcome)_all $(outcome)_0;  free $(outcome)_0
  ## the loss, and its gradient
  # only rank 0 computes; the others wait
  phase B$k;  @(dp == 0) { loss all;  loss_backward all }
  ## the gradients of the outputs go out
  # and out again, one after the other
  d$(outcome)_0 = d$(outcome)_room[0:rows*seq];  send_out d$(outcome)_all d$(outcome)_0
  @(dp == 0) { free d$(outcome)_all }
  output_backward 0 1 1
  for u in last_unit-1:first_unit-1:-1 {
    name_unit u
    ## backward of $name
    # all ranks compute, each with its rows
    backward u 0 1 1
  }
}
