# flat: parameters in groups, each one flat tensor that is cut over the ranks: what zero and fsdp have in common
# They say: per, wrap (which units are a group), prefetch, reshard, cut_parameters and whole_gradients (what every rank has whole)
#     comm     gather 1  gather 2            gather 3           ...   gather 1            reduce-scatter 2
#     compute            forward 1 (free 1)  forward 2 (free 2) ...   backward 2 (free 2) backward 1
let replicas = size(dp);  let replica = dp;  let micros = accumulate
let fits = replicas*micros
refuse replicas < world "the parameters are cut by one strategy: this one takes all ranks of the mesh, $(world)"
refuse batch < fits "batch=$batch on $replicas ranks, accumulate=$micros: some would have no row; batch=$fits fits"
let host = offload == "host";  let kept = "shard";  let where = "device";  if host { let kept = "host";  let where = "pinned" }
stream comm
if host { stream down cpu up }

# ---- groups: 0 is what is in no block, or the whole model; the others count in the order of forward. Of group 3: flat3 the
# whole, its parameters one behind the other, padded to a multiple of the ranks (w5: a view); shard3 this rank's part (host3 with
# offload); dflat3, dshard3 gradients; ready3: flat3 is whole; summed3: dshard3 is; here_3: 0 no flat3, 1 on its way, 2 waited for
let groups = (last_unit-2+per)//per*(wrap!="model")
let unit = 0;  let own = 0;  let opens = 0;  let closes = 0;  let wanted = 0;  let todo = ""
# the group of unit u, and whether forward enters and leaves it there
def find_group u {
  let unit = u;  let own = (u+per-1)//per*(u < last_unit and wrap != "model")
  let opens = u == first_unit or own > 0 and (u-1)%per == 0
  let closes = u == last_unit-first_unit or own > 0 and (u%per == 0 or u == last_unit-1)
}
# calls `what` with the parameters of group i (-1: of all); at_3 is where each begins in group 3
def members i what {
  let here = unit;  let wanted = i;  let todo = "$what";  let from = first_unit;  let to = last_unit
  if i > 0 { let from = i*per-per+1;  let to = min(i*per,last_unit-1) }
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
  # of what is cut, a rank keeps its part of each group, and the optimizer's state for that part; the rest is everybody's
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
  let part = part_$i;  let whole = part*replicas
  if cut_parameters { tensor shard$i[part] $dtype kind=parameter = zeros } else {
    tensor flat$i[whole] $dtype kind=parameter = zeros;  shard$i = shard flat$i in dp;  members i named;  event ready$i
  }
  if whole_gradients {
    tensor dflat$i[whole] $dtype kind=gradient = zeros;  dshard$i = shard dflat$i in dp;  members i gradient_named
  } else { tensor dshard$i[part] $dtype kind=gradient = zeros }
  if host { tensor host$i[part] dhost$i[part] pinned $dtype = zeros;  tensor unscaled$i[part] pinned }
  if mixed { tensor $(kept)$(i)_f32[part] $where kind=optimizer = zeros }
  if optimizer == "adam" { tensor $(kept)$(i)_m[part] $(kept)$(i)_v[part] $where kind=optimizer = zeros }
}
# a parameter's numbers, where they fall into this rank's part; `part` says to `verify` what of it is here
def begin p r c deviation s {
  let keep = "$(kept)$(own)";  let from = at_$own;  let mine = dp*part_$own
  let lo = max(from,mine);  let hi = min(from+r*c,mine+part_$own)
  if cut_parameters or mixed or host {
    start = randn [r*c] seed=s scale=deviation on compute
    if hi > lo { copy start[lo-from:hi-from] -> $(keep)$master[lo-mine:hi-mine] on compute }
    if not cut_parameters { flat$own[from:from+r*c] = cast start to=$dtype on compute }
  } else { $p = randn [r,c] seed=s scale=deviation on compute }
  if not cut_parameters and not mixed { part $p of $p }
  if hi > lo and (cut_parameters or mixed) { part $(keep)$master[lo-mine:hi-mine] of $p at=lo-from }
  if hi > lo and optimizer == "adam" {
    part $(keep)_m[lo-mine:hi-mine] of $p at=lo-from as=m;  part $(keep)_v[lo-mine:hi-mine] of $p at=lo-from as=v
  }
}
def named p r c deviation s { $p = reshape flat$own[at_$own:at_$own+r*c] [r,c] }
def gradient_named p r c deviation s { d$p = reshape dflat$own[at_$own:at_$own+r*c] [r,c] }

# ---- a group is needed: it, and those that come after it in this direction, are gathered; then it is left ----
def enter i direction {
  fetch i
  for k in 1:prefetch+1 { if i == 0 and direction < 0 { fetch groups+1-k } else { fetch i+k*direction } }
  if here_$i == 1 { wait ready$i on compute;  let here_$i = 2 }
}
def fetch i {
  if cut_parameters and (i > 0 and i <= groups or i == own) {
    if here_$i == 0 and part_$i > 0 { gather_flat i;  members i named;  let here_$i = 1 }
  }
}
def gather_flat i { flat$i = allgather shard$i on comm in dp kind=parameter;  record ready$i on comm }
def leave i { if here_$i > 0 and cut_parameters { free flat$i on compute;  let here_$i = 0 } }
def enter_backward i {
  enter i -1
  if not whole_gradients and part_$i > 0 {
    dflat$i = zeros [part_$i*replicas] $dtype on compute kind=gradient;  members i gradient_named
  }
}
# a rank keeps its part of the mean of the gradients, while the layers before compute
def leave_backward i {
  leave i
  if last and part_$i > 0 {
    wait compute on comm;  dshard$i = reducescatter dflat$i op=avg on comm in dp
    if not whole_gradients { free dflat$i on comm }
    if host { wait comm on down;  copy dshard$i -> dhost$i on down;  record summed$i on down } else { record summed$i on comm }
  }
}
def before_forward u m {
  if u == first_unit and fresh and cut_parameters { wait compute on comm;  if host { wait up on comm } }
  if u == first_unit and fresh and not cut_parameters { for i in 0:groups+1 { if part_$i > 0 { let here_$i = 1 } } }
  find_group u;  if opens { enter own 1 };  replaced u m
}
def after_forward u m { replaced u m;  find_group u;  if closes and own > 0 and reshard == "on" { leave own } }
def before_backward u m { find_group u;  if closes { enter_backward own };  replaced u m }
def after_backward u m { replaced u m;  find_group u;  if opens { leave_backward own } }

# ---- each rank steps its own part; then all gather all parts, or where parameters are cut, the next forward what it needs ----
def update {
  if host { wait compute on up;  wait comm on up;  for i in groups:-1:-1 { if part_$i > 0 { host_step i } } } else {
    for i in 0:groups+1 { if part_$i > 0 {
      wait summed$i on compute;  step_down shard$i dshard$i
      if not cut_parameters { wait compute on comm;  gather_flat i }
    } }
  }
}
# the host steps one group's part while the next one's gradients come down and the last one's parameters go up
def host_step i {
  wait summed$i on cpu;  unscaled = reshape unscaled$i [part_$i];  step_down host$i dhost$i on cpu
  wait cpu on up;  copy host$i -> shard$i on up
  if not cut_parameters { wait up on comm;  gather_flat i }
}
