# experts: expert parallel: ranks hold different experts; tokens are sent to their experts and back
# memory: 1/n of the experts' parameters, gradients and optimizer state; all other parameters
#   whole; activations for batch/n rows. An expert holds activations for all tokens routed to it,
#   so a popular expert needs more memory than the others and makes them wait.
# sends: tokens to their experts and back (alltoall); other gradients (allreduce with op=avg)
# bytes: sent per rank; T is the bytes of its tokens x top. If all experts are equally popular,
#   (n-1)/n of each T goes to other ranks:
#   a block   4 alltoalls of T: to the experts and back, forward and backward; one alltoall for the
#             counts, 4 bytes per expert
#   capacity  T is `capacity` times as large, padding included; no counts are sent, because all parts are
#             equal, and the host does not wait
#   a step    2(n-1)/n of all gradients except the experts'
# when: you want a larger model with the same work per token, and links are fast: tokens cross
#   them 4 times per block
# axis ep: distribute the experts
# after tp
# as in GShard, arXiv:2006.16668, and Switch:
#                      rows by expert           ranks' parts, by expert
#  n --router--> permute ---> xin --alltoall--> sort_chunks --> experts here
#  y <-unpermute-- x gate <- xout <-alltoall--- sort_chunks <-- of all tokens
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
let parties = size(ep);  let micros = accumulate
refuse first_unit == 1 "an mlp has no experts: `model gpt experts=$(max(2,parties))`"
refuse experts == 0 "this model has no experts: `model gpt experts=$((max(top,2,parties)+parties-1)//parties*parties)`"
let below = experts//parties*parties;  let fits = "$below and $(below+parties)";  if below == 0 { let fits = "$parties" }
refuse experts%parties != 0 "experts=$experts does not divide by ep=$parties; the nearest that fits: $fits"
let replica = replica*parties+ep;  let replicas = replicas*parties
let experts_here = experts//parties;  let first_expert = ep*experts_here;  let far = "_far"

# ---- this rank's parameters: all except other ranks' experts ----
let of_expert = 0
def one_parameter u i what {
  let e = (i-1)//2;  let of_expert = i > 0 and u > 0 and u%2 == 0
  if not of_expert or e >= first_expert and e < first_expert+experts_here { replaced u i what }
}
# Only the first rank adds the replicated parameters to the norm.
def add_squares p g cut { if of_expert or ep == 0 { replaced p g cut } }
def everywhere seen { replaced seen;  allreduce seen in ep }
def count_everywhere n { replaced n;  allreduce n in ep }

# ---- rows from each rank to each local expert: their number; with a capacity all are equal ----
def cut_batch {
  replaced;  if gathers == "" { stream comm blocking }
  let below = batch-batch%(replicas*micros);  let above = below+replicas*micros
  let fits = "batch=$below and batch=$above fit, or without a pipeline capacity=none"
  refuse capped and uneven "batch=$batch does not divide into $(replicas*micros) parts; with a capacity all parts need equally many rows: $fits"
}
def count_rows k {
  if capped { from$k = full [parties,experts_here] i32 value=places kind=buffer } else {
    come$k = alltoall wanted$k in ep;  from$k = reshape come$k [parties,experts_here]
    # the host must read the counts before it can allocate memory and receive the rows
    tensor go_host$k[experts] come_host$k[parties,experts_here] pinned i32 kind=buffer
    copy wanted$k -> go_host$k;  copy from$k -> come_host$k;  sync compute
  }
}
def rows_of k j {
  let even = pairs*(j+1)//experts_here-pairs*j//experts_here
  let came = places*parties;  if not capped { let came = known(sum(come_host$k[0:parties,j:j+1]),even) }
}
def forget_rows k { if capped { free from$k } else { free come$k go_host$k come_host$k } }

# ---- rows arrive in rank order; sort_chunks orders them by expert ----
def to_experts x k {
  if capped { by_rank = alltoall $(x)$k in ep } else { by_rank = alltoall $(x)$k send=go_host$k recv=come_host$k in ep }
  $(x)_far$k = sort_chunks by_rank from$k;  free by_rank $(x)$k
}
def from_experts x k {
  by_rank = sort_chunks $(x)_far$k from$k.T
  if capped { $(x)$k = alltoall by_rank in ep } else { $(x)$k = alltoall by_rank send=come_host$k recv=go_host$k in ep }
  free by_rank $(x)_far$k
}

# ---- gradients are means over all ranks' tokens: an expert has all its tokens, so it only
# divides; other gradients are averaged ----
def gradient_made p {
  if last and dense { wait compute on comm;  allreduce d$p op=avg on comm in ep }
  if last and not dense { d$p = scale d$p 1/parties }
  replaced p
}
def before_update { replaced;  wait comm on compute }
