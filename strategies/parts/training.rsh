# training: what all models have in common: the driver, and the places where strategies act. Parts beside it: the batch, parameters and
# their optimizer, recompute, clip, a loader; masked.rsh is gpt's.
# A model says what its units are (first_unit .. last_unit, the last one the loss), what each computes, what its data is;
# then it sources this file.

# ---- places where a strategy may act, in the order in which a program meets them: a def of the same name replaces one ----
def setup {
  ## streams, and the data
  # the GPU has room for a micro-batch of the data, which is copied there when its turn comes
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
let columns = 0;  def find_columns u { let columns = hidden }               # of what unit u gives
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
let name = "";  let pieces = 1;  let low_0 = first_unit;  let high_0 = last_unit
def each_unit what with { for c in 0:pieces { for u in low_$c:high_$c+1 { $what u with } } }
def each_unit_back what with { for c in pieces-1:-1:-1 { for u in high_$c:low_$c-1:-1 { $what u with } } }

# blocking, as cudaStreamCreate makes them: what is typed on the default stream, `print loss`, comes behind what is queued there
stream compute blocking
# a model's units: before and behind its own lines a strategy may act
def forward u m {
  before_forward u m;  unit_forward u m;  after_forward u m
  if full and not again { forget u m }
}
def backward u m inputs weights {
  before_backward u m inputs weights;  if full and inputs { compute_again u m }
  unit_backward u m inputs weights;  after_backward u m inputs weights
}
# the gradient of a parameter, added to that of the micro-batches before
def gradient p x dy { if fresh { d$p = matmul x.T dy } else { d$p += matmul x.T dy };  gradient_made p }
# a seed for each place of each iteration; `apart` and `width` say where the part lies of a rank that has not all columns
let apart = 0;  let width = 0
def drop kernel y x place {
  if dropout > 0 { y = $kernel x p=dropout seed=1000000*(seed+1)+place+it*(2*layers+1) at=first*seq*hidden+apart width=width }
}
source micro_batches;  source recomputed;  source parameters;  source clip
if loader_workers > 0 { source loader }
