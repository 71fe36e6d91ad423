# tp: tensor parallel: every matrix of a block is cut, by columns or by rows; its ranks work on the same rows of the batch
# memory: 1/n of the blocks' parameters, gradients and optimizer; embedding and head whole; of the activations those between
#   the two matrices of a pair are cut (heads, the MLP's inside), norms and residuals are not
#   sequence=on   norms and residuals too, by tokens: 1/n of all
# sends: the output of each pair of matrices, added up over its ranks, forward and backward
# bytes: that a rank sends, for A = bytes of a block's output (batch x seq x hidden x type):
#   a block of a gpt   2 allreduces forward and 2 backward: 4 x 2(n-1)/n A, and nothing computes meanwhile
#   a pair of an mlp   1 forward, 1 backward (not before the first pair)
#   sequence=on        a reduce-scatter and an allgather in place of each: the same bytes; backward gathers the input of each pair
#                      again, (n-1)/n A twice a block; and 2 allgathers at the model's ends
#   recompute=full     a block's communication of forward again, less the last one
# axis tp: cut the matrices of a block
# Megatron-LM, arXiv:1909.08053; sequence: arXiv:2205.05198
#                  columns            rows
#     x ----(f)---> x w1 --> relu --> h w2 ----(g)---> the same on all ranks
#      whole        a part of h       a sum in parts
#                f          g          with sequence=on
#     forward    nothing    allreduce  f: allgather, g: reduce-scatter
#     backward   allreduce  nothing    f: reduce-scatter, g: allgather
option sequence=off of="on off" "norms and residuals are cut by tokens"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
let ways = size(tp);  let sequenced = sequence == "on";  let micros = per_round*accumulate
refuse sequenced and first_unit == 1 "sequence=on cuts norms and residuals, and an mlp has none: `model gpt`, or sequence=off"
let more = heads//ways*ways+ways
refuse first_unit == 0 and heads%ways != 0 "heads=$heads does not divide by ranks=$ways; the nearest that does is $more"
let cuts = first_unit == 0 or layers > 1;  let below = hidden//ways*ways
refuse cuts and hidden%ways != 0 "hidden=$hidden does not divide by ranks=$ways; the nearest that do are $below and $(below+ways)"
let heads = heads//ways

# ---- parameters: who asks for them is told what of them is here: a block from row, col on ----
let asked = ""
def one_parameter u i what { let asked = "$what";  replaced u i cut_one }
def cut_one p r c deviation s cut {
  let rows_here = r;  let columns_here = c;  let row = 0;  let col = 0
  if cut == "by_rows" { let rows_here = r//ways;  let row = tp*rows_here }
  if cut == "by_columns" { let columns_here = c//ways;  let col = tp*columns_here }
  $asked p rows_here columns_here deviation s cut
}
# a part of the whole's numbers, the same whole that one rank would begin with
def begin_parameter p r c deviation s cut {
  if cut == "whole" { replaced p r c deviation s cut } else {
    let columns = cut == "by_columns";  let all_rows = r*ways;  if columns { let all_rows = r }
    let all_columns = c;  if columns { let all_columns = c*ways }
    tensor $p[r,c] kind=$master_kind
    everything = randn [all_rows,all_columns] seed=s scale=deviation on compute
    own_block = shard everything dim=columns in tp;  copy own_block -> $p on compute;  free everything on compute
  }
}

# whole gradients are the same on all ranks: the first one counts them
def add_squares p g cut { if cut != "whole" or tp == 0 { replaced p g cut } }

# ---- without sequence: what was computed from parts is a sum in parts, and becomes the sum in its place ----
# with it a rank has its tokens of norms and residuals: gathered from all before a pair, behind it each keeps the sum of its own
def norm y x { if sequenced { $(y)_part = layernorm x;  y = allgather $(y)_part in tp } else { replaced y x } }
# of what was gathered a rank keeps its tokens, and backward gathers it again
def norm_read y { if sequenced { free y;  if drops { free $(y)_part } } else { replaced y } }
def norm_again y x {
  if sequenced {
    if light { $(y)_part = layernorm x kind=activation }
    y = allgather $(y)_part in tp kind=activation;  free $(y)_part
  } else { replaced y x }
}
def by_rows y x w {
  if sequenced { $(y)_part = matmul x w;  y = reducescatter $(y)_part in tp;  free $(y)_part } else {
    replaced y x w;  allreduce y in tp
  }
}
def by_rows_backward dx dy x w inputs weights {
  if sequenced and inputs { $(dy)_whole = allgather dy in tp }
  if sequenced { replaced dx $(dy)_whole x w inputs weights } else { replaced dx dy x w inputs weights }
  if sequenced and weights { free $(dy)_whole }
}
# experts: tokens become whole sums behind them
def sum_parts x { allreduce x in tp }
def tokens_of y x to {
  if sequenced { $(y)_part = unpermute x to;  y = reducescatter $(y)_part in tp;  free $(y)_part } else {
    replaced y x to;  allreduce y in tp
  }
}
def rows_of_gradient x dy to {
  if sequenced { $(dy)_whole = allgather dy in tp;  replaced x $(dy)_whole to;  free $(dy)_whole } else { replaced x dy to }
}
if sequenced { let router_share = 1/ways }
def input_gradient_made dx { if not sequenced { allreduce dx in tp } }
def norm_backward dx dy x {
  if sequenced { $(dy)_part = reducescatter dy in tp;  replaced dx $(dy)_part x;  free $(dy)_part } else { replaced dx dy x }
}

def everywhere seen { replaced seen;  allreduce seen in tp }

# ---- the model's ends work on all tokens, in memory of their own: x0_all0 is x0_0 of all ranks ----
let all = "";  if sequenced { let all = "all" }
def input_room m { replaced $all$m }
def target_room m { replaced $all$m }
def read_input m { replaced $all$m }
def read_target m { replaced $all$m }
def forward u m {
  locate u
  if sequenced and (u == 0 or u == last_unit) {
    if u == last_unit { x$(last_unit-1)_all$m = allgather x$(last_unit-1)_$m in tp }
    replaced u all$m
    if u == 0 { own_tokens x0_$m x0_all$m activation }
  } else { replaced u m }
}
def backward u m inputs weights {
  locate u
  if sequenced and (u == 0 or u == last_unit) {
    if u == 0 and weights { dx0_all$m = allgather dx0_$m in tp;  free dx0_$m }
    replaced u all$m inputs weights
    if u == last_unit and inputs {
      free x$(last_unit-1)_all$m;  own_tokens dx$(last_unit-1)_$m dx$(last_unit-1)_all$m activation_gradient
    }
  } else { replaced u m inputs weights }
}
def own_tokens y whole kind { own_block = shard whole in tp;  y = cast own_block to=$dtype kind=$kind;  free whole }
def cut_batch {
  replaced
  let least_rows = batch//(replicas*micros);  let most_rows = least_rows+uneven
  let divides = least_rows*length%ways == 0 and most_rows*length%ways == 0
  refuse sequenced and not divides "sequence=on: a micro-batch of $(least_rows*length) tokens does not divide by ranks=$ways"
}
def count_tokens { replaced;  if sequenced { let tokens_here = tokens_here//ways } }
# where this rank's part of what dropout works on lies: its tokens, or its columns
def locate u {
  let apart = 0;  let width = 0
  if sequenced and u > 0 and u < last_unit { let apart = tp*tokens_here*hidden }
  if first_unit == 1 and u%2 == 1 and u < layers { let apart = tp*(hidden//ways);  let width = hidden }
}
