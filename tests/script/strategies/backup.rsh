# ddp backup=1: the mean leaves out the slowest rank's gradients, and that rank receives it too
# ranks 4
model mlp layers=6 hidden=256 batch=128
strategy ddp bucket=256k backup=1
@3 slow 3x
run 6
sync
expect races == 0

## the models stay the same on all ranks, and are not one rank's
mean = allreduce w1 op=avg
expect close(mean, w1)
verify

@3 slow 1x
## the last to come are one more or less by the time they take; all must not be left out
expect error "backup=4 leaves out all 4 ranks: at most backup=3" { strategy ddp backup=4 }
expect error "backup=1 needs an allreduce, which hook=f16 replaces" { strategy ddp backup=1 hook=f16 }
strategy ddp=2 backup=1 + tp=2
run 2
verify
strategy ddp=2 backup=1 + zero=2
run 1
