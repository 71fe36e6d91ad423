# experts: expert parallel: every rank has some of each block's experts; each has its part of the batch, and tokens travel to their experts and back
# memory: 1/n of the experts' parameters, gradients and optimizer; all else whole; activations of batch/n rows, but an expert's of
#   all tokens that chose it: a popular one wants more memory than the others, and makes them wait
# sends: tokens to their experts and back, forward and backward; gradients of all that is no expert, averaged as they are made
# bytes: that a rank sends, for T = bytes of its tokens x top, of which (n-1)/n go to others when all experts are used alike:
#   a block   4 alltoalls of T: to the experts and back, forward and backward; and one of 4 bytes an expert, the counts
#   capacity  T is capacity x as large, padding included, and no counts travel: all parts are equal, and the host waits for nothing
#   a step    2(n-1)/n of the gradients of all that is no expert
# when: a larger model is wanted that computes no more for a token, and links are fast: tokens cross them 4 times a block
# axis ep: deal out the experts
# after tp
# as in GShard, arXiv:2006.16668, and Switch:
#                      rows by expert           ranks' parts, by expert
#  n --router--> permute ---> xin --alltoall--> sort_chunks --> experts here
#  y <-unpermute-- x gate <- xout <-alltoall--- sort_chunks <-- of all tokens
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
let parties = size(ep);  let micros = accumulate
refuse first_unit == 1 "an mlp has no experts: `model gpt experts=$(max(2,parties))`"
refuse experts == 0 "this model has no experts: `model gpt experts=$((max(top,2,parties)+parties-1)//parties*parties)`"
let below = experts//parties*parties;  let fits = "$below and $(below+parties)";  if below == 0 { let fits = "$parties" }
refuse experts%parties != 0 "experts=$experts does not divide by ep=$parties; the nearest that fits: $fits"
let replica = replica*parties+ep;  let replicas = replicas*parties
let experts_here = experts//parties;  let first_expert = ep*experts_here;  let far = "_far"

# ---- which parameters are here: all but the experts of others ----
let of_expert = 0
def one_parameter u i what {
  let e = (i-1)//2;  let of_expert = i > 0 and u > 0 and u%2 == 0
  if not of_expert or e >= first_expert and e < first_expert+experts_here { replaced u i what }
}
# what all ranks have alike the first one counts
def add_squares p g cut { if of_expert or ep == 0 { replaced p g cut } }
def everywhere seen { replaced seen;  allreduce seen in ep }
def count_everywhere n { replaced n;  allreduce n in ep }

# ---- how many rows come from each rank to each expert here; with a capacity all parts are equal ----
def cut_batch {
  replaced;  if gathers == "" { stream comm blocking }
  let below = batch-batch%(replicas*micros);  let above = below+replicas*micros
  let fits = "batch=$below and batch=$above fit, or without a pipeline capacity=none"
  refuse capped and uneven "batch=$batch on $(replicas*micros) parts: with a capacity all have as many rows; $fits"
}
def count_rows k {
  if capped { from$k = full [parties,experts_here] i32 value=places kind=buffer } else {
    come$k = alltoall wanted$k in ep;  from$k = reshape come$k [parties,experts_here]
    # the host must know them before it can ask for memory, and for the rows
    tensor go_host$k[experts] come_host$k[parties,experts_here] pinned i32 kind=buffer
    copy wanted$k -> go_host$k;  copy from$k -> come_host$k;  sync compute
  }
}
def rows_of k j {
  let even = pairs*(j+1)//experts_here-pairs*j//experts_here
  let came = places*parties;  if not capped { let came = known(sum(come_host$k[0:parties,j:j+1]),even) }
}
def forget_rows k { if capped { free from$k } else { free come$k go_host$k come_host$k } }

# ---- there they stand by rank, and an expert wants its rows together ----
def to_experts x k {
  if capped { by_rank = alltoall $(x)$k in ep } else { by_rank = alltoall $(x)$k send=go_host$k recv=come_host$k in ep }
  $(x)_far$k = sort_chunks by_rank from$k;  free by_rank $(x)$k
}
def from_experts x k {
  by_rank = sort_chunks $(x)_far$k from$k.T
  if capped { $(x)$k = alltoall by_rank in ep } else { $(x)$k = alltoall by_rank send=come_host$k recv=go_host$k in ep }
  free by_rank $(x)_far$k
}

# ---- gradients are means over the ranks' tokens. An expert has seen those of all ranks; the rest is averaged ----
def gradient_made p {
  if last and dense { wait compute on comm;  allreduce d$p op=avg on comm in ep }
  if last and not dense { d$p = scale d$p 1/parties }
  replaced p
}
def before_update { replaced;  wait comm on compute }
