# stage: a pipeline stage's tasks for micro-batch m and chunk c: F, BW, B or W, called by the
# schedule
#
#     act_in     recv .. recv ..             box     receive buffer: one more than in use, so that the next input can arrive
#     compute         F3 .. B0 ..            s       the memory of the activations, reused by micro-batches in turn
#     act_out            send .. send        used    the stage is done with the box: the next input may arrive
#     grad_in, grad_out: the same way back   sent    the output in memory s was sent: it may be overwritten
#
# Both sides queue a chunk pair's sends and receives in the schedule's order; each
# kind has its own streams and group. A receive waits only for its stage's work that precedes its
# task, so there is no circular wait. If the next part of the model is on the same rank, it reads
# the output in memory s: both chunks have equally many memories.

let does_F = "forward_stage";  let does_BW = "backward_stage";  let does_B = "backward_input";  let does_W = "backward_weight"
if pieces > 1 {
  let does_F = "forward_chunk";  let does_BW = "backward_chunk";  let does_B = "chunk_input";  let does_W = "chunk_weight"
}
# if the model recomputes, the head runs in backward: logits exist for one micro-batch at a time
let head_waits = recompute != "none"
let does_idle = "rest";  def rest m { };  def rest_chunk m c { }              # an empty cell of a file
if pieces > 1 { let does_idle = "rest_chunk" }
def forward_stage m { forward_chunk m 0 }
def backward_stage m { backward_chunk m 0 }
def backward_input m { chunk_input m 0 }
def backward_weight m { chunk_weight m 0 }

# A file may take micro-batches in any order. These count the micro-batches in an iteration that
# chunk c has begun, and those whose gradients are complete.
for c in 0:pieces { let begun_$c = 0;  let ended_$c = 0 }
def forward_chunk m c {
  let s = m%memories(c);  let box = m%(memories(c)+1)
  if not timed { take m;  let fresh = begun_$c == 0;  let begun_$c = (begun_$c+1)%micros }
  if comes_$c { receive act (from_$c) m c box its_chunk(piece(c)-1) }
  let task = "F$m";  if c > 0 { let task = "F$m.$c" };  phase $task
  if comes_$c { arrived act c }
  if timed { spin F/pieces } else {
    if comes_$c { find_columns $(low_$c-1);  x$(low_$c-1)_$s = reshape act$(c)_$box[0:tokens_here] [tokens_here,columns] }
    if begins_$c { read_input s }
    if ends_$c { read_target s }
    for u in low_$c:high_$c+1-(head_waits and ends_$c) { forward u s }
  }
  if goes_$c { send_on act x$(high_$c)_$s (to_$c) m c s its_chunk(piece(c)+1) }
}
def backward_chunk m c { back m c 1 1 }
def chunk_input m c { back m c 1 0 }
def chunk_weight m c { back m c 0 1 }
def back m c inputs weights {
  let s = m%memories(c);  let box = m%(memories(c)+1);  let letter = "B";  if not inputs { let letter = "W" }
  if not timed { take m }
  if weights and not timed { let fresh = ended_$c == 0;  let last = ended_$c == micros-1;  let ended_$c = (ended_$c+1)%micros }
  if inputs and goes_$c { receive grad (to_$c) m c box its_chunk(piece(c)+1) }
  let task = "$letter$m";  if c > 0 { let task = "$letter$m.$c" };  phase $task
  if inputs and goes_$c { arrived grad c }
  if timed {
    if full and inputs { phase R$m;  spin F/pieces }
    spin (inputs*B+weights*W)/pieces
  } else {
    if inputs and goes_$c { find_columns $(high_$c);  dx$(high_$c)_$s = reshape grad$(c)_$box[0:tokens_here] [tokens_here,columns] }
    if head_waits and ends_$c and inputs { let u = high_$c;  forward u s }
    if inputs and goes_$c { wait act_sent$(c)_$s on compute }
    if inputs and comes_$c { wait grad_sent$(c)_$s on compute }
    for u in high_$c:low_$c-1:-1 { backward u s inputs weights }
    if weights { record used$(c)_$box on compute }
  }
  if inputs and comes_$c { send_on grad dx$(low_$c-1)_$s (from_$c) m c s its_chunk(piece(c)-1) }
}
# A message uses the group of its sender's chunk. A message to another chunk (interleaved: from the
# last stage to the first) has its own group; on the chunk's communicator it would close a circle
# of waiting stages.
def receive way from m c box theirs {
  phase C$m;  let l = "$(way)_in";  let g = "$(way)s"
  if pieces > 1 { let l = "$l$c";  let g = "$g$theirs" }
  if theirs != c { let g = "$(way)s_on$theirs" }
  if timed { recv $(way)_token$c from=from on $l in $g } else {
    wait used$(c)_$box on $l;  recv $(way)$(c)_$box[0:tokens_here] from=from on $l in $g
  }
}
def arrived way c { let l = "$(way)_in";  if pieces > 1 { let l = "$l$c" };  wait $l on compute }
def send_on way x to m c s theirs {
  phase C$m;  let l = "$(way)_out";  let g = "$(way)s"
  if pieces > 1 { let l = "$l$c";  let g = "$g$c" }
  if theirs != c { let g = "$(way)s_on$c" }
  wait compute on $l
  if timed { send token to=to on $l in $g } else { send x to=to on $l in $g;  record $(way)_sent$(c)_$s on $l }
}
