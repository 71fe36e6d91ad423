# ddp backup=1: the slowest rank's gradients are left out of the mean, which it gets too
# ranks 4
model mlp layers=6 hidden=256 batch=128
## a straggler holds up the steps of all ...
strategy ddp bucket=256k
@3 slow 3x
run 6
sync
expect time > 98ms
## ... and with a rank to spare nobody's but its own: over six iterations the others take what they take beside a quick one, 66.69 ms,
## as `run` reads no loss between them
strategy ddp bucket=256k backup=1
run 6
sync
@0-2 expect time > 66.6ms and time < 66.8ms
@3 expect time > 85ms
expect races == 0

## the models stay the same on all ranks, and are not one rank's
mean = allreduce w1 op=avg
expect close(mean, w1)
verify

@3 slow 1x
## the last to come are one more or less by the time they take; all must not be left out
expect error "backup=4 leaves out all of 4 ranks: fewer are wanted" { strategy ddp backup=4 }
expect error "hook=f16 has ways of its own" { strategy ddp backup=1 hook=f16 }
strategy ddp=2 backup=1 + tp=2
run 2
verify
strategy ddp=2 backup=1 + zero=2
run 1
# sim: backup= is refused on a GPU
