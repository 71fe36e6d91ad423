# local SGD: averaging after each sgd step is ddp; between two averages ranks differ
# ranks 4
model mlp layers=3 hidden=16 batch=24
strategy local every=1
verify iterations=3
model mlp layers=3 hidden=16 batch=24 dtype=bf16
strategy local every=1 accumulate=2
verify iterations=2
model mlp layers=2 hidden=16 batch=24
strategy local every=3
run 2
let mine = w1[0,0]
@0 let first = w1[0,0]
expect count(allreduce) == 0
run 1
# averaged: the same everywhere
allgather_check = allgather w1
sync
expect close(allgather_check[0,0], allgather_check[16,0], 0) and close(allgather_check[0,0], allgather_check[48,0], 0)
expect count(allreduce) == 2
expect error "across=6 is not a multiple of every=4" { strategy local across=6 }
# whatever names a model's tensors have, also those of experts' dropped tokens
model gpt layers=1 hidden=8 heads=2 seq=4 batch=8 experts=2 top=1 capacity=0.5
strategy local every=1
run 1
# on two nodes: averaged within each after one step, over all after the next; alone, and with tp in each node
set gpus=2;  set nodes=2
model mlp layers=2 hidden=16 batch=24
strategy local every=1 across=2
run 2
sync
expect count(allreduce) == 4 and sent(dp) == sent(nvlink)+sent(nic) and sent(dp) > 0B
verify
strategy local every=1 across=2 + tp=2
run 2
sync
expect count(allreduce) == 6 and sent(dp) == sent(nic) and sent(tp) == sent(nvlink)
