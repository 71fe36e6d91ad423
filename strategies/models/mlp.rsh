# mlp: matrices with relu between them, on rows of numbers
#   layer u    z = x w ;  x = relu z  (the last one: x = x w)          loss: the mean of (x - t)^2
#   x3_0 is what layer 3 gives in memory 0, dx3_0 the gradient there; w3 its matrix, dw3 the gradient, w3_f32 the master where dtype is a half type
option layers=8 least=1 "matrices"
option hidden=256 least=1 "columns between them"
option batch=1024 least=1 "rows of a step, of all ranks together"
option dtype=f32 of="f32 f16 bf16" "f16 and bf16: with f32 master weights"
option optimizer=sgd of="sgd adam" "what steps the parameters"
option lr=0.1*(optimizer=="sgd")+1e-3*(optimizer=="adam") "learning rate (sgd 0.1, adam 1e-3)"
option dropout=0.0 least=0 "the part of what layers give that becomes 0 (0: none)"
option loss_scale=1+1023*(dtype=="f16") "the loss's gradient is multiplied by it, the optimizer divides (f16: 1024)"
option seed=1 least=0 "of the parameters' beginning"

# ---- the places where a strategy may act, in the order in which an iteration meets them; setup and iteration, at the end, are places too ----
def before_forward u m { }                      # unit u needs its parameters; m says whose memory it works in
def by_rows y x w { y = matmul x w }            # every second matrix: tensor parallelism cuts it by rows, the one before it by columns
def after_forward u m { }
def before_backward u m { }
def by_rows_backward dx dy x w inputs weights { matmul_backward dx dy x w inputs weights }
def input_gradient_made dx { }                  # the gradient of what a matrix cut by columns has read
def gradient_made p { }                         # parameter p's gradient is complete
def after_backward u m { }
def before_update { }
def update { for u in first_unit:last_unit+1 { each_parameter u descend } }

# ---- the batch ----
# Units are the layers and, behind them, the loss. A batch falls to `replicas` ranks of which this is `replica`, and on each to `micros` micro-batches
let first_unit = 1;  let last_unit = layers+1;  let replicas = 1;  let replica = 0;  let micros = 1
let heads = 1;  let seq = 1;  let tied = "off";  let input = "x0";  let outcome = "x$layers"
if columns_in == 0 { let columns_in = hidden }
if columns_out == 0 { let columns_out = hidden }
let wide = columns_out
if samples == 0 { let samples = 4*batch }
let first = 0;  let rows = 0;  let share = 1;  let at = 0;  let fresh = 1;  let last = 1

# micro-batch k: `rows` of the batch from its row `first` on; `share` weighs their mean in that of the rank
def take k {
  let first = (replica*micros+k)*batch//(replicas*micros)
  let rows = (replica*micros+k+1)*batch//(replicas*micros)-first
  let share = rows*replicas/batch;  let fresh = k == 0;  let last = k == micros-1
  let at = it%(samples//batch)*batch+first
}
def load_data {
  if data_kind == "npy" { tensor samples_in pinned = load "$data_path";  tensor targets pinned = load "$target_path" } else {
    tensor samples_in[samples,columns_in] pinned = randn seed=seed+1000
    tensor targets[samples,columns_out] pinned = randn seed=seed+1001
  }
}
# room for the largest micro-batch
def input_room m { tensor x0_room_$(m)$master[rows,columns_in] kind=activation }
def target_room m { tensor t_room_$(m)$master[rows,columns_out] kind=buffer }
def input_part m { tensor x0_$m[rows,columns_in] $dtype kind=activation }                                     # for what another rank sends
def read_input m {
  x0_$(m)$master = x0_room_$(m)$master[0:rows];  copy samples_in[at:at+rows] -> x0_$(m)$master
  if mixed { x0_$m = cast x0_$(m)_f32 to=$dtype }
}
def read_target m {
  t_$(m)$master = t_room_$(m)$master[0:rows];  copy targets[at:at+rows] -> t_$(m)$master
  if mixed { t_$m = cast t_$(m)_f32 to=$dtype }
}

# ---- parameters ----
let half = 0;  let mixed = dtype != "f32";  let master = "";  if mixed { let master = "_f32" }

# calls `what` with each parameter of unit u: its name, rows, columns; deviation and seed of its beginning; how tensor parallelism cuts it.
# He's deviation, sqrt(2/rows), where a relu behind it halves the variance
def each_parameter u what { one_parameter u 0 what }
def each_parameter_back u what { one_parameter u 0 what }
def one_parameter u i what {
  let r = hidden;  if u == 1 { let r = columns_in }
  let c = hidden;  if u == layers { let c = columns_out }
  let deviation = sqrt(2/r);  if u == layers { let deviation = sqrt(1/r) }
  cut_of u
  if u <= layers { $what w$u r c short(deviation) seed+u $cut }
}
let cut = "whole"
def cut_of u {
  let cut = "by_columns";  if u%2 == 0 { let cut = "by_rows" }
  if u%2 == 1 and u == layers { let cut = "whole" }                   # it has no partner
}
def parameter p r c deviation s cut {
  tensor $p[r,c] $dtype kind=parameter = randn seed=s scale=deviation
  if mixed { tensor $(p)_f32[r,c] kind=optimizer = randn seed=s scale=deviation }
  gradient_memory p r c;  optimizer_memory p r c;  declare p 0 0
}
# for `verify`: what this rank has of p begins at that row and column
def declare p row col {
  part $(p)$master of $p row=row col=col
  if optimizer == "adam" { part $(p)_m of $p row=row col=col as=m;  part $(p)_v of $p row=row col=col as=v }
}
def gradient_memory p r c { tensor d$p[r,c] $dtype kind=gradient }
def optimizer_memory p r c { if optimizer == "adam" { tensor $(p)_m[r,c] $(p)_v[r,c] kind=optimizer = zeros } }
def descend p r c deviation s cut { step_down p d$p }
# f32 masters are stepped, and cast to the type that computes. f16 and bf16 gradients come scaled: Adam wants the true ones
def step_down p gradient {
  let g = "$gradient"
  if optimizer == "adam" and loss_scale != 1 {
    unscaled = cast $gradient to=f32;  unscaled = scale unscaled 1/loss_scale
    let g = "unscaled"
  }
  if optimizer == "adam" { adam $(p)$master $g $(p)_m $(p)_v lr=lr t=it+1 } else { sgd $(p)$master $g lr=lr/loss_scale }
  if mixed { $p = cast $(p)_f32 to=$dtype }
}

# ---- forward and backward ----
# a seed for each place of each iteration; `apart` and `width` say where a rank's part lies that has not all columns
let apart = 0;  let width = 0
def drop kernel y x place {
  if dropout > 0 {
    $y = $kernel $x p=dropout seed=1000000*(seed+1)+place+it*(2*layers+1) at=first*seq*hidden+apart width=width
  }
}
def forward u m {
  before_forward u m
  if u <= layers { layer_forward u m } else { loss m }
  after_forward u m
}
def layer_forward u m {
  let z = "z$(u)_$m";  if u == layers { let z = "x$(u)_$m" }
  cut_of u
  if cut == "by_rows" { by_rows $z x$(u-1)_$m w$u } else { $z = matmul x$(u-1)_$m w$u }
  if u < layers { x$(u)_$m = relu $z;  drop "dropout" x$(u)_$m x$(u)_$m 2*u }
}
def output m { }
# where micro-batches or ranks have unequal rows, or several micro-batches add up, each counts by its share
let weigh = 0;  let uneven = 0
def loss m {
  if weigh {
    l_$m = mse x$(layers)_$m t_$m
    if fresh { loss = scale l_$m share } else { loss += scale l_$m share }
  } else { loss = mse x$(layers)_$m t_$m }
}
def loss_backward m {
  dx$(layers)_$m = mse_grad x$(layers)_$m t_$m
  if weigh or loss_scale != 1 { dx$(layers)_$m = scale dx$(layers)_$m share*loss_scale }
}
def output_backward m inputs weights { }

# what is wanted: gradients of inputs, of weights, or both in the order that frees the most
def backward u m inputs weights {
  before_backward u m
  if u <= layers { layer_backward u m inputs weights } else { if inputs { loss_backward m } }
  after_backward u m
}
def layer_backward u m inputs weights {
  let d = "dz$(u)_$m";  if u == layers { let d = "dx$(u)_$m" }
  if u < layers and inputs { drop "dropout_grad" dx$(u)_$m dx$(u)_$m 2*u;  $d = relu_grad dx$(u)_$m z$(u)_$m }
  cut_of u
  let wanted = inputs*(u > 1)                                           # nobody wants the gradient of the data
  if cut == "by_rows" { by_rows_backward dx$(u-1)_$m $d x$(u-1)_$m w$u wanted weights } else {
    matmul_backward dx$(u-1)_$m $d x$(u-1)_$m w$u wanted weights
  }
  if cut == "by_columns" and wanted { input_gradient_made dx$(u-1)_$m }
}
def matmul_backward dx dy x w inputs weights {
  if weights { gradient w x dy }
  if inputs { $dx = matmul $dy $(w).T }
}
def gradient p x dy {
  if fresh { d$p = matmul $(x).T $dy } else { d$p += matmul $(x).T $dy }
  gradient_made p
}

# ---- the whole ----
let name = "";  stream compute
def name_unit u { let name = "layer $u";  if u > layers { let name = "the loss" } }
def setup {
  ## streams, and the data
  # the data stays on the host; a part of it is copied to the GPU for each step
  let uneven = batch%(replicas*micros) != 0;  let weigh = micros > 1 or uneven
  load_data
  for k in 0:1+uneven*(micros-1) { take k;  input_room k;  target_room k }
  ## the parameters
  # the seed is the same everywhere: every rank begins with the same numbers
  parameters
}
def parameters { for u in first_unit:last_unit+1 { each_parameter u parameter } }
def iteration {
  use compute
  for k in 0:micros {
    ## the batch, part $(k+1) of $micros
    # rows of the batch are copied to the GPU
    phase F$k
    take k
    let m = uneven*k;  read_input m;  read_target m
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
      phase B$k
      backward u m 1 1
    }
  }
  before_update
  ## the optimizer
  # every parameter takes a step down its gradient
  phase O;  update
}
