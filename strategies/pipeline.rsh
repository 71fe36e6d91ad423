# pipeline: each rank has some layers; micro-batches pass from rank to rank
# memory: each stage has its layers' parameters, gradients and optimizer state; activations for the
#   micro-batches in flight: gpipe all, 1f1b p-s on stage s, zb-h1 p, zb-h2 2p-1, zb-auto limit x
#   p. recompute=full keeps only their blocks' inputs, and the head's activations once.
# sends: a micro-batch's activations to the next stage, their gradients back
# bytes: per step each stage sends micro x chunks x (the activations between two layers) forward,
#   and as many bytes back.
#   bubble: (p-1)/(m+p-1) of a stage's time for p stages and m micro-batches; interleaved: divided
#   by chunks; zb-h1 idles (p-1)(F+B-W), zb-h2 (p-1)(F+B-2W); plus exposed transfers
# when: the model does not fit, and links are slow: no other strategy sends less. Not for few
#   micro-batches (the bubble), nor for layers with unequal times. gpipe arXiv:1811.06965, 1f1b and
#   interleaved arXiv:2104.04473, zb-* arXiv:2401.10241
# With ddp and zero each stage has its own buckets and groups; fsdp gathers a stage's parameters
#   for every micro-batch.
# axis pp: split the layers into stages
# after tp ep
#   schedule=F.csv  in the format of PyTorch's pipelining, a row per rank: 0F0,0F1,,0B0 ... (`program
#                   schedule F.csv` writes one)
#   zb-v-4.csv      built in, as is zb-v-8.csv: chunks form a V on 4 or 8 ranks; chunks=2, micro=
#                   twice the ranks; no bubble if F, B and W take the same time; activations for 2p
#                   parts of the model (arXiv:2401.10241)
#   dualpipe-v-4.csv  and -8: the same V; bubble (p-1)(F+B-2W), where B computes both gradients;
#                   activations for 2p+1 parts of the model (arXiv:2412.19437)
option schedule=1f1b of="gpipe 1f1b interleaved zb-h1 zb-h2 zb-auto *.csv" "the order in which a stage runs its micro-batches"
option micro=4 least=1 "micro-batches per step, each with at least one row; interleaved: a multiple of the ranks"
option accumulate=1 least=1 "rounds of `micro` micro-batches per optimizer step; the pipeline drains between rounds"
option chunks=1 least=1 "parts of the model per stage, for interleaved and files; a stage's parts are not adjacent layers"
option limit=1.0 least=1 with="schedule=zb-auto" "limit on activation memory, as a multiple of that of 1f1b's first stage"
option held=0.5 least=0 with="F" "zb-auto with given times: the share of activations that W still needs after B"
option F=0ms "instead of a model: a stage's time for forward"
option B=0ms with="F" "instead of a model: a stage's time for its input gradients"
option W=0ms with="F" "instead of a model: a stage's time for its weight gradients"
option transfer=0ms with="F" "instead of a model: time for a transfer to the next stage"
let timed = F > 0ms
let stages = size(pp);  let per_round = micro;  let micros = micro*accumulate
let pieces = chunks;  if stages == 1 { let pieces = 1 }
refuse schedule == "interleaved" and chunks == 1 "interleaved gives a stage several chunks: chunks=2, or schedule=1f1b"
let reads = experts > 0 and stages > 1 and not timed       # a stage cannot wait for counts: the stage before it may not have queued its work yet
refuse reads and "$capacity" == "none" "capacity=none: in a pipeline the tokens per expert must not depend on the data: capacity=1.25"
refuse timed and stages < world "a pipeline with given times works alone, on all $(world) ranks"
if timed { schedule $schedule micro=micro chunks=pieces recompute=$recompute limit=limit F=F B=B W=W comm=transfer held=held in pp }
if not timed { schedule $schedule micro=micro chunks=pieces recompute=$recompute limit=limit in pp }
# ---- the split: chunk c is part piece(c) of the model (c*stages+pp; a file may choose otherwise),
# units low_c .. high_c. Layers are distributed evenly; if they do not divide and the model is a
# gpt, the embedding and the head count as one layer each ----
let parts = stages*pieces;  let first_stage = holder(0);  let last_stage = holder(parts-1)  # ranks with the first and the last part
let shared = not timed and first_stage != last_stage and tied == "on"          # both hold the same table
if shared { group ends by (pp==first_stage or pp==last_stage)-1 in pp;  let table_begun = 0 }
let apiece = first_unit == 0 and layers%parts != 0;  let fits = parts-2*apiece
let wants = "layers=$layers on $stages stages";  let fewer = "ranks"
if pieces > 1 { let wants = "$wants with $pieces chunks each";  let fewer = "ranks or chunks" }
refuse not timed and layers < fits "$wants: layers=$fits fits, or fewer $fewer"
def cut_piece c {
  let number = piece(c);  let units = (last_unit-1)//layers
  let from = number*(layers+2*apiece)//parts+1-apiece;  let to = (number+1)*(layers+2*apiece)//parts-apiece
  if number == 0 { let low_$c = first_unit } else { let low_$c = (max(from,1)-1)*units+1 }
  if number == parts-1 { let high_$c = last_unit } else { let high_$c = min(to,layers)*units }
}
# comes_c: chunk c's input comes from another stage; false if this rank also has the part before it
# (at the turn in a V). goes_c: likewise its output. Each chunk has its own streams and groups,
# act_in0, act_in1 ..., so that one chunk's wait does not delay another.
for c in 0:pieces {
  let low_$c = 0;  let high_$c = -1;  let begins_$c = piece(c) == 0;  let ends_$c = piece(c) == parts-1
  let from_$c = holder(max(piece(c)-1,0));  let to_$c = holder(min(piece(c)+1,parts-1))
  let comes_$c = not begins_$c and from_$c != pp;  let goes_$c = not ends_$c and to_$c != pp
  let suffix = "";  if pieces > 1 { let suffix = c }
  if stages > 1 { stream act_in$suffix act_out$suffix grad_in$suffix grad_out$suffix;  group acts$suffix by 0 in pp;  group grads$suffix by 0 in pp }
  if stages > 1 and pieces > 1 { group acts_on$c by 0 in pp;  group grads_on$c by 0 in pp }
  if not timed { cut_piece c }
}
# A shared table exists twice: the last stage also has the table, but no other parameter of unit 0.
def each_unit what with { if shared and pp == last_stage { $what 0 with };  replaced what with }
def each_unit_back what with { replaced what with;  if shared and pp == last_stage { $what 0 with } }
def one_parameter u i what { if not shared or pp != last_stage or u > 0 or i == 0 { replaced u i what } }
def table_made { if not shared { replaced } }
def add_squares p g cut { if not shared or pp != last_stage or "$p" != "table" { replaced p g cut } }
# A loader delivers whole micro-batches in order. If a stage takes them in another order (a
# file may), or inputs and targets at different times (in a V), it holds a whole round.
let follows = 0;  let holds = first_stage == last_stage and pieces > 1
def look_at_slot k w {
  if "$w" == "F" and (begins_$(chunk(k)) or ends_$(chunk(k))) { let holds = holds or micro(k) != follows;  let follows = micro(k)+1 }
}
if loader_workers > 0 { for k in 0:slots { look_at_slot k $(work(k)) };  if holds { let loader_held = micro-1 } }
let why = "";  source stage
def setup {
  if timed {
    ## messages that stand for activations
    # a message of a few bytes takes its link's latency
    if stages > 1 {
      set link_latency=transfer;  set nic_latency=transfer;  tensor token[1] = zeros
      for c in 0:pieces { tensor act_token$c[1] grad_token$c[1] = zeros }
    }
  } else {
    ## streams, and the data
    # the first stage reads the inputs, the last one the targets; receive buffers are allocated
    cut_batch;  let rows = (batch+replicas*micros-1)//(replicas*micros);  count_tokens
    if pp == first_stage or pp == last_stage { load_data }
    for c in 0:pieces { piece_memory c }
    parameters
  }
}
def piece_memory c {
  for s in 0:memories(c) { if begins_$c { input_room s };  if ends_$c { target_room s } }
  for box in 0:memories(c)+1 {
    if comes_$c { find_columns $(low_$c-1);  tensor act$(c)_$box[tokens_here,columns] $dtype }
    if goes_$c { find_columns $(high_$c);  tensor grad$(c)_$box[tokens_here,columns] $dtype }
    event used$(c)_$box act_sent$(c)_$box grad_sent$(c)_$box
  }
}
def explain_slot works {
  let why = "no stage waits for weight gradients: they fill the bubble"
  if works == "F" { let why = "the pipeline fills: the more micro-batches before the first backward, the more memory" }
  if works == "F BW" { let why = "each backward frees a micro-batch's activations, so a forward can begin" }
  if works == "BW" { let why = "the pipeline drains: a stage waits for the next stage's gradients" }
}
# ---- an iteration: in slot k each stage does the k-th task of its own schedule ----
def iteration {
  use compute
  for round in 0:accumulate { for k in 0:slots {
    explain_slot $(works(k));  let w = work(k);  let m = round*micro+micro(k)
    ## $(doing(k))
    # $why
    if pieces == 1 { $(does_$w) m } else { $(does_$w) m chunk(k) }
  } }
  if shared {
    ## the gradients of the table are summed
    # one table on two stages: the sum of both gradients keeps the two copies equal
    phase C;  if pp == first_stage or pp == last_stage { allreduce dtable in ends;  gradient_made table }
  }
  if not timed {
    before_update;  clip_gradients
    ## the optimizer
    # each stage steps as soon as its own gradients are done: no stage waits for another
    phase O;  optimizer_step
  }
}
def everywhere seen { replaced seen;  allreduce seen in pp }
def count_everywhere n { replaced n;  allreduce n in pp }
