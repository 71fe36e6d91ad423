# training: shared by all models: the driver and the strategies' override points. Other parts:
# the batch, parameters and their optimizer, recompute, clip, a loader; masked.rsh is for gpt. A
# model defines its units (first_unit .. last_unit, the last one the loss), their computation and
# its data; then it sources this file.

# ---- override points, in a program's order: a strategy's def with the same name replaces one ----
def setup {
  ## streams, and the data
  # the GPU has a buffer for one micro-batch; its data is copied there just before use
  cut_batch;  load_data
  for k in 0:1+uneven*(micros-1) { take k;  input_room k;  target_room k }
  parameters
}
def parameters {
  ## the parameters
  # the same seed everywhere: a parameter has the same initial values on every rank
  each_unit each_parameter parameter;  scaler_memory
}
def parameter p r c deviation s cut {       # cut: how tensor parallelism splits it: by_columns, by_rows or whole
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
    # copies rows from the batch to the GPU; if the batch is split, each rank copies its own
    phase F$k;  take k;  let m = uneven*k;  read_input m;  read_target m
    for u in first_unit:last_unit+1 {
      name_unit u
      ## forward of $name
      # its activations stay in memory: backward needs them
      forward u m
    }
    for u in last_unit:first_unit-1:-1 {
      name_unit u
      ## backward of $name
      # from its output's gradient: the gradients for its parameters and its input
      phase B$k;  backward u m 1 1
    }
  }
  before_update;  clip_gradients
  ## the optimizer
  # every parameter takes a step against its gradient
  phase O;  optimizer_step
}
def before_forward u m { }                  # unit u needs its parameters; m: the memory it works in
let columns = 0;  def find_columns u { let columns = hidden }               # in unit u's output
def by_rows y x w { y = matmul x w }        # by a matrix that tensor parallelism splits by rows (the one before it by columns)
def after_forward u m { }
def before_backward u m inputs weights { }  # input gradients, weight gradients, or both: schedules may separate them
def by_rows_backward dx dy x w inputs weights { if weights { gradient w x dy };  if inputs { dx = matmul dy w.T } }
def input_gradient_made dx { }              # the input to matrices split by columns
def gradient_made p { }                     # parameter p's gradient is complete
def after_backward u m inputs weights { }
# g, a bucket of gradients (buckets.rsh) or this rank's shard of a group (flat.rsh), is complete on
# this rank: a mean over its tokens
let gathers = ""                            # the part that exchanges gradients: "buckets" or "flat"
def reduce_gradients g { }
def reduce_memory g n { }                    # memory for it beside the n elements in g
def before_update { }
# Calls `what p g cut` for each fully reduced gradient, or shard of one, that this rank's optimizer
# uses; `everywhere` sums a result over the ranks that have other parts of the model.
def each_gradient what { let asked_gradient = "$what";  each_unit each_parameter one_gradient }
let asked_gradient = "";  def one_gradient p r c deviation s cut { $asked_gradient p d$p cut }
def everywhere seen { }
def update { each_unit each_parameter descend }

# ---- this rank's parts of the model: units low_0 .. high_0, low_1 .. high_1, ... ----
let name = "";  let pieces = 1;  let low_0 = first_unit;  let high_0 = last_unit
def each_unit what with { for c in 0:pieces { for u in low_$c:high_$c+1 { $what u with } } }
def each_unit_back what with { for c in pieces-1:-1:-1 { for u in high_$c:low_$c-1:-1 { $what u with } } }

# Blocking streams, as cudaStreamCreate makes them: `print loss` on the default stream runs after
# work queued on them.
stream compute blocking
# Forward and backward for unit u. Strategies override before_forward, after_forward,
# before_backward and after_backward.
def forward u m {
  before_forward u m;  unit_forward u m;  after_forward u m
  if full and not again { forget u m }
}
def backward u m inputs weights {
  before_backward u m inputs weights;  if full and inputs { compute_again u m }
  unit_backward u m inputs weights;  after_backward u m inputs weights
}
# A parameter's gradient, added to that from earlier micro-batches.
def gradient p x dy { if fresh { d$p = matmul x.T dy } else { d$p += matmul x.T dy };  gradient_made p }
# A seed for each use in each iteration; `apart` and `width` locate a rank's block if it does not
# have all columns.
let apart = 0;  let width = 0
def drop kernel y x place {
  if dropout > 0 { y = $kernel x p=dropout seed=1000000*(seed+1)+place+it*(2*layers+1) at=first*seq*hidden+apart width=width }
}
source micro_batches;  source recomputed;  source parameters;  source clip
if loader_workers > 0 { source loader }
