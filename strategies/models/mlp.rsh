# mlp: matrices with relu between them, on rows of numbers
#   layer u    z = x w ;  x = relu z  (the last one: x = x w)
#   loss       the mean of (x - t)^2
# x3_0: layer 3's output in memory 0, dx3_0 its gradient; w3 its matrix, dw3 the gradient,
#   w3_f32 the master in half precision. Each tensor is freed after its last reader; z at once,
#   because relu's gradient only needs the sign, which x has too.
option layers=8 least=1 "matrices"
option hidden=256 least=1 "columns between them"
option batch=1024 least=1 "rows per step, over all ranks"
option dtype=f32 of="f32 f16 bf16" "f16 and bf16: with f32 master weights"
option optimizer=sgd of="sgd adam" "the optimizer"
option lr=0.1*(optimizer=="sgd")+1e-3*(optimizer=="adam") "learning rate (sgd 0.1, adam 1e-3)"
option dropout=0.0 "share of the layers' outputs set to 0 (0: none)"
option loss_scale=1+1023*(dtype=="f16") of="dynamic" least=0 "factor on the loss gradient, which the optimizer divides by (f16: 1024); or dynamic"
option init_scale=65536 least=1 with="loss_scale=dynamic" "its initial value"
option growth_interval=2000 least=1 with="loss_scale=dynamic" "steps without overflow until it doubles"
option recompute=none of="none selective full" "full: backward recomputes two layers from their input; selective: as none"
option clip=0.0 "largest norm of all gradients together; if it is exceeded, all are scaled down (0: no limit)"
option seed=1 least=0 "seed for the initial parameters"
refuse layers > 4096 "layers=$layers is not a whole number from 1 to 4096"
refuse max(hidden,batch) > 1e9 "hidden=$hidden batch=$batch: at most 1e9 each"
refuse lr <= 0 "lr=$lr is not a number above 0"
if "$loss_scale" != "dynamic" { refuse loss_scale <= 0 "loss_scale=$loss_scale is not a number above 0, nor dynamic" }
refuse clip < 0 "clip=$clip is below 0: a norm, or 0 for no limit"
refuse dropout < 0 or dropout >= 1 "dropout=$dropout is not a share from 0 to below 1"
refuse data_kind == "text" "an mlp reads rows of numbers: `data synthetic`, `data X.npy Y.npy`, or `model gpt` for a text"
if samples == 0 { let samples = 4*batch }
refuse samples < batch "a batch takes $batch rows; the data has $samples: batch=$samples fits"
if columns_in == 0 { let columns_in = hidden }
if columns_out == 0 { let columns_out = hidden }
let first_unit = 1;  let last_unit = layers+1;  let matrices = 1;  let input = "x0";  let outcome = "x$layers"
let wide = columns_out;  let heads = 1;  let experts = 0;  let seq = 1;  let ahead = 0;  let tied = "off"

# ---- the data: a buffer for a micro-batch's rows, and this micro-batch's rows ----
def load_data {
  if data_kind == "npy" { tensor samples_in $data_space f32 = load "$data_path";  tensor targets $data_space f32 = load "$target_path" } else {
    tensor samples_in[samples,columns_in] $data_space = randn seed=seed+1000
    tensor targets[samples,columns_out] $data_space = randn seed=seed+1001
  }
}
# For `loader`: a buffer for `count` rows; reads the micro-batch at `at` from disk.
def buffer_room b count { tensor samples_in$b[count,columns_in] targets$b[count,columns_out] pinned }
def read_batch b worker {
  micro_inputs = samples_in[at:at+rows];  copy micro_inputs -> samples_in$b[0:rows] on $worker rate=loader_read
  micro_targets = targets[at:at+rows];  copy micro_targets -> targets$b[0:rows] on $worker rate=loader_read
}
def input_room m { tensor x0_room_$(m)$master[rows,columns_in] kind=activation }
def target_room m { tensor t_room_$(m)$master[rows,columns_out] kind=buffer }
def input_part m { tensor x0_$m[rows,columns_in] $dtype kind=activation }                   # for a tensor that another rank sends
def read_input m {
  x0_$(m)$master = x0_room_$(m)$master[0:rows];  copy samples_in$store[at-base:at-base+rows] -> x0_$(m)$master
  if mixed { x0_$m = cast x0_$(m)_f32 to=$dtype }
}
def read_target m {
  t_$(m)$master = t_room_$(m)$master[0:rows];  copy targets$store[at-base:at-base+rows] -> t_$(m)$master
  if mixed { t_$m = cast t_$(m)_f32 to=$dtype }
}

# ---- parameters: calls `what` with unit u's parameter: name, rows, columns, initial deviation and
# seed, cut. The deviation is sqrt(2/rows) (Kaiming) if a relu follows, which halves the variance,
# and sqrt(1/rows) for the last matrix ----
def one_parameter u i what {
  let r = hidden;  if u == 1 { let r = columns_in }
  let c = hidden;  if u == layers { let c = columns_out }
  find_cut u
  if u <= layers { $what w$u r c short(sqrt((2-(u==layers))/r)) seed+u $cut }
}
# Every second matrix is split by rows, the one before it by columns. If their number is odd, the
# last one has no partner.
let cut = "whole"
def find_cut u {
  let cut = "by_columns";  if u%2 == 0 { let cut = "by_rows" }
  if u%2 == 1 and u == layers { let cut = "whole" }
}

# ---- forward and backward ----
def unit_forward u m { if u <= layers { if not unread { layer_forward u m } } else { loss m } }
def unit_forget u m { }
def layer_forward u m {
  let z = "z$(u)_$m";  if u == layers { let z = "x$(u)_$m" }
  find_cut u
  if cut == "by_rows" { by_rows $z x$(u-1)_$m w$u } else { $z = matmul x$(u-1)_$m w$u }
  if u < layers { x$(u)_$m = relu $z;  free $z;  drop "dropout" x$(u)_$m x$(u)_$m 2*u }
}
def output m { }
def loss m { count_loss mse x$(layers)_$m t_$m m }
def unit_backward u m inputs weights {
  if u <= layers { layer_backward u m inputs weights } else { if inputs { loss_backward m;  free x$(layers)_$m } }
}
def loss_backward m { count_gradient mse dx$(layers)_$m x$(layers)_$m t_$m }
def output_backward m inputs weights { }
def layer_backward u m inputs weights {
  let d = "dz$(u)_$m";  let x = "x$(u-1)_$m";  if u == layers { let d = "dx$(u)_$m" }
  if u < layers and inputs {
    drop "dropout_grad" dx$(u)_$m dx$(u)_$m 2*u;  $d = relu_grad dx$(u)_$m x$(u)_$m;  free dx$(u)_$m
  }
  find_cut u
  let wanted = inputs and u > 1                                         # the data needs no gradient
  if cut == "by_rows" { by_rows_backward d$x $d $x w$u wanted weights } else {
    if weights { gradient w$u $x $d }
    if wanted { d$x = matmul $d w$u.T }
  }
  if cut == "by_columns" and wanted { input_gradient_made d$x }
  if weights { free $d };  if weights and u < layers { free x$(u)_$m }
}
def name_unit u { let name = "layer $u";  if u > layers { let name = "the loss" } }
source training
