# ignore: targets that do not count are left out of one mean over all micro-batches and ranks
# ranks 4
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=8 ignore=3
strategy serial
run 1
sync
@0 expect abs(loss[0]-2.20854) < 1e-5
strategy ddp accumulate=2
run 1
sync
tensor l[1] = 0
l += scale loss 1
allreduce l op=avg
expect abs(l[0]-2.20854) < 1e-5
verify iterations=2
strategy zero stage=2 accumulate=2 offload=optimizer:host
verify iterations=2
strategy fsdp
verify iterations=2
strategy pipeline=2 micro=2 schedule=zb-h1 + ddp=2
verify iterations=2
strategy context=2 + tp=2
verify iterations=2
strategy tp sequence=on
verify iterations=2
# the norm is that of the rescaled gradients
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=8 ignore=3 clip=0.1 optimizer=sgd
strategy serial
run 1
sync
@0 expect abs(gradient_norm[0]-11.9094) < 3e-4
strategy ddp=2 accumulate=2 + fsdp=2
run 1
sync
expect abs(gradient_norm[0]-11.9094) < 3e-4
verify iterations=2
model gpt layers=1 hidden=8 heads=2 seq=4 batch=4 vocab=8 ignore=3 experts=2 balance_loss=0
strategy experts=2 + ddp=2
verify iterations=2
# no target counts: nothing is a mean, as in PyTorch
model gpt layers=1 hidden=8 heads=2 seq=4 batch=4 vocab=1 ignore=0
strategy ddp
run 1
sync
@0 expect loss[0] != loss[0]
# refused, as what is taken late or sent piecewise cannot be rescaled
expect error "ignore=0: a worker sends each gradient before" { strategy ps }
expect error "ignore and loss_scale=dynamic need this step's: delay=0" { strategy ddp delay=1 }
model gpt layers=1 hidden=8 heads=2 seq=4 batch=4 vocab=8
expect error "ignore=3: the experts' balance loss counts all tokens: balance_loss=0" { model gpt experts=2 ignore=3 }
# a class is a whole number, and that is said before anything runs
expect error "ignore=1.5 is not a class: a whole number" { model gpt ignore=1.5 }
expect error "ignore" { model gpt ignore=abc }
expect error "ignore" { model gpt ignore=3ms }
