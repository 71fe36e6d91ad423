# parameters: a unit's parameters one by one, what the optimizer keeps of each, and its step
let taken_late = 0                               # so many steps are over before the first gradient is taken
let mixed = dtype != "f32";  let master = "";  let master_kind = "parameter"
if mixed { let master = "_f32";  let master_kind = "optimizer" }
def each_parameter u what { for i in 0:matrices { one_parameter u i what } }
def each_parameter_back u what { for i in matrices-1:-1:-1 { one_parameter u i what } }  # as backward makes gradients
# what this rank has of a parameter begins there, for `verify`: who cuts parameters says it
let row = 0;  let col = 0
def optimizer_memory p r c {
  part $(p)$master of $p row=row col=col
  if optimizer == "adam" {
    tensor $(p)_m[r,c] $(p)_v[r,c] kind=optimizer = zeros
    part $(p)_m of $p row=row col=col as=m;  part $(p)_v of $p row=row col=col as=v
  }
}
def descend p r c deviation s cut { step_down p d$p }
# the master is stepped, and cast to the type that computes. Of a scaled loss Adam wants the true gradient
def step_down p gradient {
  let g = "$gradient"
  if optimizer == "adam" and loss_scale != 1 {
    unscaled = cast $g to=f32;  unscaled = scale unscaled 1/loss_scale;  let g = "unscaled"
  }
  if optimizer == "adam" { adam $(p)$master $g $(p)_m $(p)_v lr=lr t=it+1-taken_late } else { sgd $(p)$master $g lr=lr/loss_scale }
  if mixed { $p = cast $(p)_f32 to=$dtype }
}
# what follows from the parts that a checkpoint keeps: of a half type the parameters, from their masters
def refresh { if mixed { for u in first_unit:last_unit+1 { each_parameter u cast_down } } }
def cast_down p r c deviation s cut { $p = cast $(p)_f32 to=$dtype on compute }
