# ddp backup=1: a straggler delays only itself
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
# sim: where a line came behind an answer, a GPU was idle
