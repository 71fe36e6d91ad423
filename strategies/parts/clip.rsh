# clip: the gradients of all ranks together are one vector; where it is longer than `clip`, all are made shorter by one factor
# Each rank adds up the squares of what it steps, each number counted by one rank; no host reads the norm.
# With loss scaling gradient_norm is that of the true gradients.
let clip_here = "clip_factor"               # what the optimizer multiplies by, where it steps
def clip_gradients {
  if clip > 0 {
    ## the norm of all gradients
    # one number of all of them: every rank waits for the last gradient, and for the squares of the others
    phase O;  squares = zeros [1];  each_gradient add_squares;  everywhere squares
    gradient_norm = sqrt squares;  if masked { gradient_norm = mul gradient_norm targets_factor }
    if factor != 1 { gradient_norm = scale gradient_norm 1/factor }
    clip_factor = full [1] clip;  clip_factor = div clip_factor gradient_norm
    unclipped = ones [1];  clip_factor = fmin clip_factor unclipped
    if masked { clip_factor = mul clip_factor targets_factor }
  }
}
def add_squares p g cut { squares += sumsq g }        # a place: of those that several ranks have, one counts them
