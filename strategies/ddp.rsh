# ddp: the batch in parts, one a rank; gradients are averaged in buckets while backward goes on
# memory: the whole model on every rank: parameters, gradients, optimizer; activations of batch/n rows
#   delay=1: the gradients twice; hook=int8 and topk: what they have left out, as large as the gradients in f32
# sends: gradients of what a rank has of the model, averaged, in buckets
# bytes: 2(n-1)/n of the gradients' a rank and step (ring), in as many messages as buckets.
# when: the model fits on a GPU, with its gradients and its optimizer; else zero, fsdp (arXiv:2006.15704).
#   Where links are slow: delay=1, a hook, or local.
# axis dp: share out the batch
# after tp cp ep pp dp_shard
# loses hook != "none": the hook leaves something out on the way
# loses delay > 0: a step takes the gradients of the parameters before the last step
# loses backup > 0: the gradients of the ranks that come last are left out
# own pace backup > 0: `run` reads the losses at its end alone, so that nobody waits for the slowest
#   backup=1: a straggler holds nobody up until its loss is read, and steps by the others' mean (backup workers: arXiv:1604.00981)
option bucket=256k least=1 unless="dp_shard" "a bucket is closed when it has so many bytes (PyTorch: 25M, for models a thousand times as large)"
option overlap=on of="on off" with="delay=0" unless="dp_shard" "on: a bucket travels as soon as it is full; off: all behind the backward"
option hook=none of="none f16 bf16 int8 topk" "makes a bucket smaller; int8 and topk keep what they left out for the next step"
option k=1% with="hook=topk" "the part of a bucket that is sent"
option accumulate=1 least=1 "micro-batches of an optimizer step: their gradients add up, and are exchanged once"
option delay=0 of="0 1" "1: gradients travel under the whole next step, and are taken a step late: for slow links (arXiv:2011.03641)"
option backup=0 least=0 "so many of the ranks that come last to a bucket are left out of its mean, which they get too"
option broken=no of="no nosync" "nosync: gradients are not exchanged: what `verify` finds, and training alone does not"
refuse backup >= size(dp) "backup=$backup leaves out all of $(size(dp)) ranks: fewer are wanted"
refuse backup > 0 and hook != "none" "backup=$backup leaves out ranks of an allreduce, and hook=$hook has ways of its own: hook=none"
refuse k <= 0 or k > 1 "k=$k: a share above 0 and at most 1 is wanted"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp);  let micros = per_round*accumulate
let keeps = hook == "int8" or hook == "topk"
source hooks
refuse delay > 0 and gathers == "flat" "delay=$delay beside zero or fsdp, which cut gradients as soon as they are made: ddp alone may be late"
if gathers == "" { source buckets }         # beside zero or fsdp each rank's part of a group is averaged, without buckets
if delay > 0 { source late }
# the mean of all ranks' gradients; hooks.rsh has the ways that send less
def count_everywhere n { replaced n;  allreduce n in dp }
def reduce_gradients g {
  replaced g
  if broken == "no" { if hook == "none" { allreduce g op=avg backup=backup in dp } else { reduce_$hook g } }
}
def reduce_memory g n { replaced g n;  if keeps { tensor error_$g[n] kind=buffer = zeros } }
