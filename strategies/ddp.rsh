# ddp: the model on every rank, the batch in parts; gradients are averaged in buckets while backward goes on
# memory: the whole model on every rank: parameters, gradients, optimizer; activations of batch/n rows
# bytes: 2(n-1)/n of the gradients' a rank and step (ring), in as many messages as buckets
# axis dp
# loses hook != "none": what the hook leaves out on the way
option bucket=256k least=1 "a bucket is closed when it has so many bytes (PyTorch: 25M, for models a thousand times as large)"
option overlap=on of="on off" "on: a bucket travels as soon as it is full; off: all behind the backward"
option hook=none of="none f16 bf16 int8 topk" "makes a bucket smaller; int8 and topk keep what they left out for the next step"
option k=1% "topk: the part of a bucket that is sent"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
option broken=no of="no nosync" "nosync: gradients are not exchanged: what `verify` finds, and training alone does not"
refuse k <= 0 or k > 1 "k=$k: a share above 0 and at most 1 is wanted"
let replicas = size(dp);  let replica = dp;  let micros = accumulate
refuse batch < replicas "batch=$batch on $replicas ranks: some would have no row; batch=$replicas fits, or ranksh -n $batch"
let fits = replicas*micros
refuse batch < fits "batch=$batch on $replicas ranks, accumulate=$micros: some would have no row; batch=$fits fits"
let each = 4B-2B*mixed;  let early = overlap == "on" and broken == "no"
stream comm;  source hooks
# ---- buckets are filled in the order in which backward makes gradients, and closed when they have `bucket` bytes ----
# four walks fill them: to make them, to name the gradients, in backward, for the optimizer. open: which; filled: its bytes so far
let open = 1;  let filled = 0;  let made = 0;  let count = 0;  let buckets = 0;  let keeps = hook == "int8" or hook == "topk"
def reopen { let open = 1;  let filled = 0 }
def next_in_bucket p { let filled = filled+bytes($p);  if filled >= bucket { let open = open+1;  let filled = 0 } }
def gradient_memory p r c { }
def parameters {
  replaced
  ## buckets for the gradients
  # filled in backward's order: the last layer's are done first. Gradients are views into them: nothing is packed
  for u in last_unit:first_unit-1:-1 { each_parameter_back u measured }
  if filled > 0 { make_bucket };  reopen
  for u in last_unit:first_unit-1:-1 { each_parameter_back u placed }
  reopen
}
def measured p r c deviation s cut { let count = count+1;  let filled = filled+bytes($p);  if filled >= bucket { make_bucket } }
def make_bucket {
  let n = filled//each
  if keeps {
    tensor bucket$open[n] $dtype kind=gradient = zeros;  tensor error$open[n] kind=buffer = zeros
  } else { tensor bucket$open[n] $dtype kind=gradient }
  let buckets = open;  let open = open+1;  let filled = 0
}
def placed p r c deviation s cut {
  let from = filled//each;  d$p = reshape bucket$open[from:from+r*c] [r,c];  next_in_bucket $p
}
# ---- backward: a bucket that this gradient fills up travels while the layers before compute ----
def gradient_made p {
  if early and last {
    let made = made+1;  let filled = filled+bytes($p)
    if filled >= bucket or made == count {
      wait compute on comm;  exchange open on comm in dp;  record done$open on comm
      let open = open+1;  let filled = 0
    }
    if made == count { let made = 0;  reopen }
  }
}
def before_update {
  if overlap == "off" and broken == "no" {
    ## the buckets are averaged
    # only now: compute stands still while they travel
    phase C;  wait compute on comm
    for i in 1:buckets+1 { exchange i on comm in dp }
    wait comm on compute
  }
}
# every rank takes the same step: the models stay the same without being sent
def update { for u in last_unit:first_unit-1:-1 { each_parameter_back u stepped };  reopen }
def stepped p r c deviation s cut {
  if early and filled == 0 { wait done$open on compute }
  step_down p d$p;  next_in_bucket $p
}
# ---- an exchange, on the stream comm; hooks.rsh has those that send less
def exchange i { if hook == "none" { allreduce bucket$i op=avg } else { exchange_$hook i } }
