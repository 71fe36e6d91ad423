# serial: rank 0 trains alone; the others look on
# memory: everything, once: parameters, gradients, optimizer, and the activations of batch/accumulate rows
# bytes: none
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up"
refuse batch < accumulate "batch=$batch on 1 ranks, accumulate=$accumulate: some would have no row; batch=$accumulate fits"
let micros = accumulate
use @0
