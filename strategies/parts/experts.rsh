# experts: a block has several MLPs; a router sends each token to `top` of them (experts=8).
# Router, capacity and balance loss follow the Switch Transformer (arXiv:2101.03961). If
# top > 1, the gates stay the router's probabilities, as in DeepSeekMoE (arXiv:2401.06066). b: the
# block; k: unit and memory, as 4_0; wu2_5, wd2_5: expert 5 in block 2
#   p = softmax(n router)     gate choice = the top of p     xin: rows of n, expert after expert     xout = expert(xin)
#   a token's y = the sum of gate xout over its choices; if an expert is full, the choice is dropped and adds nothing
#   each micro-batch's balance loss:    balance_loss * experts * sum over experts of (its share of all choices) (its mean p)
let capped = "$capacity" != "none";  let pairs = 0;  let places = 0;  let room = 0;  let came = 0;  let dense = 1
let first_expert = 0;  let experts_here = experts;  let far = ""
refuse top > experts and experts > 0 "top=$top: a token goes to at most experts=$experts"
refuse balance_loss < 0 "balance_loss=$balance_loss is below 0"
if experts > 0 { tensor routed[experts] dropped[experts] i32 kind=buffer = 0 }        # per expert, from this rank's tokens so far

# ---- strategies' override points: if experts are on other ranks, their inputs and outputs have `far` in the name ----
def to_experts x k { }                       # sends rows, ordered by expert, to the experts: $(x)4_0 becomes $(x)_far4_0
def from_experts x k { }                     # and back
# tp: if a rank has a part of each expert, it computes partial sums: y, and the gradients for the
# gates and n
def sum_parts x { }
def tokens_of y x to { y = unpermute x to }
def rows_of_gradient x dy to { x = permute dy to rows=room }
let router_share = 1                         # this rank's share of the router's gradient with respect to n
# Counts the rows per expert. If there is no capacity, the counts depend on the data, and the host
# waits for them.
def count_rows k {
  if not capped { tensor counts$k[experts] pinned i32 kind=buffer;  copy wanted$k -> counts$k;  sync compute }
}
def rows_of k j { let came = places;  if not capped { let came = known(counts$k[j],pairs*(j+1)//experts-pairs*j//experts) } }
def count_routed wanted {                    # before the loss, so that reading the loss waits for these too
  routed = add routed $wanted
  if capped { most = full [experts] i32 value=places;  over = maximum $wanted most;  over = sub over most;  dropped = add dropped over }
}
def forget_rows k { if not capped { free counts$k } }
def measure {
  let pairs = rows*length*top;  let room = pairs
  if capped { let places = ceil(capacity*pairs/experts);  let room = experts*places }
}

# ---- forward ----
def experts_forward b k {
  measure
  r$k = matmul n$k router$b;  if mixed { r$k = cast r$k to=f32 }
  p$k = softmax r$k;  free r$k;  gate$k choice$k = topk p$k k=top
  to$k wanted$k = binsort choice$k bins=experts capacity=places
  xin$k = permute n$k to$k rows=room;  norm_read n$k
  if not again { count_routed wanted$k };  count_rows $k;  to_experts xin $k
  xout$(far)$k = scale xin$(far)$k 0
  let to = 0
  for j in 0:experts_here {
    rows_of $k j;  let from = to;  let to = from+came
    if came > 0 { expert_forward $(b)_$(first_expert+j) $(k) $(k)_$j from to }
  }
  from_experts xout $k
  # each row's gate, on the row's rank
  gates = reshape gate$k [pairs,1];  tos = reshape to$k [pairs,1];  weight$k = permute gates tos rows=room;  free gates tos gate$k
  if mixed { weight$k = cast weight$k to=$dtype }
  if not unread { z$k = mul xout$k weight$k;  tokens_of y$k z$k to$k;  free z$k }
}
def expert_forward w k e from to {
  h$e = matmul xin$(far)$k[from:to] wu$w;  g$e = gelu h$e;  xout$(far)$k[from:to] = matmul g$e wd$w;  if drops { free g$e }
}
# Frees the activations that backward reads.
def experts_forget k {
  for j in 0:experts_here { rows_of $k j;  if came > 0 { free h$(k)_$j } }
  free p$k choice$k to$k wanted$k xin$(far)$k xout$k weight$k;  forget_rows $k
}

# ---- backward, the last expert first ----
def experts_backward b k dy inputs weights {
  measure
  if inputs { gate_backward dy $k;  dxin$(far)$k = scale xin$(far)$k 0 }
  let to = 0;  for j in 0:experts_here { rows_of $k j;  let to = to+came }
  for j in experts_here-1:-1:-1 {
    rows_of $k j;  let from = to-came;  let dense = 0
    if came > 0 { expert_backward $(b)_$(first_expert+j) $(k) $(k)_$j from to inputs weights } else {
      if weights { no_gradient wd$(b)_$(first_expert+j);  no_gradient wu$(b)_$(first_expert+j) }
    }
    let dense = 1;  let to = from
  }
  if weights { gradient router$b n$k dr$k }
  if inputs { from_experts dxin $k;  dn$k = unpermute dxin$k to$k;  free dxin$k;  input_gradient_made dn$k }
  if inputs { dn$k += matmul dr$k router$b.T scale=router_share }
  if weights { free p$k choice$k to$k wanted$k xin$(far)$k xout$k weight$k dr$k dxout$(far)$k;  forget_rows $k }
}
# Gradients for the gates, the router's logits and the experts' outputs.
def gate_backward dy k {
  rows_of_gradient dz dy to$k
  dweight = mul dz xout$k;  dweight = rowsum dweight;  sum_parts dweight
  tos = reshape to$k [pairs,1];  dgates = unpermute dweight tos;  dgate = reshape dgates [rows*length,top]
  dlikely = topk_grad dgate choice$k length=experts;  if mixed { dlikely = cast dlikely to=f32 }
  part_of = cast wanted$k to=f32;  part_of = scale part_of balance_loss*experts/(pairs*rows*length)*share*factor
  dlikely = add dlikely part_of;  dr$k = softmax_grad dlikely p$k;  if mixed { dr$k = cast dr$k to=$dtype }
  dxout$k = mul dz weight$k;  free dz dweight tos dgates dlikely part_of;  to_experts dxout $k
}
def expert_backward w k e from to inputs weights {
  x_rows = xin$(far)$k[from:to];  dy_rows = dxout$(far)$k[from:to]
  if weights and light { g$e = gelu h$e kind=activation }
  if weights { gradient wd$w g$e dy_rows;  free g$e }
  if inputs { dg = matmul dy_rows wd$w.T;  dh$e = gelu_grad dg h$e;  free dg }
  if weights { gradient wu$w x_rows dh$e }
  if inputs { dxin$(far)$k[from:to] = matmul dh$e wu$w.T }
  if weights { free h$e dh$e };  free x_rows dy_rows
}
def no_gradient p { if fresh { fill d$p 0 };  gradient_made p }
