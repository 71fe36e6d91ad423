# training: what all models have in common: the places where strategies act, the batch, parameters and their optimizer, the driver
# A model says what its units are (first_unit .. last_unit, the last one the loss), what each computes, what its data is;
# then it sources this file.

# ---- places where a strategy may act, in the order in which a program meets them: a def of the same name replaces one ----
def setup {
  ## streams, and the data
  # the data stays on the host; a part of it is copied to the GPU for each step
  cut_batch;  load_data
  for k in 0:1+uneven*(micros-1) { take k;  input_room k;  target_room k }
  parameters
}
def parameters {
  ## the parameters
  # the seed is the same everywhere: what ranks have of the same parameter begins with the same numbers
  each_unit each_parameter parameter;  scaler_memory
}
def parameter p r c deviation s cut {       # cut: how tensor parallelism would cut it, by_columns, by_rows or whole
  begin_parameter $(p)$master r c deviation s cut
  if mixed { $p = cast $(p)_f32 to=$dtype on compute kind=parameter }
  gradient_memory p r c;  optimizer_memory p r c
}
def begin_parameter p r c deviation s cut { tensor $p[r,c] kind=$master_kind = randn seed=s scale=deviation }
def gradient_memory p r c { tensor d$p[r,c] $dtype kind=gradient }
def iteration {
  use compute
  for k in 0:micros {
    ## the rows of micro-batch $k
    # rows of the batch are copied to the GPU: each rank's own where the batch is cut
    phase F$k;  take k;  let m = uneven*k;  read_input m;  read_target m
    for u in first_unit:last_unit+1 {
      name_unit u
      ## forward of $name
      # what it computes stays in memory: backward needs it
      forward u m
    }
    for u in last_unit:first_unit-1:-1 {
      name_unit u
      ## backward of $name
      # from the gradient of what it gave: those of its parameters, and of what it was given
      phase B$k;  backward u m 1 1
    }
  }
  before_update;  clip_gradients
  ## the optimizer
  # every parameter takes a step down its gradient
  phase O;  optimizer_step
}
def before_forward u m { }                  # unit u needs its parameters; m: in which memory it works
def by_rows y x w { y = matmul x w }        # by a matrix that tensor parallelism cuts by rows, the one before it by columns
def after_forward u m { }
def before_backward u m inputs weights { }  # of its inputs, of its weights, or of both: schedules take them apart
def by_rows_backward dx dy x w inputs weights { if weights { gradient w x dy };  if inputs { dx = matmul dy w.T } }
def input_gradient_made dx { }              # of what matrices cut by columns have read
def gradient_made p { }                     # parameter p's gradient is complete
def after_backward u m inputs weights { }
# g is complete on this rank, a mean over its tokens: a bucket of gradients (buckets.rsh), or its part of a group (flat.rsh)
let gathers = ""                            # which of the two does it: "buckets" or "flat"
def reduce_gradients g { }
def reduce_memory g n { }                    # what that keeps beside the n elements of g
def before_update { }
# calls `what p g cut` with what this rank has of each parameter's gradient, complete; `everywhere` adds up what was seen there,
# over the ranks that have other parts of the model
def each_gradient what { let asked_gradient = "$what";  each_unit each_parameter one_gradient }
let asked_gradient = "";  def one_gradient p r c deviation s cut { $asked_gradient p d$p cut }
def everywhere seen { }
def update { each_unit each_parameter descend }

# ---- what this rank has of the model: units low_0 .. high_0, low_1 .. high_1, ... ----
let pieces = 1;  let low_0 = first_unit;  let high_0 = last_unit
def each_unit what with { for c in 0:pieces { for u in low_$c:high_$c+1 { $what u with } } }
def each_unit_back what with { for c in pieces-1:-1:-1 { for u in high_$c:low_$c-1:-1 { $what u with } } }

# ---- the batch falls to `replicas` parts, this rank has number `replica`; of it each of `micros` micro-batches takes a part ----
# An axis that cuts the batch says    let replica = replica*size(X)+X;  let replicas = replicas*size(X)
let replicas = 1;  let replica = 0;  let micros = 1;  let per_round = 1;  let weigh = 0;  let uneven = 0
let length = seq;  let tokens_here = 0      # of a sequence this rank has `length` tokens; between units: [tokens_here,hidden]
let data_space = "pinned";  let store = "";  let base = 0  # where the data lie; where a micro-batch is read, which begins at base
let first = 0;  let rows = 0;  let share = 1;  let at = 0;  let fresh = 1;  let last = 1;  let taken = 0;  let name = ""
# blocking, as cudaStreamCreate makes them: what is typed on the default stream, `print loss`, comes behind what is queued there
stream compute blocking
def cut_batch {
  let fits = replicas*micros;  let wants = "batch=$batch on $replicas ranks"
  if micros > 1 { let wants = "batch=$batch on $replicas ranks, $micros micro-batches each" }
  refuse batch < fits "$wants: some would have no row; batch=$fits fits"
  let uneven = batch%fits != 0;  let weigh = micros > 1 or uneven
}
# micro-batch k of iteration i: `rows` of the batch from `first` on, the data's from `at` on
def find_rows i k {
  let first = (replica*micros+k)*batch//(replicas*micros);  let rows = (replica*micros+k+1)*batch//(replicas*micros)-first
  let at = (i%((samples-(seq>1))//(batch*seq))*batch+first)*seq
}
# `share` weighs the mean of micro-batch k in that of the rank
def take k {
  find_rows it k;  let share = rows*replicas/batch;  count_tokens
  let taken = k;  let fresh = k == 0;  let last = k == micros-1
}
def count_tokens { let tokens_here = rows*length }
# a model's units: before and behind its own lines a strategy may act
def forward u m {
  before_forward u m;  unit_forward u m;  after_forward u m
  if full and not again { forget u m }
}
def backward u m inputs weights {
  before_backward u m inputs weights;  if full and inputs { compute_again u m }
  unit_backward u m inputs weights;  after_backward u m inputs weights
}
# ---- recompute=full: of a pair of units (a gpt's block, an mlp's two layers) the input is kept; the rest is computed again ----
#     forward 1 2 | 3 4 | ...    backward   again 3 4, backward 4 3 | again 1 2, backward 2 1
# A mask of dropout is the same again, as its seed is. selective: the model drops what takes few operations, and makes it again
let light = recompute == "selective";  let full = recompute == "full";  let drops = light or full;  let again = 0
let unread = 0;  let pair_first = 0;  let pair_last = 0      # unread: what the unit gives has been read, when it was there first
def find_pair u {
  let pair_first = 0;  let pair_last = 0
  if u > 0 and u < last_unit { for c in 0:pieces { if low_$c <= u and u <= high_$c {
    let pair_first = max(u-1+u%2,low_$c);  let pair_last = min(u+u%2,high_$c,last_unit-1)
  } } }
}
def forget u m { find_pair u;  if pair_last > 0 { unit_forget u m;  if u > pair_first { free x$(u-1)_$m } } }
def compute_again u m {
  find_pair u
  if pair_last > 0 and u == pair_last {
    phase R$taken;  let again = 1;  let drops = 0
    for v in pair_first:u+1 { let unread = v == u;  forward v m }
    let again = 0;  let drops = 1;  let unread = 0
  }
}
# the gradient of a parameter, added to that of the micro-batches before
def gradient p x dy { if fresh { d$p = matmul x.T dy } else { d$p += matmul x.T dy };  gradient_made p }
# the loss, or where means must be weighed, the sum of what the micro-batches add to it; and its gradient
let losses_seen = 0                         # losses of this iteration: a schedule may take another micro-batch than 0 first
def count_loss kernel y t m {
  if weigh { l_$m = $kernel y t } else { loss = $kernel y t }
  if weigh and losses_seen == 0 { loss = scale l_$m share } else { if weigh { loss += scale l_$m share } }
  let losses_seen = (losses_seen+1)%micros
  if weigh { free l_$m }
}
def count_gradient kernel dy y t {
  dy = $(kernel)_grad y t
  if weigh or factor != 1 { dy = scale dy share*factor }
}
# a seed for each place of each iteration; `apart` and `width` say where the part lies of a rank that has not all columns
let apart = 0;  let width = 0
def drop kernel y x place {
  if dropout > 0 { y = $kernel x p=dropout seed=1000000*(seed+1)+place+it*(2*layers+1) at=first*seq*hidden+apart width=width }
}
source parameters;  source clip
if loader_workers > 0 { source loader }
