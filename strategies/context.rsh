# context: sequences are split over the ranks; attention sends keys and values around a ring, or uses alltoall
# memory: the whole model on every rank; activations for 1/n of the tokens
#   ring      also two key-value blocks in transit; in backward also two blocks of their gradients
# sends: keys and values (ring, or alltoalls of tokens for heads); gradients (allreduce, op=avg)
# bytes: sent per rank and layer, if the keys of its tokens (batch x seq/n x hidden) have A bytes:
#   ring      forward 2(n-1) A: keys and values make n-1 hops; backward the same, plus 2n A: their
#             gradients make n hops, back to their rank
#   ulysses   4 alltoalls forward (q k v, o), 4 backward: (n-1)/n A each; no kernel runs during them
#   Both also send 2(n-1)/n of all gradients, averaged as in ddp.
# when: a sequence's activations do not fit on a GPU, or there are fewer sequences than
#   GPUs. For short sequences ddp sends less.
#   ring      if seq/n is large, the hops overlap with attention
#   ulysses   sends fewer bytes without overlap, on at most as many ranks as heads: for fast links
#   both      ulysses within a node, a ring across nodes
# axis cp: split the sequences
# after tp ep pp
# loses size(cp) > 1 and experts > 0 and (capped or balance_loss > 0): experts' capacity and the balance loss are computed from a rank's own tokens
#   ulysses   arXiv:2309.14509: an alltoall turns [1/n of the tokens, all heads] into [all tokens,
#             1/n of the heads], and back
#   ring      arXiv:2310.01889, parts/rounds.rsh; both, arXiv:2405.07719: a ring of groups that
#             split the heads
#   balance=off   rank r has the tokens from r seq/n: with a causal mask, the first rank attends to one
#                 block of keys and the last rank to all n
#   balance=on    every n-th token from r: each rank attends to half of each block (arXiv:2311.09431;
#                 Llama 3's zigzag halves balance too)
option kind=ring of="ring ulysses" "ring: keys and values go round a ring; ulysses: alltoalls exchange tokens for heads"
option ring=0 least=0 "ranks per ring, to use both kinds (arXiv:2405.07719); 0: the cp ranks divided by ulysses"
option ulysses=0 least=0 "ranks that split the heads; 0: the cp ranks divided by ring"
option balance=on of="on off" "on: stripes, so that all ranks have the same work in attention; off: contiguous parts"
option bucket=256k least=1 unless="dp_shard" "size at which a gradient bucket is sent"
option overlap=on of="on off" unless="dp_shard" "on: a bucket is sent as soon as it is full; off: all buckets after backward"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
refuse first_unit == 1 "an mlp has no attention and no sequences: `model gpt`, or `strategy ddp`, which splits the rows"
let blocks = ring;  let splits = ulysses          # key blocks; ranks that split the heads
if ring == 0 and ulysses == 0 and kind == "ulysses" { let blocks = 1 }
if blocks == 0 { let blocks = max(size(cp)//max(ulysses,1),1) }
if splits == 0 { let splits = max(size(cp)//blocks,1) }
let near = divisor(size(cp),blocks);  let near = "ring=$near ulysses=$(size(cp)//near) fits"
let given = "ring=$ring ulysses=$ulysses make $(blocks*splits) ranks, not cp=$(size(cp))"
if ring*ulysses == 0 { let given = "ring=$blocks does not divide cp=$(size(cp))" }
if ring == 0 { let given = "ulysses=$splits does not divide cp=$(size(cp))" }
refuse blocks*splits != size(cp) "$given; $near"
refuse kind == "ulysses" and splits == 1 and blocks > 1 "ring=$blocks leaves kind=ulysses no ranks to split the heads"
let below = seq//size(cp)*size(cp);  let near = "the nearest that do are $below and $(below+size(cp))"
if below == 0 { let near = "the nearest that does is $(size(cp))" }
refuse seq%size(cp) != 0 "seq=$seq does not divide by cp=$(size(cp)); $near"
let below = heads//splits*splits;  let near = "the nearest that do are $below and $(below+splits)"
if below == 0 { let near = "the nearest that does is $splits" }
refuse heads%splits != 0 "a rank's heads=$heads do not divide by ulysses=$splits; $near, or a ring"
refuse dropout > 0 and balance == "off" and blocks > 1 "dropout=$dropout needs tokens in stripes: balance=on, or dropout=0"
let micros = per_round*accumulate;  let length = seq//size(cp);  let few = heads//splits
let block = length*splits;  let block_width = few*head_size           # a sequence's tokens in a key block; columns of its heads
if blocks > 1 { group circle by cp%splits in cp };  if splits > 1 { group swap by cp//splits in cp }
let spot = cp//splits;  let lane = cp%splits;  let striped = balance == "on";  source rounds

# ---- this rank's tokens in a sequence: the indices lane and spot in [length,splits,blocks] if they
# are striped, in [blocks,length,splits] if they are contiguous ----
def own_part y x count wide {
  if striped { whole = reshape x [count,length,splits,blocks,wide];  y = whole[0:count,0:length,lane,spot] } else {
    whole = reshape x [count,blocks,length,splits,wide];  y = whole[0:count,spot,0:length,lane]
  }
}
def read_tokens from to {
  own_part own_tokens text$store[from-base:from-base+rows*seq] rows 1;  own_ids = reshape to [rows,length,1];  copy own_tokens -> own_ids
}
def add_positions x { own_part own_rows pos 1 hidden;  xs = reshape x [rows,length,hidden];  xs = add xs own_rows;  free xs own_rows }
def positions_backward dxs one {
  own_part own_rows dpos 1 hidden;  if fresh { fill dpos 0 }
  dps = matmul one.T dxs;  part_of_dpos = reshape dps [1,length,hidden];  own_rows = add own_rows part_of_dpos;  free dps
}
# Dropout draws its numbers for the whole sequence; a stripe has every n-th of them.
def drop kernel y x place {
  let offset = apart;  let apart = offset*size(cp)+(lane*blocks+spot)*hidden;  let width = size(cp)*hidden
  replaced "$kernel" y x place
  let apart = offset;  let width = 0
}

# ---- attention; ulysses works on some heads and all tokens: q k v stay exchanged until backward ----
def attend o q k v {
  if splits == 1 { rounds o q k v } else {
    exchange q q;  exchange k k;  exchange v v
    heads_of all_q q;  heads_of all_k k;  heads_of all_v v;  rounds heads_$o all_q all_k all_v
    tensor o[rows*length,splits*block_width] $dtype kind=activation;  exchange o heads_$o;  if blocks == 1 { free heads_$o }
  }
}
def attend_backward dq dk dv do q k v o {
  let t = rows*length;  let w = splits*block_width;  tensor dq[t,w] dk[t,w] dv[t,w] $dtype kind=activation_gradient
  if splits == 1 { rounds_back dq dk dv do q k v o } else {
    exchange do do;  heads_of all_do do;  heads_of all_q q;  heads_of all_k k;  heads_of all_v v
    heads_of all_dq dq;  heads_of all_dk dk;  heads_of all_dv dv
    rounds_back all_dq all_dk all_dv all_do all_q all_k all_v heads_$o;  if blocks > 1 { free heads_$o }
    exchange dq dq;  exchange dk dk;  exchange dv dv
  }
}
def half_forget u m {
  replaced u m
  let o = "o$(u)_$m";  if splits > 1 { let o = "heads_$o" }
  if u%2 == 1 and blocks > 1 { free lse_$o;  if splits > 1 { free $o } }
}
# Turns [this rank's tokens, all heads] into [all tokens, this rank's heads]. The same exchange
# turns them back.
def exchange y x {
  part_out = reshape x [rows*length,splits,block_width];  part_in = reshape y [rows*length,splits,block_width]
  by_rank = transpose part_out;  by_token = alltoall by_rank in swap;  part_in = transpose by_token;  free by_rank by_token
}
def heads_of y x { y = reshape x [rows*block,block_width] }

# ---- gradients: means over each rank's tokens, averaged over the ranks ----
def count_everywhere n { replaced n;  allreduce n in cp }
def reduce_gradients g { replaced g;  allreduce g op=avg in cp }
if gathers == "" { source buckets }
