# grouped: parameters in groups, each one flat tensor that is cut over the ranks: which those are, and their memory
# zero and fsdp say which units are a group (per, wrap), what every rank has whole (whole_gradients, not cut_parameters), and how
# far ahead groups are gathered (prefetch, reshard)
let replica = replica*size(dp_shard)+dp_shard;  let replicas = replicas*size(dp_shard);  let micros = accumulate
let shards = size(dp_shard);  let gathers = "flat"
refuse shards < world "the parameters are cut by one strategy: this one takes all ranks of the mesh, $(world)"
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
def member p r c deviation s cut { if own == wanted or wanted < 0 { $todo p r c deviation s cut;  let at_$own = at_$own+r*c } }
def counted p r c deviation s cut { }
for i in 0:groups+1 { let at_$i = 0;  let here_$i = 0;  members i counted;  let part_$i = (at_$i+shards-1)//shards }

# ---- memory ----
def parameters {
  ## memory, cut into $shards parts
  # of what is cut, a rank keeps its part of each group, and the optimizer's state for that part; the rest is everybody's
  for i in 0:groups+1 { if part_$i > 0 { group_memory i } }
  ## the parameters begin
  # the seed is the same everywhere: the parts of all ranks together are what one rank would begin with
  members -1 begin;  scaler_memory
  for i in 0:groups+1 { if part_$i > 0 and cut_parameters {
    if host and mixed { host$i = cast host$(i)_f32 to=$dtype on compute }
    if host { copy host$i -> shard$i on compute } else { if mixed { shard$i = cast shard$(i)_f32 to=$dtype on compute } }
  } }
}
def group_memory i {
  let part = part_$i;  let whole = part*shards
  if cut_parameters { tensor shard$i[part] $dtype kind=parameter = zeros } else {
    tensor flat$i[whole] $dtype kind=parameter = zeros;  shard$i = shard flat$i in dp_shard;  members i named;  event ready$i
  }
  if whole_gradients {
    tensor dflat$i[whole] $dtype kind=gradient = zeros;  dshard$i = shard dflat$i in dp_shard;  members i gradient_named
  } else { tensor dshard$i[part] $dtype kind=gradient = zeros }
  if host { tensor host$i[part] dhost$i[part] pinned $dtype = zeros;  tensor unscaled$i[part] pinned }
  if mixed { tensor $(kept)$(i)_f32[part] $where kind=optimizer = zeros }
  if optimizer == "adam" { tensor $(kept)$(i)_m[part] $(kept)$(i)_v[part] $where kind=optimizer = zeros }
}
# a parameter's numbers, where they fall into this rank's part; `part` says to `verify` what of it is here
def begin p r c deviation s cut {
  let keep = "$(kept)$(own)";  let from = at_$own;  let mine = dp_shard*part_$own
  let lo = max(from,mine);  let hi = min(from+r*c,mine+part_$own)
  begin_parameter start r c deviation s cut;  line = reshape start [r*c]
  if hi > lo and (cut_parameters or mixed or host) { copy line[lo-from:hi-from] -> $(keep)$master[lo-mine:hi-mine] on compute }
  if not cut_parameters {
    if mixed { $p = cast start to=$dtype on compute } else { copy start -> $p on compute }
  }
  free start on compute
  if not cut_parameters and not mixed { part $p of $p }
  if hi > lo and (cut_parameters or mixed) { part $(keep)$master[lo-mine:hi-mine] of $p at=lo-from }
  if hi > lo and optimizer == "adam" {
    part $(keep)_m[lo-mine:hi-mine] of $p at=lo-from as=m;  part $(keep)_v[lo-mine:hi-mine] of $p at=lo-from as=v
  }
}
def named p r c deviation s cut { $p = reshape flat$own[at_$own:at_$own+r*c] [r,c] }
def gradient_named p r c deviation s cut { d$p = reshape dflat$own[at_$own:at_$own+r*c] [r,c] }
