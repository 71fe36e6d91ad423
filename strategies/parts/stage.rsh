# stage: what a stage of a pipeline does with micro-batch m in its chunk c: F, BW, B or W, as the schedule calls them
#
#     act_in     recv .. recv ..             box     where an input arrives: one more than are in use, so that the next can come
#     compute         F3 .. B0 ..            s       the memory of the activations, which micro-batches take in turn
#     act_out            send .. send        used    the stage is done with the box: the next input may arrive there
#     grad_in, grad_out: the same way back   sent    what was computed in memory s has been sent: it may be overwritten
#
# Sends and receives of a pair of ranks are in the order of the schedule on both sides, each kind with streams and a group of its
# own: a receive waits only for work of its stage that comes before the one it is for. So nothing can wait in a circle.

let does_F = "forward_stage";  let does_BW = "backward_stage";  let does_B = "backward_input";  let does_W = "backward_weight"
if pieces > 1 {
  let does_F = "forward_chunk";  let does_BW = "backward_chunk";  let does_B = "chunk_input";  let does_W = "chunk_weight"
}
# recomputing, the head waits for backward: its logits are there for one micro-batch only
let head_waits = recompute != "none"
def forward_stage m { forward_chunk m 0 }
def backward_stage m { backward_chunk m 0 }
def backward_input m { chunk_input m 0 }
def backward_weight m { chunk_weight m 0 }

def forward_chunk m c {
  let s = m%memories(c);  let box = m%(memories(c)+1)
  if not timed { take m }
  if not begins_$c { receive act pp-1 m c box }
  phase F$m
  if not begins_$c { wait act_in on compute }
  if timed { spin F/pieces } else {
    if not begins_$c { x$(low_$c-1)_$s = reshape act$(c)_$box[0:tokens_here] [tokens_here,hidden] }
    if begins_$c { read_input s }
    if ends_$c { read_target s }
    for u in low_$c:high_$c+1-(head_waits and ends_$c) { forward u s }
  }
  if not ends_$c { send_on act x$(high_$c)_$s pp+1 m c s }
}
def backward_chunk m c { back m c 1 1 }
def chunk_input m c { back m c 1 0 }
def chunk_weight m c { back m c 0 1 }
def back m c inputs weights {
  let s = m%memories(c);  let box = m%(memories(c)+1);  let letter = "B";  if not inputs { let letter = "W" }
  if not timed { take m }
  if inputs and not ends_$c { receive grad pp+1 m c box }
  phase $(letter)$m
  if inputs and not ends_$c { wait grad_in on compute }
  if timed {
    if full and inputs { phase R$m;  spin F/pieces }
    spin (inputs*B+weights*W)/pieces
  } else {
    if inputs and not ends_$c { dx$(high_$c)_$s = reshape grad$(c)_$box[0:tokens_here] [tokens_here,hidden] }
    if head_waits and ends_$c and inputs { let u = high_$c;  forward u s }
    if inputs and not ends_$c { wait act_sent$(c)_$s on compute }
    if inputs and not begins_$c { wait grad_sent$(c)_$s on compute }
    for u in high_$c:low_$c-1:-1 { backward u s inputs weights }
    if weights { record used$(c)_$box on compute }
  }
  if inputs and not begins_$c { send_on grad dx$(low_$c-1)_$s pp-1 m c s }
}
def receive way from m c box {
  phase C$m
  if timed { recv $(way)_token from=from%stages on $(way)_in in $(way)s } else {
    wait used$(c)_$box on $(way)_in;  recv $(way)$(c)_$box[0:tokens_here] from=from%stages on $(way)_in in $(way)s
  }
}
def send_on way x to m c s {
  phase C$m;  wait compute on $(way)_out
  if timed { send token to=to%stages on $(way)_out in $(way)s } else {
    send x to=to%stages on $(way)_out in $(way)s;  record $(way)_sent$(c)_$s on $(way)_out
  }
}
