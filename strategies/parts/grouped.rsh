# grouped: makes the groups and their memory. A group is one flat tensor of parameters, sharded over
# the ranks. zero and fsdp choose a group's units (per, wrap), what stays unsharded
# (whole_gradients = 1, cut_parameters = 0), and how far ahead groups are gathered (prefetch, reshard).
let replica = replica*size(dp_shard)+dp_shard;  let replicas = replicas*size(dp_shard);  let micros = per_round*accumulate
let shards = size(dp_shard);  if gathers == "" { stream comm blocking }
let gathers = "flat"
# prefixes of tensors' names: kept: what begin writes; lies: masters; state_lies: optimizer state.
# offloaded.rsh changes them
let kept = "shard";  let lies = "shard";  let state_lies = "shard";  let host = 0
let offloads = offload_optimizer != "none";  let offload_more = offload_params != "none" or offload_gradients != "none"
let steps_where = "this needs the optimizer offloaded too: add optimizer:host or optimizer:nvme"
let stays = "offload=$offload: parameters can be offloaded only if they are sharded: use zero stage=3 or fsdp"
refuse offload_more and not offloads "offload=$offload: $steps_where"
refuse offload_params != "none" and not cut_parameters "$stays"
let whole_stay = "whole gradients stay on the GPU: use accumulate=1 and no pipeline (zero: stage=2 or 3)"
refuse offload_gradients != "none" and whole_gradients "offload=$offload: $whole_stay"

# ---- groups: 0 has the parameters outside the blocks, or the whole model if wrap=model; the others follow
# forward's order. For group 3: flat3 holds its parameters in sequence, padded to a multiple of the ranks
# (w5: a view); shard3 is this rank's part; dflat3, dshard3 are gradients; event ready3: flat3 is
# gathered; event summed3: dshard3 is reduced; here_3: 0 no flat3, 1 being gathered,
# 2 compute waits for it already
let groups = (last_unit-2+per)//per*(wrap!="model")
let own = 0;  let opens = 0;  let closes = 0;  let home = 0;  let todo = ""
# own_5: unit 5's group; opens_5: unit 5 is the first of its group in this piece of the model;
# closes_5: the last
for u in first_unit:last_unit+1 {
  let own_$u = (u+per-1)//per*(u < last_unit and wrap != "model");  let opens_$u = 0;  let closes_$u = 0
}
for i in 0:groups+1 { let at_$i = 0;  let here_$i = 0;  let count_$i = 0;  let made_$i = 0 }
def find_ends u c {
  let from = low_$c;  let to = high_$c
  if own_$u > 0 { let from = max(from,own_$u*per-per+1);  let to = min(to,own_$u*per,last_unit-1) }
  let opens_$u = u == from;  let closes_$u = u == to
  if own_$u == 0 and wrap != "model" {                                   # the embedding and the head: this rank may have one or both
    let opens_$u = u == first_unit or from > first_unit;  let closes_$u = u == last_unit or to < last_unit
  }
}
for c in 0:pieces { for u in low_$c:high_$c+1 { find_ends u c } }
# spot_of_group: the position of unit u's group in forward's order. Group 0 has two: the
# embedding is before all others, the head after them. In the embedding's backward no further group
# is prefetched: the next one, for the next forward, exists only after the optimizer step.
let spot_of_group = 0
def find_group u {
  let own = own_$u;  let opens = opens_$u;  let closes = closes_$u
  let spot_of_group = own;  if own == 0 and u == last_unit { let spot_of_group = groups+1 }
}
# Calls `what` with each of this rank's parameters in group i. During a call at_3 is the parameter's
# offset in group 3, in elements; afterwards it is the group's length.
def members i what {
  let home = i;  let todo = "$what";  let at_$i = 0
  if i == 0 { each_unit unit_members member } else {
    for c in 0:pieces { for u in max(i*per-per+1,low_$c):min(i*per,last_unit-1,high_$c)+1 { each_parameter u member } }
  }
}
def unit_members u what { if own_$u == home { each_parameter u what } }
def member p r c deviation s cut { $todo p r c deviation s cut;  let at_$home = at_$home+r*c }
def counted p r c deviation s cut { let count_$home = count_$home+1 }
for i in 0:groups+1 { members i counted;  let part_$i = (at_$i+shards-1)//shards }

# ---- memory ----
def parameters {
  ## memory, in $shards shards
  # each rank keeps its shard of each group, with its optimizer state; unsharded tensors are on
  # every rank
  for i in 0:groups+1 { if part_$i > 0 { group_memory i } }
  ## the parameters begin
  # the same seed everywhere: all shards together equal a single rank's parameters
  for i in 0:groups+1 { if part_$i > 0 { begin_group i } };  scaler_memory
  for i in 0:groups+1 { if part_$i > 0 { finish_group i } }
}
def begin_group i { members i begin }
def finish_group i { if cut_parameters and mixed { shard$i = cast shard$(i)_f32 to=$dtype on compute } }
def group_memory i {
  let part = part_$i;  let whole = part*shards
  if cut_parameters { shard_memory i } else {
    tensor flat$i[whole] $dtype kind=parameter = zeros;  shard$i = shard flat$i in dp_shard;  members i named;  event ready$i
  }
  if whole_gradients {
    tensor dflat$i[whole] $dtype kind=gradient = zeros;  dshard$i = shard dflat$i in dp_shard;  members i gradient_named
  } else { gradient_part_memory i }
  reduce_memory dshard$i part;  state_memory i
}
def shard_memory i { tensor shard$i[part_$i] $dtype kind=parameter = zeros }
def gradient_part_memory i { tensor dshard$i[part_$i] $dtype kind=gradient = zeros }
def state_memory i {
  if mixed { tensor shard$(i)_f32[part_$i] kind=optimizer = zeros }
  if optimizer == "adam" { tensor shard$(i)_m[part_$i] shard$(i)_v[part_$i] kind=optimizer = zeros }
}
# find_part: this rank keeps elements lo to hi-1 of a parameter [r,c], and puts them at offset `place`
# in its shard of the group. If hi <= lo, it keeps none.
let lo = 0;  let hi = 0;  let place = 0
def find_part r c {
  let from = at_$home;  let mine = dp_shard*part_$home
  let lo = max(0,mine-from);  let hi = min(r*c,mine+part_$home-from);  let place = from+lo-mine
}
# Initializes the elements of a parameter that fall into this rank's shard; `part` describes them
# to `verify`.
def begin p r c deviation s cut {
  find_part r c;  let keep = "$(kept)$home";  let end = place+hi-lo
  begin_parameter start r c deviation s cut;  line = reshape start [r*c]
  if hi > lo and (cut_parameters or mixed or host) { copy line[lo:hi] -> $(keep)$master[place:end] on compute }
  if not cut_parameters {
    if mixed { $p = cast start to=$dtype on compute } else { copy start -> $p on compute }
  }
  free start on compute
  if not cut_parameters and not mixed { part $p of $p row=row col=col }
  if hi > lo {                                                # elements from lo in the r x c block that starts at row, col
    if cut_parameters or mixed { part $(lies)$home$master[place:end] of $p row=row col=col rows=r cols=c at=lo }
    if optimizer == "adam" {
      part $(state_lies)$(home)_m[place:end] of $p row=row col=col rows=r cols=c at=lo as=m
      part $(state_lies)$(home)_v[place:end] of $p row=row col=col rows=r cols=c at=lo as=v
    }
  }
}
def named p r c deviation s cut { $p = reshape flat$home[at_$home:at_$home+r*c] [r,c] }
def gradient_named p r c deviation s cut { d$p = reshape dflat$home[at_$home:at_$home+r*c] [r,c] }
