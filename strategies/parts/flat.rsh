# flat: a group of parameters is gathered only while it is needed; shared by zero and fsdp
#     comm     gather 1  gather 2            gather 3           ...   gather 1            reduce-scatter 2
#     compute            forward 1 (free 1)  forward 2 (free 2) ...   backward 2 (free 2) backward 1
source grouped

# ---- enter: gathers this group and the next ones in this direction; leave: frees it ----
def enter i direction {
  fetch i;  for k in 1:prefetch+1 { fetch spot_of_group+k*direction }
  if here_$i == 1 { wait ready$i on compute;  let here_$i = 2 }
}
def fetch i {
  if cut_parameters and (i > 0 and i <= groups or i == own) {
    if here_$i == 0 and part_$i > 0 { gather_flat i;  members i named;  let here_$i = 1 }
  }
}
def gather_flat i { flat$i = allgather shard$i on comm in dp_shard kind=parameter;  record ready$i on comm }
def leave i { if here_$i > 0 and cut_parameters { free flat$i on compute;  let here_$i = 0 } }
def enter_backward i {
  enter i -1
  if not whole_gradients and part_$i > 0 {
    dflat$i = zeros [part_$i*shards] $dtype on compute kind=gradient;  members i gradient_named
  }
}
def before_forward u m {
  let begins = u == low_0 and fresh and not again
  if begins and cut_parameters { wait compute on comm }
  if begins and not cut_parameters { for i in 0:groups+1 { if part_$i > 0 { let here_$i = 1 } } }
  find_group u;  if opens and part_$own > 0 { enter own 1-2*again };  replaced u m
}
def after_forward u m { replaced u m;  find_group u;  if closes and own > 0 and reshard == "on" and not again { leave own } }
def before_backward u m inputs weights {
  find_group u;  if closes and inputs { enter_backward own };  replaced u m inputs weights
}
def after_backward u m inputs weights { replaced u m inputs weights;  find_group u;  if opens and inputs { leave own } }
# When all gradients in a group are computed, a reduce-scatter leaves each rank its part of their
# mean, while the layers before it compute.
def gradient_made p {
  replaced p;  let g = own;  if "$p" == "table" { let g = 0 }               # a tied table's gradient is complete after all units
  if last { let made_$g = made_$g+1;  if made_$g == count_$g { reduce_group g } }
}
def reduce_group i {
  let made_$i = 0;  wait compute on comm
  dshard$i = reducescatter dflat$i op=avg on comm in dp_shard;  reduce_gradients dshard$i on comm
  if not whole_gradients { free dflat$i on comm }
  keep_gradients i
}
def keep_gradients i { record summed$i on comm }
def each_gradient what { let asked_gradient = "$what";  wait comm on compute;  for i in 0:groups+1 { members i one_gradient } }
def one_gradient p r c deviation s cut {
  find_part r c;  if hi > lo { own_part = dshard$home[place:place+hi-lo];  $asked_gradient p own_part cut }
}
def everywhere seen { replaced seen;  allreduce seen in dp_shard }
def count_everywhere n { replaced n;  allreduce n in dp_shard }

# ---- each rank steps its own part; then all parts are gathered (sharded parameters: in the next forward) ----
def update {
  for i in 0:groups+1 { if part_$i > 0 {
    wait summed$i on compute;  step_down shard$i dshard$i
    if not cut_parameters { wait compute on comm;  gather_flat i }
  } }
}
# A checkpoint has restored each rank's part; the rest is computed from the parts.
def refresh { scaler_again;  for i in 0:groups+1 { if part_$i > 0 { refresh_group i } } }
def refresh_group i {
  if mixed { shard$i = cast shard$(i)_f32 to=$dtype on compute }
  if mixed and not cut_parameters { wait compute on comm;  gather_flat i }
}
if offloads { source offloaded }
