# parameter servers: in step they are one rank; asynchronous ones keep their pace beside a slow worker, and their gradients are stale
# ranks 4
model mlp layers=3 hidden=16 batch=25
strategy ps accumulate=2
verify iterations=3
model mlp layers=3 hidden=16 batch=24 dtype=bf16 optimizer=adam
strategy ps shards=2
verify iterations=3
model gpt layers=2 hidden=32 heads=4 seq=16 batch=6 tied=on
strategy ps shards=2
verify iterations=2

# bytes: the parameters go out to each of three workers, and come back, in each of 4 steps; a token each way, and a line to begin with
model mlp layers=2 hidden=64 batch=24
strategy ps
run 4
@3 expect sent("nvlink out") == 4*(3*2*64*64*4B+3*4B)
@0 expect sent("nvlink out") == 4*(2*64*64*4B+4B)
@0-2 expect count(get) == 8 and count(add) == 8 and stale == 0

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

expect error "mode=async runs no optimizer" { model mlp optimizer=adam; strategy ps mode=async }
expect error "staleness=2 is for mode=async" { model mlp; strategy ps staleness=2 }
expect error "shards=4 of 4 ranks leaves no worker: shards=3 at most" { strategy ps shards=4 }
expect error "stacks on nothing" { strategy ps=2 + tp=2 }
expect error "ps stacks on nothing" { strategy ps=2 + ddp=2 }
# sim: nothing but time orders what ranks put into its windows
