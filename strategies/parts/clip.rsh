# clip: the gradients of all ranks together are one long vector: where it is longer than `clip`, all are made shorter by one factor
# Each rank adds up the squares of what it steps, each number counted by one rank; no host reads the norm.
# With loss scaling gradient_norm is that of the true gradients.
def clip_gradients {
  if clip > 0 {
    ## the norm of all gradients
    # one number of all of them: every rank waits for the last gradient, and for the squares of the others
    phase O;  squares = zeros [1];  gradients_here;  sum_squares squares
    gradient_norm = sqrt squares;  if loss_scale != 1 { gradient_norm = scale gradient_norm 1/loss_scale }
    factor = full [1] clip;  factor = div factor gradient_norm;  unclipped = ones [1];  factor = fmin factor unclipped
  }
}
# ---- places: what a rank has of the gradients, complete; those that several ranks have are one rank's to count ----
def gradients_here { each_unit each_parameter square_of }
def square_of p r c deviation s cut { add_squares p d$p cut }
let factor_here = "factor"                  # what the optimizer multiplies by, where it steps
def add_squares p g cut { squares += sumsq g }
def sum_squares n { }                       # each axis that cuts parameters adds up over its ranks
