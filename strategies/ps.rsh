# ps: parameter servers: the last ranks hold the parameters; workers compute gradients for them
# ranks: the last `shards` ranks are the servers: with 4 ranks, rank 3; if shards=2, ranks 2 and 3.
#   A server only runs the optimizer: if it is slow, hardly anything changes. If a worker is slow
#   (`@0 slow 2x`), mode=sync waits for it.
# memory: a worker has parameters, gradients, activations for batch/workers rows; a server has its
#   shard of parameters and optimizer state (sync: also gradients)
# bytes: in every step P from the servers to each worker, and P back, all through the servers'
#   links; shards=s divides the bytes per link by s
#   sync          a server waits for all workers, then steps once, and the workers get the result:
#                 the numbers equal a single rank's, with any optimizer
#   async         a worker adds -lr/workers times its gradient as soon as it has one, and gets the current
#                 parameters. So no worker waits for the slowest, but a gradient may belong to
#                 parameters that others have changed since. A server computes nothing, so only sgd
#                 works
#   staleness=k   async, but no worker begins step i before all have finished step i-k-1
#   `stats` shows the observed staleness: updates by others to a parameter between a worker's get
#   and add.
# when: ranks have unequal speed. If all ranks are equal, ddp is faster: a rank's bytes in a ring
#   hardly grow with n.
#   Li et al., OSDI 2014; async is Downpour SGD, Dean et al., NIPS 2012; staleness is SSP, Ho et
#   al., NIPS 2013
# axis dp: split the batch
# alone: servers and workers hold whole parameters
# loses mode == "async": gradients belong to parameters that others have changed since
# own pace mode == "async": `run` reads the losses only at its end, so no rank waits for the slowest
option mode=sync of="sync async" "sync: a server waits for all workers; async: for none"
option staleness=1000000 least=0 "async: number of steps that a worker may be ahead of the slowest one (1000000: no limit)"
option shards=1 least=1 "number of servers; server u mod shards holds unit u's parameters"
option accumulate=1 least=1 "micro-batches per step; their gradients are summed and sent once"
let workers = size(dp)-shards;  let works = dp < workers;  let bound = staleness < 1000000
refuse size(dp) < 2 "a worker and a server need 2 ranks: ranksh -n 2, or `strategy serial`"
refuse workers < 1 "shards=$shards of $(size(dp)) ranks leaves no worker: shards=$(size(dp)-1) at most"
refuse mode == "async" and optimizer == "adam" "mode=async runs no optimizer on the servers, only sums: optimizer=sgd, or mode=sync"
refuse clip > 0 "clip=$clip: a worker sends each gradient before the norm is known: clip=0, or `strategy ddp`"
refuse masked "ignore=$ignore: a worker sends each gradient before all targets are counted: ignore=none, or `strategy ddp`"
refuse mode == "sync" and bound "staleness=$staleness needs mode=async: in mode=sync no worker is ahead"
refuse dynamic "loss_scale=dynamic: a worker that has sent its gradients cannot skip the step: loss_scale=1024"
let replica = min(dp,workers-1);  let replicas = workers;  let micros = accumulate
stream comm blocking
# A window's group has the workers and one server, which is its last rank.
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

# ---- a worker holds a copy of each parameter; server k holds every shards-th unit's parameters and
# optimizer state ----
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
  # from here on workers access the servers' parameters (sync: also gradient sums) with one-sided
  # operations
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
  # they get the current values; in mode=async other workers may be adding to them
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
# Worker v has finished step it-staleness-1 when its token arrives. Each pair has its own stream,
# so that no send waits for another worker.
def keep_up v {
  wait ended$(it%(staleness+1)) on to$v;  send token[0:1] to=v on to$v in dp
  recv box[v:v+1] from=v on from$v in dp;  wait from$v on comm
}
# A gradient is sent as soon as it is complete, while the layers before it compute.
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
    # with tokens the servers wait for all workers; they step, and release the workers
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
