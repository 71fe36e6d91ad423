# parameters: a unit's parameters one by one, each one's optimizer state and step
let taken_late = 0                          # steps before the first gradient is used
let mixed = dtype != "f32";  let master = "";  let master_kind = "parameter"
if mixed { let master = "_f32";  let master_kind = "optimizer" }
def each_parameter u what { for i in 0:matrices { one_parameter u i what } }
def each_parameter_back u what { for i in matrices-1:-1:-1 { one_parameter u i what } }  # the gradients' order in backward
# The start of this rank's block in a parameter, for `verify`; if a strategy splits parameters, it
# sets them.
let row = 0;  let col = 0
def optimizer_memory p r c {
  part $(p)$master of $p row=row col=col
  if optimizer == "adam" {
    tensor $(p)_m[r,c] $(p)_v[r,c] kind=optimizer = zeros
    part $(p)_m of $p row=row col=col as=m;  part $(p)_v of $p row=row col=col as=v
  }
}
# ---- the loss gradient is multiplied by `factor`, so that f16 gradients do not become 0; the optimizer
# divides by it. loss_scale=dynamic (PyTorch's GradScaler): if any gradient on any rank overflows,
# all ranks skip the step and halve the factor; growth_interval good steps double it. The
# host waits for the result. scaler: factor, good steps since, steps
let dynamic = "$loss_scale" == "dynamic";  let factor = init_scale;  let good = 0;  let steps = 0
if not dynamic { let factor = loss_scale }
def optimizer_step {
  let skips = 0
  if dynamic {
    fill overflow 0;  each_gradient look_for_overflow;  everywhere overflow
    let skips = known(overflow[0],0) > 0
  }
  if skips { let factor = factor/2;  let good = 0 } else { update;  let steps = steps+1;  let good = good+1 }
  if dynamic {
    if good == growth_interval { let factor = factor*2;  let good = 0 }
    fill scaler[0] factor;  fill scaler[1] good;  fill scaler[2] steps
  }
}
def look_for_overflow p g cut { overflow += nonfinite g }
def scaler_memory {
  if dynamic { tensor overflow[1] scaler[3] kind=optimizer = zeros;  fill scaler[0] factor on compute;  part scaler of scaler }
}
def scaler_again { if dynamic { let factor = scaler[0];  let good = scaler[1];  let steps = scaler[2] } }
def descend p r c deviation s cut { step_down p d$p }
# Steps the master and casts it to the compute type. Adam needs the unscaled gradient.
def step_down p gradient {
  let g = "$gradient"
  if clip > 0 or masked or optimizer == "adam" and factor != 1 {
    unscaled = cast $g to=f32;  let g = "unscaled"
    if clip > 0 or masked { unscaled = mul unscaled $clip_here }
    if optimizer == "adam" and factor != 1 { unscaled = scale unscaled 1/factor }
  }
  let t = it+1-taken_late;  if dynamic { let t = steps+1 }
  if optimizer == "adam" { adam $(p)$master $g $(p)_m $(p)_v lr=lr t=t } else { sgd $(p)$master $g lr=lr/factor }
  if mixed { $p = cast $(p)_f32 to=$dtype }
}
# Computes what a checkpoint does not store: in half precision the parameters, from their masters.
def refresh { scaler_again;  if mixed { each_unit each_parameter cast_down } }
def cast_down p r c deviation s cut { $p = cast $(p)_f32 to=$dtype on compute }
