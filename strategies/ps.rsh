# ps: parameter servers: the last ranks hold the parameters; the others compute gradients and bring them there
# ranks: the last `shards` of them are the servers: of 4 ranks rank 3, with shards=2 ranks 2 and 3. A server only steps: slow it, and hardly
#   anything changes; slow a worker (`@0 slow 2x`), and sync waits for it
# memory: a worker: parameters, gradients, activations of batch/workers rows; a server: its shard of the parameters and of what the
#   optimizer keeps (sync: of the gradients too)
# bytes: in every step P from the servers to each worker, and P back: all of it through the servers' links, shards=s divides it by s
#   sync          a server waits for all workers, steps once, and they get what it has become: the numbers of one rank, any optimizer
#   async         a worker adds its own step, -lr/workers of its gradient, when it has one, and gets what is there then: nobody waits
#                 for the slowest, and a gradient is of parameters that others have changed since. A server computes nothing: sgd alone
#   staleness=k   async, but nobody begins step i before all have ended step i-k-1
#   `stats` has the staleness seen: updates by others to a parameter between a worker's get and its add.
# when: ranks of unequal speed. Among equal ones ddp is quicker: a ring's bytes do not grow with the ranks.
#   Li et al., OSDI 2014; async is Downpour SGD, Dean et al., NIPS 2012; staleness is SSP, Ho et al., NIPS 2013
# axis dp: share out the batch
# alone: servers keep whole parameters, for workers that have them whole
# loses mode == "async": gradients are of parameters that others have changed meanwhile
# own pace mode == "async": `run` reads the losses at its end alone, so that nobody waits for the slowest
option mode=sync of="sync async" "sync: a server waits for all workers; async: for none"
option staleness=1000000 least=0 "async: steps that a worker may be ahead of the slowest (1000000: any)"
option shards=1 least=1 "servers: unit u's parameters are with server u mod shards"
option accumulate=1 least=1 "micro-batches of a step: their gradients add up, and are sent once"
let workers = size(dp)-shards;  let works = dp < workers;  let bound = staleness < 1000000
refuse size(dp) < 2 "a worker and a server are two: at least 2 ranks are wanted, or `strategy serial`"
refuse workers < 1 "shards=$shards of $(size(dp)) ranks leaves no worker: shards=$(size(dp)-1) at most"
refuse mode == "async" and optimizer == "adam" "mode=async runs no optimizer on the servers, only sums: optimizer=sgd, or mode=sync"
refuse clip > 0 "clip=$clip: a worker sends each gradient before it has the norm of all: clip=0, or `strategy ddp`"
refuse masked "ignore=$ignore: a worker sends each gradient before it has the number of targets that count: ignore=none, or `strategy ddp`"
refuse mode == "sync" and bound "staleness=$staleness is for mode=async: in sync nobody is ahead"
refuse dynamic "loss_scale=dynamic: who has sent its gradients cannot leave the step out: a number is wanted"
let replica = min(dp,workers-1);  let replicas = workers;  let micros = accumulate
stream comm blocking
# a window is of the workers and one server, which has the last place in that group
for k in 0:shards { group shard$k by (works or dp==workers+k) }
if bound { for v in 0:workers { if works and v != dp { stream to$v from$v } } }

# ---- a server has no rows ----
def load_data { if works { replaced } }
def input_room m { if works { replaced m } }
def target_room m { if works { replaced m } }
def read_input m { if works { replaced m } }
def read_target m { if works { replaced m } }
def forward u m { if works { replaced u m } }
def backward u m inputs weights { find_shard u;  if works { replaced u m inputs weights } }

# ---- who holds what: a worker a copy of each parameter, server k those of every shards-th unit, and what the optimizer keeps of them ----
let shard = 0;  let has = 0;  let sum = "sum_";  if not mixed { let sum = "d" }
def find_shard u { let shard = u%shards;  let has = works or dp == workers+shard }
def each_parameter u what { find_shard u;  if has { replaced u what } }
def gradient_memory p r c {
  if works { replaced p r c }
  if mixed or not works { tensor $sum$p[r,c] kind=gradient = zeros }
}
def optimizer_memory p r c { if not works { replaced p r c } }
def parameters {
  replaced
  ## windows
  # from here on a worker reaches the servers' parameters, and in sync the sums of gradients, without a line of theirs
  tensor token[size(dp)] box[size(dp)] = zeros
  each_unit each_parameter open_window
}
def open_window p r c deviation s cut {
  window $(p)$master in shard$shard
  if mode == "sync" { window $sum$p in shard$shard }
}

# ---- a step ----
def iteration {
  ## the workers get the parameters
  # as they are now: in async others may be adding to them
  phase C
  if works {
    if bound and it > staleness { for v in 0:workers { if v != dp { keep_up v } } }
    wait compute on comm
    each_unit each_parameter fetch
    wait comm on compute
  }
  replaced
}
def fetch p r c deviation s cut {
  get $(p)$master@workers -> $(p)$master on comm
  if mixed { $p = cast $(p)_f32 to=$dtype on comm }
}
# worker v has ended step it-staleness-1: its token says so, on a stream of that pair, so that nobody waits for it to be taken
def keep_up v {
  wait ended$(it%(staleness+1)) on to$v;  send token[0:1] to=v on to$v in dp
  recv box[v:v+1] from=v on from$v in dp;  wait from$v on comm
}
# a gradient leaves as soon as it is complete, while the layers before compute
def gradient_made p {
  replaced p
  if last {
    wait compute on comm
    if mixed { sum_$p = cast d$p to=f32 on comm }
    if mode == "sync" { add $sum$p -> $sum$p@workers scale=1/workers on comm } else {
      add $sum$p -> $(p)$master@workers scale=-lr/factor/workers on comm
    }
  }
}
def update {
  if mode == "async" { if works and bound { record ended$(it%(staleness+1)) on comm } } else {
    # tokens: the servers wait for all workers, step, and let them go on
    if works { for k in workers:size(dp) { send token[k:k+1] to=k on comm in dp } } else {
      for w in 0:workers { recv box[w:w+1] from=w in dp }
      each_unit each_parameter serve
    }
    if works { for k in workers:size(dp) { recv box[k:k+1] from=k on comm in dp } } else {
      for w in 0:workers { send token[w:w+1] to=w in dp }
    }
  }
}
def serve p r c deviation s cut { step_down p $sum$p;  fill $sum$p 0 }
