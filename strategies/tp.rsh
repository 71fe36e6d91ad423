# tp: tensor parallel: a block's matrices are cut by columns or rows; its ranks work on the same rows of the batch
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
# when: a layer is too large for a GPU, or a batch has too few rows for ddp, and links are fast (a node's): nothing hides its sums.
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
refuse first_unit == 0 and heads%ways != 0 "heads=$heads does not divide by tp=$ways; the nearest that does is $more"
let cuts = first_unit == 0 or layers > 1;  let below = hidden//ways*ways
refuse cuts and hidden%ways != 0 "hidden=$hidden does not divide by tp=$ways; the nearest that do are $below and $(below+ways)"
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

# ---- what was computed from parts is a sum in parts, and becomes the sum in its place ----
def by_rows y x w { replaced y x w;  allreduce y in tp }
def input_gradient_made dx { allreduce dx in tp }
def tokens_of y x to { replaced y x to;  allreduce y in tp }          # experts: tokens become whole sums behind them
def sum_parts x { allreduce x in tp }
def everywhere seen { replaced seen;  allreduce seen in tp }

# where this rank's part of what dropout works on lies: its columns
def forward u m { locate u;  replaced u m }
def backward u m inputs weights { locate u;  replaced u m inputs weights }
def locate u {
  find_columns u;  let apart = 0;  let width = 0
  if columns < hidden { let apart = tp*columns;  let width = hidden }
}
# between the two matrices of an mlp's pair, which a pipeline may put on two stages
def find_columns u { replaced u;  if first_unit == 1 and u%2 == 1 and u < layers { let columns = hidden//ways } }
if sequenced { source sequence_parallel }
