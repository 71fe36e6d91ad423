# pipeline: each rank has some of the layers; micro-batches follow one another through them
# memory: parameters, gradients and optimizer / ranks; activations of the micro-batches in flight: gpipe all, 1f1b p-s on stage s,
#   zb-h1 p, zb-h2 2p-1, zb-auto limit x p; with recompute=on of one (zb: of those between B and W, and of a forward), and
#   the inputs of the others
# bytes: each stage sends micro x (the activations between two layers) forward and as much back, times chunks
#   bubble: (p-1)/(m+p-1); interleaved: of a stage's time, divided by chunks; zb-h1: (p-1)(F+B-W), zb-h2: (p-1)(F+B-2W) of time
# axis pp
option schedule=1f1b of="gpipe 1f1b interleaved zb-h1 zb-h2 zb-auto" "the order in which a stage takes its micro-batches"
option micro=4 least=1 "micro-batches of a step, at most a row each; interleaved: a multiple of the ranks"
option accumulate=1 least=1 "times that so many micro-batches go through before the optimizer; the pipeline drains between"
option chunks=1 least=1 "of a stage, for interleaved: parts of the model that are not neighbours"
option recompute=off of="on off" "keep a stage's inputs only, and compute forward again before backward"
option limit=1.0 least=1 "zb-auto: activations, as a multiple of what 1f1b's first stage holds"
option held=0.5 least=0 "zb-auto with times: the share of activations that W still needs after B"
option F=0ms "instead of a model: the time of a stage's forward"
option B=0ms "... of its gradients of the inputs"
option W=0ms "... of its gradients of the weights"
option comm=0ms "... of a transfer to the next stage"
let timed = F > 0ms;  let again = recompute == "on";  let micros = micro*accumulate;  let stages = size(pp)
let cut_in = chunks;  if stages == 1 { let cut_in = 1 }
refuse not timed and batch < micros "batch=$batch in micro=$micro times accumulate=$accumulate: some micro-batches would have no row; batch=$micros fits"
if timed { schedule $schedule micro=micro chunks=cut_in recompute=$recompute F=F B=B W=W comm=comm limit=limit held=held in pp } else {
  schedule $schedule micro=micro chunks=cut_in recompute=$recompute limit=limit in pp
}
let shared = not timed and stages > 1 and tied == "on"                   # the first and the last stage have the same table
if stages > 1 { stream act_in act_out grad_in grad_out;  group acts (pp >= 0);  group grads (pp >= 0) }
if shared { group ends (pp == 0 or pp == stages-1) }

# ---- the cut: chunk c of stage s is number c*stages+s of the model's parts, units low_c .. high_c; layers are dealt out evenly, and where they
# do not come out even and the model is a gpt, the embedding and the head count as a layer each ----
for c in 0:cut_in {
  let low_$c = 0;  let high_$c = 0;  let begins_$c = c == 0 and pp == 0;  let ends_$c = c == cut_in-1 and pp == stages-1
  if not timed {
    let parts = stages*cut_in;  let number = c*stages+pp;  let apiece = first_unit == 0 and layers%parts != 0
    refuse layers+2*apiece < parts "layers=$layers on $stages stages of $cut_in: the nearest that fits is layers=$(parts-2*apiece), or fewer ranks or chunks"
    let from = number*(layers+2*apiece)//parts+1-apiece;  let to = (number+1)*(layers+2*apiece)//parts-apiece
    let per = (last_unit-1)//layers
    let low_$c = (max(from,1)-1)*per+1;  let high_$c = min(to,layers)*per
    if number == 0 { let low_$c = first_unit }
    if number == parts-1 { let high_$c = last_unit }
  }
}

# ---- setup ----
def setup {
  if timed {
    ## what is sent instead of activations
    # a message of a few bytes takes the latency of its link
    if stages > 1 { set link_latency=comm;  set nic_latency=comm;  tensor token[1] act_token[1] grad_token[1] = zeros }
  } else {
    ## the data
    # the first stage reads the inputs, the last one the targets
    let uneven = batch%micros != 0;  let weigh = micros > 1
    if pp == 0 or pp == stages-1 { load_data }
    ## the parameters of each stage
    # every stage has the parameters of no other
    let rows = (batch+micros-1)//micros
    for c in 0:cut_in { chunk_memory c }
  }
}
def chunk_memory c {
  for s in 0:memories(c) {
    if begins_$c { input_room s }
    if ends_$c { target_room s }
  }
  if shared and ends_$c { one_parameter 0 0 parameter }
  for u in low_$c:high_$c+1 { each_parameter u parameter }
  # where inputs arrive: one more place than are in use, so that the next can come meanwhile
  for box in 0:inputs(c)+1 {
    if not begins_$c { tensor act$(c)_$box[rows*seq,hidden] $dtype }
    if not ends_$c { tensor grad$(c)_$box[rows*seq,hidden] $dtype }
    event used$(c)_$box act_sent$(c)_$box grad_sent$(c)_$box
  }
}

# ---- what a stage does with micro-batch m in its chunk c. Memory s holds the activations, box the input ----
# used: the stage is done with the box, the next may arrive there.  sent: what was computed in memory s has been sent, and may be overwritten.
# Sends and receives of a pair of ranks are in the order of the schedule on both sides, and each kind has its streams and its group: nothing
# can wait in a circle
def F m c {
  let s = (m+turn(c))%memories(c);  let box = m%(inputs(c)+1)
  if not timed { take m }
  if not begins_$c { receive act pp-1 m c box }
  phase F$m
  if not begins_$c { wait act_in on compute }
  if timed { spin F/cut_in } else {
    if not begins_$c { x$(low_$c-1)_$s = reshape act$(c)_$box[0:rows*seq] [rows*seq,hidden] }
    if not ends_$c { wait act_sent$(c)_$s on compute }
    if begins_$c { read_input s }
    if ends_$c and (begins_$c or not again) { read_target s }
    # recomputing, the head waits for backward, so that the loss is counted once
    for u in low_$c:high_$c+1-(again and ends_$c) { forward u s }
  }
  if not ends_$c { send_on act x$(high_$c)_$s pp+1 m c s }
}
def BW m c { back m c 1 1 }
def B m c { back m c 1 0 }
def W m c { back m c 0 1 }
def back m c inputs weights {
  let s = m%memories(c);  let box = m%(inputs(c)+1);  let letter = "B";  if not inputs { let letter = "W" }
  if not timed { take m }
  if inputs and not ends_$c { receive grad pp+1 m c box }
  phase $(letter)$m
  if inputs and not ends_$c { wait grad_in on compute }
  if timed {
    if again and inputs { phase R$m;  spin F/cut_in }
    spin (inputs*B+weights*W)/cut_in
  } else {
    if inputs and not ends_$c { dx$(high_$c)_$s = reshape grad$(c)_$box[0:rows*seq] [rows*seq,hidden] }
    if again and inputs { forward_again m c s box }
    if inputs and not begins_$c { wait grad_sent$(c)_$s on compute }
    for u in high_$c:low_$c-1:-1 { backward u s inputs weights }
    if weights { record used$(c)_$box on compute }
  }
  if inputs and not begins_$c { send_on grad dx$(low_$c-1)_$s pp-1 m c s }
}
def forward_again m c s box {
  phase R$m
  if not begins_$c { x$(low_$c-1)_$s = reshape act$(c)_$box[0:rows*seq] [rows*seq,hidden] }
  if not ends_$c { wait act_sent$(c)_$s on compute }
  if begins_$c { read_input s }
  if ends_$c { read_target s }
  for u in low_$c:high_$c+1 { forward u s }
}
def receive way from m c box {
  phase C$m
  if timed { recv $(way)_token from=from%stages on $(way)_in in $(way)s } else {
    wait used$(c)_$box on $(way)_in;  recv $(way)$(c)_$box[0:rows*seq] from=from%stages on $(way)_in in $(way)s
  }
}
def send_on way x to m c s {
  phase C$m;  wait compute on $(way)_out
  if timed { send token to=to%stages on $(way)_out in $(way)s } else {
    send x to=to%stages on $(way)_out in $(way)s;  record $(way)_sent$(c)_$s on $(way)_out
  }
}

let why = ""
def explain_slot works {
  let why = "nobody waits for the gradients of weights: they fill what would be left empty"
  if works == "F" { let why = "the pipeline fills: the more it holds before the first backward, the more memory it takes" }
  if works == "F BW" { let why = "each backward frees the activations of a micro-batch, for which a forward can begin" }
  if works == "BW" { let why = "the pipeline drains: a stage waits for the gradients of the one behind it" }
}
# ---- an iteration: slot k is the next task of every stage, in the order that its schedule says ----
def iteration {
  use compute
  if shared {
    ## the gradient of the first stage's table
    # the last stage's head is the same table: both add to its gradient, from zero
    phase O;  if pp == 0 { fill dtable 0 }
  }
  for round in 0:accumulate { for k in 0:slots {
    explain_slot $(works(k))
    ## $(doing(k))
    # $why
    $(work(k)) round*micro+micro(k) chunk(k)
  } }
  if shared {
    ## the gradients of the table meet
    # one table in two places: the sum of both gradients keeps the two the same
    phase C;  if pp == 0 or pp == stages-1 { allreduce dtable in ends }
  }
  if not timed {
    ## the optimizer
    # each stage as soon as its own gradients are done: no stage waits for another
    phase O;  update
  }
}
def update {
  for c in 0:cut_in {
    if shared and ends_$c { one_parameter 0 0 descend }
    for u in low_$c:high_$c+1 { each_parameter u descend }
  }
}
