# local: local SGD: each rank steps alone; the parameters are averaged every few steps
# memory: the whole model on every rank: parameters, gradients, optimizer state; activations for
#   batch/n rows
# sends: parameters (allreduce with op=avg, every few steps)
# bytes: 2(n-1)/n of the parameters' bytes once in `every` steps: ddp's bytes, divided by `every`.
#   across=16   on a machine with nodes: averages within a node every `every` steps, over its fast links,
#               and over all ranks every 16 steps
# when: links are slow, and results may differ from a single rank's, because the ranks learn
#   different parameters between two averages. arXiv:1805.09767; two levels: arXiv:1808.07217
# axis dp: split the batch
# after tp cp ep pp dp_shard
# loses max(every,across) > 1 or optimizer != "sgd" or clip > 0 or masked: each rank steps alone between two averages (a single step of sgd is exact)
option every=4 least=1 "steps between two averages"
option across=0 least=0 "steps between two averages over all ranks; the averages in between are within a node (0: all are over all ranks)"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp);  let micros = per_round*accumulate
refuse gathers == "flat" "local averages whole parameters, and with zero or fsdp no rank has them: use ddp there, or local alone"
refuse across > 0 and across%every != 0 "across=$across is not a multiple of every=$every"
if gathers == "" { stream comm blocking;  let gathers = "models" }      # if context is in the stack, its buckets have already created the stream
if across > 0 { group node by rank//gpus() in dp }
let averaged_in = "dp"

def everywhere seen { replaced seen;  if "$seen" != "squares" { allreduce seen in dp } }          # each rank has its own norm
def update {
  replaced
  if (it+1)%every == 0 {
    let averaged_in = "dp";  if across > 0 and (it+1)%across != 0 { let averaged_in = "node" }
    phase C;  wait compute on comm
    each_unit each_parameter average
    wait comm on compute
  }
}
# Averages the ranks' parameters. In half precision the f32 masters are averaged and then cast.
def average p r c deviation s cut {
  allreduce $(p)$master op=avg on comm in $averaged_in
  if mixed { $p = cast $(p)_f32 to=$dtype on comm }
}
