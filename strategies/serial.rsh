# serial: rank 0 trains alone; the other ranks are idle
# memory: rank 0 holds everything: parameters, gradients, optimizer state, activations for
#   batch/accumulate rows
# bytes: none
# alone: one rank holds the model and the batch
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed"
let micros = accumulate
use @0
