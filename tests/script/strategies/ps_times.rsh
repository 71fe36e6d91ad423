# parameter servers in time: asynchronous ones do not wait for a slow worker; stale gradients
# ranks 4
## all workers alike
model mlp layers=4 hidden=64 batch=768
strategy ps
run 6
@0-2 expect time > 18ms and time < 18.2ms
strategy ps mode=async
run 6
@0-2 expect time > 18ms and time < 18.2ms

## the last rank is the server, and hardly computes
strategy ps
@3 slow 2x
run 6
@0-2 expect time > 18ms and time < 18.3ms
@3 slow 1x

## one of them takes twice as long: in step all do
strategy ps
step
@2 slow 2x
run 6
@0 expect time > 25ms
## asynchronous, the others end when they would have ended, and what they are stale by is what the slow one has missed
strategy ps mode=async
run 6
@0-1 expect time < 18.2ms and stale == 1
@2 expect time > 23ms and stale >= 4
## a bound holds them back, and the slow one misses less
strategy ps mode=async staleness=1
run 6
@0-1 expect time > 19ms
@2 expect stale <= 4
## far from one rank, and no failure
verify
# sim: nothing but time orders what ranks put into their windows
