# serial: rank 0 trains alone; the others look on
# memory: everything, once: parameters, gradients, optimizer, and the activations of batch/accumulate rows
# bytes: none
# alone: one rank has the model and the batch
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up"
let micros = accumulate
use @0
