# local: local SGD: each rank steps alone; every few steps the parameters are averaged
# memory: the whole model on every rank: parameters, gradients, optimizer; activations of batch/n rows
# sends: parameters, averaged every few steps
# bytes: 2(n-1)/n of the parameters' in every `every` steps: ddp's, divided by every.
#   across=16   on a machine with nodes: averaged within a node every `every` steps, over its fast links, and over all every 16
# when: links are slow. Not where each step is to be that of one rank: what ranks learn between two averages differs.
#   arXiv:1805.09767; two levels: arXiv:1808.07217
# axis dp: share out the batch
# after tp cp ep pp dp_shard
# loses max(every,across) > 1 or optimizer != "sgd" or clip > 0 or masked: ranks go ways of their own between two averages (but for one step of sgd)
option every=4 least=1 "steps between two averages"
option across=0 least=0 "steps between two averages of all, where those in between are of a node (0: every average is of all)"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp);  let micros = per_round*accumulate
refuse gathers == "flat" "local averages whole parameters, and beside zero or fsdp no rank has them: ddp there, or local alone"
refuse across > 0 and across%every != 0 "across=$across is no multiple of every=$every"
if gathers == "" { stream comm blocking;  let gathers = "models" }      # beside context: its buckets have made the stream
if across > 0 { group node by rank//gpus() in dp }
let averaged_in = "dp"

def everywhere seen { replaced seen;  if "$seen" != "squares" { allreduce seen in dp } }          # a norm is of this rank's own
def update {
  replaced
  if (it+1)%every == 0 {
    let averaged_in = "dp";  if across > 0 and (it+1)%across != 0 { let averaged_in = "node" }
    phase C;  wait compute on comm
    each_unit each_parameter average
    wait comm on compute
  }
}
# the mean of what the ranks have become; a half type's masters, from which the rest is cast
def average p r c deviation s cut {
  allreduce $(p)$master op=avg on comm in $averaged_in
  if mixed { $p = cast $(p)_f32 to=$dtype on comm }
}
