# clip: all ranks' gradients form one vector; if its norm exceeds `clip`, one factor scales
# all of them. Each rank sums the squares of the gradients it steps with; each number is counted on
# exactly one rank. No host reads the norm. If losses are scaled, gradient_norm is the unscaled
# gradients' norm.
let clip_here = "clip_factor"               # the optimizer multiplies gradients by it
def clip_gradients {
  if clip > 0 {
    ## the norm of all gradients
    # one number: every rank waits for its last gradient and for all other ranks' sums
    phase O;  squares = zeros [1];  each_gradient add_squares;  everywhere squares
    gradient_norm = sqrt squares;  if masked { gradient_norm = mul gradient_norm targets_factor }
    if factor != 1 { gradient_norm = scale gradient_norm 1/factor }
    clip_factor = full [1] clip;  clip_factor = div clip_factor gradient_norm
    unclipped = ones [1];  clip_factor = fmin clip_factor unclipped
    if masked { clip_factor = mul clip_factor targets_factor }
  }
}
def add_squares p g cut { squares += sumsq g }        # override point: exactly one rank counts a replicated gradient
