# ddp: each rank has part of the batch, and gradients are averaged; in buckets, during backward
# memory: the whole model on every rank: parameters, gradients, optimizer state; activations for
#   batch/n rows. delay=1 keeps the gradients twice. hook=int8 and topk also keep the error
#   feedback, as large as the gradients in f32.
# sends: the rank's gradients (allreduce with op=avg, in buckets)
# bytes: 2(n-1)/n of the gradients' bytes per rank and step (ring), one message per bucket.
# when: the model fits on a GPU with its gradients and optimizer state; if not, use zero or fsdp
#   (arXiv:2006.15704). If links are slow, use delay=1, a hook, or local.
# axis dp: split the batch
# after tp cp ep pp dp_shard
# loses hook != "none": the hook rounds or drops part of the gradients
# loses delay > 0: a step uses gradients computed one step earlier
# loses backup > 0: the slowest ranks' gradients are left out
# own pace backup > 0: `run` reads the losses only at its end, so no rank waits for the slowest
#   backup=1: no rank waits for a straggler until its loss is read; the straggler steps with the
#   other ranks' mean (backup workers: arXiv:1604.00981)
option bucket=256k least=1 unless="dp_shard" "size at which a bucket is sent (PyTorch: 25M, for models a thousand times as large)"
option overlap=on of="on off" with="delay=0" unless="dp_shard" "on: a bucket is sent as soon as it is full; off: all buckets after backward"
option hook=none of="none f16 bf16 int8 topk" "compresses a bucket; int8 and topk add what they dropped to the next step's gradients"
option k=1% with="hook=topk" "the share of a bucket that is sent"
option accumulate=1 least=1 "micro-batches per optimizer step; their gradients are summed and exchanged once"
option delay=0 of="0 1" "1: gradients are exchanged while the next step computes, and used one step late; for slow links (arXiv:2011.03641)"
option backup=0 least=0 "number of slowest ranks that no rank waits for: they receive a bucket's mean without contributing to it"
option broken=no of="no nosync" "nosync: gradients are not exchanged; `verify` finds this bug, training alone does not show it"
refuse backup >= size(dp) "backup=$backup leaves out all $(size(dp)) ranks: at most backup=$(size(dp)-1)"
refuse backup > 0 and hook != "none" "backup=$backup needs an allreduce, which hook=$hook replaces: hook=none"
refuse k <= 0 or k > 1 "k=$k is not a share above 0 and at most 1: k=1%"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp);  let micros = per_round*accumulate
let keeps = hook == "int8" or hook == "topk"
source hooks
refuse delay > 0 and gathers == "flat" "delay=$delay works with ddp alone: zero and fsdp reduce-scatter gradients as soon as they are computed"
if gathers == "" { source buckets }         # with zero or fsdp, each rank's shards are averaged, without buckets
if delay > 0 { source late }
# reduce_gradients averages gradients over all ranks; hooks.rsh has the compressed versions.
def count_everywhere n { replaced n;  allreduce n in dp }
def reduce_gradients g {
  replaced g
  if broken == "no" { if hook == "none" { allreduce g op=avg backup=backup in dp } else { reduce_$hook g } }
}
def reduce_memory g n { replaced g n;  if keeps { tensor error_$g[n] kind=buffer = zeros } }
