# fsdp: every rank keeps 1/n of everything; a layer's parameters are gathered before it computes, and freed after it
# memory: 1/n of parameters, gradients and optimizer; whole for a while: the parameters of 1+prefetch groups and the gradients of one
#   reshard=off   all parameters whole from forward to backward
#   wrap=model    everything whole at once: only the optimizer's state is small
#   accumulate    above 1: the gradients stay whole until the last micro-batch (PyTorch's no_sync)
#   offload=host  the optimizer's state in host memory; gradients go down and parameters come up, 1/n of each, every step
# bytes: that a rank sends: allgather in forward, allgather in backward (not with reshard=off, wrap=model, or of what is in no block),
#   for each micro-batch, and a reduce-scatter a step: (n-1)/n of the parameters each
# axis dp
#     comm     gather 1  gather 2            gather 3           ...   gather 1            reduce-scatter 2          (arXiv:2304.11277)
#     compute            forward 1 (free 1)  forward 2 (free 2) ...   backward 2 (free 2) backward 1
option wrap=block of="layer block model" "gathered together: layer (gpt: attention and MLP apart), block (mlp: two layers), model (everything)"
option prefetch=1 least=0 "groups that are gathered ahead of the one that computes"
option reshard=on of="on off" "freed after forward and gathered again for backward (PyTorch's reshard_after_forward)"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
option offload=none of="none host" "host: master weights, the optimizer's state and its steps on the host"
let n = size(dp);  let replicas = n;  let replica = dp;  let micros = accumulate
refuse batch < n*micros "batch=$batch on $n ranks, accumulate=$accumulate: some would have no row; batch=$(n*micros) fits"
let host = offload == "host";  let keep = "shard";  let where = "device";  if host { let keep = "host";  let where = "pinned" }
let halves = wrap == "layer" and first_unit == 0;  let pairs = wrap == "block" and first_unit == 1
stream comm
if host { stream down cpu up }

# ---- groups: 0 is what is in no block (or, with wrap=model, everything), the others count in the order of forward. Of group 3:
#   flat3 [P] the whole: its parameters one behind the other, padded to a multiple of the ranks; w5 and the others are views into it, for a while
#   shard3 [P/n] this rank's part;  dflat3, dshard3 the gradients;  ready3: flat3 is whole again;  summed3: dshard3 is
let groups = layers
if halves { let groups = 2*layers }
if pairs { let groups = (layers+1)//2 }
if wrap == "model" { let groups = 0 }
let g = 0;  let unit = 0;  let wanted = 0;  let todo = ""
def find_group u {
  let unit = u;  let g = 0
  if u > 0 and u <= layers and wrap != "model" { let g = u }
  if g > 0 and halves { let g = 2*u-1+half }
  if g > 0 and pairs { let g = (u+1)//2 }
}
# calls `what` with the parameters of group i (-1: of all), at_3 saying where in group 3 they begin
def members i what {
  let wanted = i;  let todo = "$what"
  let from = first_unit;  let to = last_unit;  let in_unit = unit;  let in_half = half
  if i > 0 { let from = i;  let to = i }
  if i > 0 and halves { let from = (i+1)//2;  let to = from }
  if i > 0 and pairs { let from = 2*i-1;  let to = min(2*i,layers) }
  if i < 0 { for k in 0:groups+1 { let at_$k = 0 } } else { let at_$i = 0 }
  for u in from:to+1 { let unit = u;  each_parameter u member }
  let unit = in_unit;  let half = in_half
}
def member p r c deviation s cut {
  find_group unit
  if g == wanted or wanted < 0 { $todo p r c deviation s cut;  let at_$g = at_$g+r*c }
}
def counted p r c deviation s cut { }
for i in 0:groups+1 {
  let at_$i = 0;  let here_$i = 0;  let begun_$i = 0                    # here: 0 not, 1 on its way, 2 compute has waited for it
  members i counted
  let part_$i = (at_$i+n-1)//n
}

# ---- memory ----
def parameters {
  ## memory, cut into $n parts
  # a rank keeps its part of each group of parameters, and the optimizer's state for that part only
  for i in 0:groups+1 { if part_$i > 0 { group_memory i } }
  ## the parameters begin
  # the seed is the same everywhere: the parts of all ranks together are what one rank would begin with
  members -1 begin
  for i in 0:groups+1 {
    if part_$i > 0 and host and mixed { host$i = cast host$(i)_f32 to=$dtype on compute }
    if part_$i > 0 and host { copy host$i -> shard$i on compute }
    if part_$i > 0 and not host and mixed { shard$i = cast shard$(i)_f32 to=$dtype on compute }
  }
  free start on compute
}
def group_memory i {
  let part = part_$i
  tensor shard$i[part] $dtype = zeros
  if micros > 1 {
    tensor dflat$i[part*n] $dtype = zeros
    dshard$i = shard dflat$i in dp;  members i gradient_named
  } else { tensor dshard$i[part] $dtype = zeros }
  if host { tensor host$i[part] dhost$i[part] pinned $dtype = zeros }
  if mixed { tensor $(keep)$(i)_f32[part] $where = zeros }
  if optimizer == "adam" { tensor $(keep)$(i)_m[part] $(keep)$(i)_v[part] $where = zeros }
  if host and optimizer == "adam" and loss_scale != 1 { tensor unscaled$i[part] pinned }
}
# a parameter's numbers, where they fall into this rank's part
def begin p r c deviation s cut {
  start = randn [r*c] seed=s scale=deviation on compute
  let mine = dp*part_$g;  let lo = max(at_$g,mine);  let hi = min(at_$g+r*c,mine+part_$g)
  if hi > lo { copy start[lo-at_$g:hi-at_$g] -> $(keep)$(g)$master[lo-mine:hi-mine] on compute }
}
def named p r c deviation s cut { $p = reshape flat$g[at_$g:at_$g+r*c] [r,c] }
def gradient_named p r c deviation s cut { d$p = reshape dflat$g[at_$g:at_$g+r*c] [r,c] }

# ---- a group is needed: it, and those that come after it in this direction, are gathered ----
def fetch i {
  if here_$i == 0 and part_$i > 0 {
    flat$i = allgather shard$i on comm in dp;  record ready$i on comm
    members i named
    let here_$i = 1
  }
}
def enter i direction {
  if part_$i > 0 {
    fetch i
    for k in 1:prefetch+1 {
      let next = i+k*direction
      if i == 0 and direction < 0 { let next = groups+1-k }
      if next > 0 and next <= groups { fetch next }
    }
    if here_$i == 1 { wait ready$i on compute }
    let here_$i = 2
  }
}
def leave i { if here_$i > 0 { free flat$i on compute;  let here_$i = 0 } }
def leave_forward i { if i > 0 and reshard == "on" { leave i } }
def enter_backward i {
  if part_$i > 0 and not begun_$i {
    enter i -1
    let begun_$i = 1
    if micros == 1 { dflat$i = zeros [part_$i*n] $dtype on compute;  members i gradient_named }
  }
}
def leave_backward i {
  if part_$i > 0 {
    leave i
    let begun_$i = 0
    if last {
      wait compute on comm;  dshard$i = reducescatter dflat$i op=avg on comm in dp
      if micros == 1 { free dflat$i on comm }
      if host { wait comm on down;  copy dshard$i -> dhost$i on down;  record summed$i on down } else { record summed$i on comm }
    }
  }
}

# ---- around a unit, and with wrap=layer around the matrices of a block's halves ----
def around u { let entered = not halves and (u <= layers or first_unit == 0) or halves and (u == 0 or u > layers) }
let entered = 0
def before_forward u m {
  if u == first_unit and fresh { wait compute on comm;  if host { wait up on comm } }
  find_group u;  around u
  if entered and (u == first_unit or g > 0 and not (pairs and u%2 == 0)) { enter g 1 }
  replaced u m
}
def after_forward u m {
  replaced u m
  find_group u;  around u
  if entered and g > 0 and (not pairs or u%2 == 0 or u == layers) { leave_forward g }
}
def before_backward u m {
  find_group u;  around u
  if entered { enter_backward g }
  replaced u m
}
def after_backward u m {
  replaced u m
  find_group u;  around u
  if entered and (u == first_unit or g > 0 and not (pairs and u%2 == 0)) { leave_backward g }
}
def norm y x { replaced y x;  if halves { find_group unit;  enter g 1 } }
def by_rows y x w { replaced y x w;  if halves { find_group unit;  leave_forward g } }
def by_rows_backward dx dy x w inputs weights { if halves { find_group unit;  enter_backward g };  replaced dx dy x w inputs weights }
def norm_backward dx dy x { if halves { find_group unit;  leave_backward g };  replaced dx dy x }

# ---- each rank steps its own part; the next forward gathers what it needs ----
def update {
  # the whole of backward has read the parameters that come up
  if host { wait compute on up;  wait comm on up;  for i in groups:-1:-1 { if part_$i > 0 { host_step i } } } else {
    for i in 0:groups+1 { if part_$i > 0 { wait summed$i on compute;  step_down shard$i dshard$i } }
  }
}
# on the host, while the next group's gradients come down and the last one's parameters go up
def host_step i {
  wait summed$i on cpu
  if optimizer == "adam" and loss_scale != 1 { unscaled = reshape unscaled$i [part_$i] }
  step_down host$i dhost$i on cpu
  wait cpu on up;  copy host$i -> shard$i on up
}
