# buckets: gradients are collected in larger tensors; each is reduced as soon as it is full, while
# the layers before it compute. Buckets are filled in the order in which backward computes
# gradients, and closed at `bucket` bytes. Gradients are views into them, so nothing is copied.
# Four passes fill them: to allocate them, to name the gradients, in backward, and for the
# optimizer. open: the current bucket; filled: its bytes so far; count: gradients; made: gradients
# that this backward has computed
stream comm blocking;  let gathers = "buckets";  let each = 4B-2B*mixed
let open = 1;  let filled = 0;  let made = 0;  let count = 0;  let buckets = 0
def reopen { let open = 1;  let filled = 0 }
def next_in_bucket p { let filled = filled+bytes($p);  if filled >= bucket*1B { let open = open+1;  let filled = 0 } }
def gradient_memory p r c { }
def parameters {
  replaced
  ## buckets for the gradients
  # filled in backward's order: the last layer's gradients are ready first
  each_unit_back each_parameter_back measured
  if filled > 0 { make_bucket };  reopen
  each_unit_back each_parameter_back placed
  reopen
}
def measured p r c deviation s cut { let count = count+1;  let filled = filled+bytes($p);  if filled >= bucket*1B { make_bucket } }
def make_bucket {
  let n = filled//each
  tensor bucket$open[n] $dtype kind=gradient;  reduce_memory bucket$open n
  let buckets = open;  let open = open+1;  let filled = 0
}
def placed p r c deviation s cut {
  let from = filled//each;  d$p = reshape bucket$open[from:from+r*c] [r,c];  next_in_bucket $p
}
# ---- backward: a bucket that this gradient fills is sent while the layers before it compute ----
def gradient_made p {
  replaced p
  if gathers == "buckets" and overlap == "on" and last {
    let made = made+1;  let filled = filled+bytes($p)
    if filled >= bucket*1B or made == count {
      wait compute on comm;  reduce_gradients bucket$open on comm;  record done$open on comm
      let open = open+1;  let filled = 0
    }
    if made == count { let made = 0;  reopen }
  }
}
def before_update {
  replaced
  if gathers == "buckets" and overlap == "off" {
    ## the buckets are averaged
    # only now: compute waits during the allreduce
    phase C;  wait compute on comm
    for i in 1:buckets+1 { reduce_gradients bucket$i on comm }
    wait comm on compute
  }
}
def each_gradient what { if gathers == "buckets" { wait comm on compute };  replaced what }
# Every rank takes the same step, so the models stay equal without being sent.
def update { each_unit_back each_parameter_back stepped;  reopen }
def stepped p r c deviation s cut {
  if overlap == "on" and filled == 0 { wait done$open on compute }
  step_down p d$p;  next_in_bucket $p
}
