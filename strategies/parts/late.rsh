# late: the gradients are copied at the end of their step and exchanged while the next step
# computes. The next step uses them at its end; step 0 updates nothing.
#     compute  forward 0  backward 0  copy 0 | forward 1  backward 1  step(0)  copy 1 | forward 2
#     comm                                   | exchange 0                             | exchange 1
refuse clip > 0 or masked or dynamic "delay=1 uses the previous step's gradients; clip, ignore and loss_scale=dynamic need this step's: delay=0"
let overlap = "late";  let taken_late = 1
def make_bucket {
  let n = filled//each;  let i = open
  replaced
  tensor late$i[n] $dtype kind=gradient = zeros;  reduce_memory late$i n
}
def placed p r c deviation s cut {
  let from = filled//each;  late_d$p = reshape late$open[from:from+r*c] [r,c]
  replaced p r c deviation s cut
}
def update {
  if it > 0 { wait comm on compute;  each_unit_back each_parameter_back late_step }
  for i in 1:buckets+1 { copy bucket$i -> late$i }
  phase C;  wait compute on comm
  for i in 1:buckets+1 { reduce_gradients late$i on comm }
}
def late_step p r c deviation s cut { step_down p late_d$p }
