# the times that gossip and ddp delay=1 hide, and the delays of a slow rank
# ranks 4
## parameters travel while it computes
model mlp layers=4 hidden=64 batch=512
strategy gossip
run 4
expect overlap(left,compute) > 0.9 and overlap(right,compute) > 0.9
## what a slow rank keeps back travels a rank a step: in the second, its neighbours wait, and the one behind them does not
strategy gossip
step
@0 slow 3x
run 2
sync
@1,3 expect time > 3.2ms
@2 expect time < 2.4ms
@0 slow 1x

## ddp delay=1: time at which the eighth step has been taken, beside 10.06 ms of ddp
strategy ddp bucket=16k delay=1
run 8
expect time < 9.4ms
# sim: where losses are read a GPU drains, which the model of running ahead does not have
