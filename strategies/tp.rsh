# tp: tensor parallel: a block's matrices are split over the ranks; by columns, then by rows
# memory: 1/n of the blocks' parameters, gradients and optimizer state; the whole embedding and
#   head.
#   Activations between the two matrices of a pair (attention, MLP) are split; norms and residuals
#   are whole.
#   sequence=on   norms and residuals are split too, by tokens: 1/n of all activations
# sends: each matrix pair's output, summed over the ranks (allreduce), in forward and backward
# bytes: sent per rank and step, if a block's output (batch x seq x hidden numbers) has A bytes:
#   a gpt's block      2 allreduces forward and 2 backward: 4 x 2(n-1)/n A; no kernel runs during them
#   an mlp's pair      1 allreduce forward, 1 backward (none for the first pair's input)
#   sequence=on        a reduce-scatter and an allgather replace each allreduce: the same bytes. Backward
#                      also gathers each pair's input again, (n-1)/n A twice per block; the model's
#                      ends need 2 more allgathers
#   recompute=full     repeats a block's forward communication, except its last
# when: a layer is too large for a GPU, or a batch has too few rows for ddp. Links must be fast
#   (within a node), because nothing overlaps the allreduces.
# axis tp: split each block's matrices
# Megatron-LM, arXiv:1909.08053; sequence: arXiv:2205.05198
#                  columns            rows
#     x ----(f)---> x w1 --> relu --> h w2 ----(g)---> the same on all ranks
#      whole        a part of h       partial sums
#                f          g          with sequence=on
#     forward    nothing    allreduce  f: allgather, g: reduce-scatter
#     backward   allreduce  nothing    f: reduce-scatter, g: allgather
option sequence=off of="on off" "on: norms and residuals are split by tokens"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
let ways = size(tp);  let sequenced = sequence == "on";  let micros = per_round*accumulate
refuse sequenced and first_unit == 1 "sequence=on splits norms and residuals, and an mlp has none: `model gpt`, or sequence=off"
let more = heads//ways*ways+ways
refuse first_unit == 0 and heads%ways != 0 "heads=$heads does not divide by tp=$ways; the nearest that does is $more"
let cuts = first_unit == 0 or layers > 1;  let below = hidden//ways*ways
refuse cuts and hidden%ways != 0 "hidden=$hidden does not divide by tp=$ways; the nearest that do are $below and $(below+ways)"
let heads = heads//ways

# ---- parameters: each_parameter calls its argument with this rank's part of the matrix, which
# starts at row, col ----
let asked = ""
def one_parameter u i what { let asked = "$what";  replaced u i cut_one }
def cut_one p r c deviation s cut {
  let rows_here = r;  let columns_here = c;  let row = 0;  let col = 0
  if cut == "by_rows" { let rows_here = r//ways;  let row = tp*rows_here }
  if cut == "by_columns" { let columns_here = c//ways;  let col = tp*columns_here }
  $asked p rows_here columns_here deviation s cut
}
# The initial values are this rank's part of the matrix that a single rank would begin with.
def begin_parameter p r c deviation s cut {
  if cut == "whole" { replaced p r c deviation s cut } else {
    let columns = cut == "by_columns";  let all_rows = r*ways;  if columns { let all_rows = r }
    let all_columns = c;  if columns { let all_columns = c*ways }
    tensor $p[r,c] kind=$master_kind
    everything = randn [all_rows,all_columns] seed=s scale=deviation on compute
    own_block = shard everything dim=columns in tp;  copy own_block -> $p on compute;  free everything on compute
  }
}

# Unsplit gradients are the same on all ranks, so only the first rank adds them to the norm.
def add_squares p g cut { if cut != "whole" or tp == 0 { replaced p g cut } }

# ---- if matrices are split, their products are partial sums: an allreduce in place adds them ----
def by_rows y x w { replaced y x w;  allreduce y in tp }
def input_gradient_made dx { allreduce dx in tp }
def tokens_of y x to { replaced y x to;  allreduce y in tp }          # experts: the ranks' parts are summed after the tokens are back
def sum_parts x { allreduce x in tp }
def everywhere seen { replaced seen;  allreduce seen in tp }

# locate sets this rank's columns in the tensor that dropout works on.
def forward u m { locate u;  replaced u m }
def backward u m inputs weights { locate u;  replaced u m inputs weights }
def locate u {
  find_columns u;  let apart = 0;  let width = 0
  if columns < hidden { let apart = tp*columns;  let width = hidden }
}
# The width between the two matrices in an mlp's pair, which a pipeline may place on two stages.
def find_columns u { replaced u;  if first_unit == 1 and u%2 == 1 and u < layers { let columns = hidden//ways } }
if sequenced { source sequence_parallel }
