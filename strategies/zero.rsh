# zero: data parallel, but each rank keeps only its part of the optimizer's state (1), the gradients (2), the parameters (3)
# memory: P parameters of a half type with Adam on n ranks (arXiv:1910.02054, table 1)
#   stage 1   2P + 2P + 12P/n    parameters, gradients, and a part of master weights and Adam's means
#   stage 2   2P + (2+12)P/n     the gradients of a block are cut as soon as they are ready
#   stage 3   (2+2+12)P/n        and of one block, and the next, the parameters are whole for a while
#   f32       4P + 4P + 8P/n;  4P + (4+8)P/n;  (4+4+8)P/n
#   with accumulate above 1 the gradients stay whole until the last micro-batch, in all stages
#   offload=host: the last of these, 12P/n, is in host memory (f32: 8P/n and a copy of the part of the parameters);
#   every step the gradients' part goes down, and the parameters' part comes up
# bytes: a rank sends in a step: a reduce-scatter and an allgather, (n-1)/n of the parameters each: as an allreduce
#   stage 3   two allgathers (forward, backward) for each micro-batch: 1.5 times the bytes of stages 1 and 2
# axis dp
option stage=1 least=1 "what is cut: 1 the optimizer's state, 2 also gradients, 3 also parameters"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
option offload=none of="none host" "host: master weights, the optimizer's state and its steps on the host"
refuse stage > 3 "stage=$stage: ZeRO has the stages 1 (optimizer), 2 (and gradients) and 3 (and parameters)"
let replicas = size(dp);  let replica = dp;  let micros = accumulate
refuse batch < replicas*micros "batch=$batch on $replicas ranks, accumulate=$micros: some would have no row; batch=$(replicas*micros) fits"
let host = offload == "host";  let kept = "shard";  let where = "device";  if host { let kept = "host";  let where = "pinned" }
let cut_parameters = stage == 3;  let whole_gradients = stage == 1 or micros > 1
stream comm
if host { stream down cpu up }

# ---- groups: 0 is what is in no block, the others are pairs of units. Of group 3: flat3 the whole, its parameters one behind the other,
# padded to a multiple of the ranks (w5 is a view into it); shard3 this rank's part (host3 with offload); dflat3, dshard3 the gradients;
# ready3: flat3 is whole again; summed3: dshard3 is; here_3: 0 no flat3, 1 on its way, 2 compute has waited for it ----
let groups = last_unit//2;  let unit = 0;  let own = 0;  let opens = 0;  let closes = 0;  let wanted = 0;  let todo = ""
def find_group u {
  let unit = u;  let own = (u+1)//2*(u < last_unit)
  let opens = u == first_unit or u%2 == 1 and own > 0
  let closes = u == last_unit-first_unit or own > 0 and (u%2 == 0 or u == last_unit-1)
}
# calls `what` with the parameters of group i (-1: of all); at_3 is where each begins in group 3
def members i what {
  let here = unit;  let wanted = i;  let todo = "$what";  let from = first_unit;  let to = last_unit
  if i > 0 { let from = 2*i-1;  let to = min(2*i,last_unit-1) }
  if i < 0 { for k in 0:groups+1 { let at_$k = 0 } } else { let at_$i = 0 }
  for u in from:to+1 { find_group u;  each_parameter u member }
  find_group here
}
def member p r c deviation s cut { if own == wanted or wanted < 0 { $todo p r c deviation s;  let at_$own = at_$own+r*c } }
def counted p r c deviation s { }
for i in 0:groups+1 { let at_$i = 0;  let here_$i = 0;  members i counted;  let part_$i = (at_$i+replicas-1)//replicas }

# ---- memory ----
def parameters {
  ## memory, cut into $replicas parts
  # of what is cut, a rank keeps its part of each group; the rest is everybody's, in one piece a group
  for i in 0:groups+1 { if part_$i > 0 { group_memory i } }
  ## the parameters begin
  # the seed is the same everywhere: the parts of all ranks together are what one rank would begin with
  members -1 begin
  for i in 0:groups+1 { if part_$i > 0 and cut_parameters {
    if host and mixed { host$i = cast host$(i)_f32 to=$dtype on compute }
    if host { copy host$i -> shard$i on compute } else { if mixed { shard$i = cast shard$(i)_f32 to=$dtype on compute } }
  } }
  if cut_parameters or mixed or host { free start on compute }
}
def group_memory i {
  let part = part_$i
  if cut_parameters { tensor shard$i[part] $dtype kind=parameter = zeros } else {
    tensor flat$i[part*replicas] $dtype kind=parameter = zeros
    shard$i = shard flat$i in dp;  members i named;  event ready$i
  }
  if whole_gradients { tensor dflat$i[part*replicas] $dtype kind=gradient = zeros } else { tensor dshard$i[part] $dtype kind=gradient = zeros }
  if whole_gradients { dshard$i = shard dflat$i in dp;  members i gradient_named }
  if host { tensor host$i[part] dhost$i[part] pinned $dtype = zeros;  tensor unscaled$i[part] pinned }
  if mixed { tensor $(kept)$(i)_f32[part] $where kind=optimizer = zeros }
  if optimizer == "adam" { tensor $(kept)$(i)_m[part] $(kept)$(i)_v[part] $where kind=optimizer = zeros }
}
# a parameter's numbers, where they fall into this rank's part; `part` says to `verify` what of it is here
def begin p r c deviation s {
  let from = at_$own;  let mine = dp*part_$own;  let lo = max(from,mine);  let hi = min(from+r*c,mine+part_$own);  let keep = "$(kept)$(own)"
  if cut_parameters or mixed or host {
    start = randn [r*c] seed=s scale=deviation on compute
    if hi > lo { copy start[lo-from:hi-from] -> $(keep)$master[lo-mine:hi-mine] on compute }
    if not cut_parameters { flat$own[from:from+r*c] = cast start to=$dtype on compute }
  } else { $p = randn [r,c] seed=s scale=deviation on compute }
  if not cut_parameters and not mixed { part $p of $p }
  if hi > lo and (cut_parameters or mixed) { part $(keep)$master[lo-mine:hi-mine] of $p at=lo-from }
  if hi > lo and optimizer == "adam" { part $(keep)_m[lo-mine:hi-mine] of $p at=lo-from as=m;  part $(keep)_v[lo-mine:hi-mine] of $p at=lo-from as=v }
}
def named p r c deviation s { $p = reshape flat$own[at_$own:at_$own+r*c] [r,c] }
def gradient_named p r c deviation s { d$p = reshape dflat$own[at_$own:at_$own+r*c] [r,c] }

# ---- a group is needed: it, and the next one in this direction, are gathered; then it is left ----
def enter i direction {
  fetch i
  if i == 0 and direction < 0 { fetch groups } else { fetch i+direction }
  if here_$i == 1 { wait ready$i on compute;  let here_$i = 2 }
}
def fetch i {
  if i > 0 and i <= groups or i == own { if here_$i == 0 and part_$i > 0 and cut_parameters {
    flat$i = allgather shard$i on comm in dp kind=parameter;  record ready$i on comm;  members i named;  let here_$i = 1
  } }
}
def leave i { if here_$i > 0 and cut_parameters { free flat$i on compute;  let here_$i = 0 } }
def before_forward u m {
  if u == first_unit and fresh and cut_parameters { wait compute on comm;  if host { wait up on comm } }
  if u == first_unit and fresh and not cut_parameters { for i in 0:groups+1 { if part_$i > 0 { let here_$i = 1 } } }
  find_group u;  if opens { enter own 1 };  replaced u m
}
def after_forward u m { replaced u m;  find_group u;  if closes and own > 0 { leave own } }
def before_backward u m {
  find_group u;  let i = own
  if closes { enter i -1 }
  if closes and not whole_gradients and part_$i > 0 { dflat$i = zeros [part_$i*replicas] $dtype on compute kind=gradient;  members i gradient_named }
  replaced u m
}
def after_backward u m {
  replaced u m;  find_group u;  let i = own
  if opens { leave i }
  if opens and last and part_$i > 0 {
    wait compute on comm;  dshard$i = reducescatter dflat$i op=avg on comm in dp
    if not whole_gradients { free dflat$i on comm }
    if host { wait comm on down;  copy dshard$i -> dhost$i on down;  record summed$i on down } else { record summed$i on comm }
  }
}

# ---- each rank steps its own part; then everybody gathers the parts of all, in stage 3 the next forward what it needs ----
def update {
  if host { wait compute on up;  wait comm on up;  for i in groups:-1:-1 { if part_$i > 0 { host_step i } } } else {
    for i in 0:groups+1 { if part_$i > 0 { wait summed$i on compute;  step_down shard$i dshard$i;  gather_flat i compute } }
  }
}
# the host steps one group's part while the next one's gradients come down and the last one's parameters go up
def host_step i {
  wait summed$i on cpu;  unscaled = reshape unscaled$i [part_$i];  step_down host$i dhost$i on cpu
  wait cpu on up;  copy host$i -> shard$i on up;  gather_flat i up
}
def gather_flat i behind {
  if not cut_parameters { wait $behind on comm;  flat$i = allgather shard$i on comm in dp kind=parameter;  record ready$i on comm }
}
