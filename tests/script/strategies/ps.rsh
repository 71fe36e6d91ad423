# parameter servers: bytes; asynchronous ones do not wait for a slow worker (steps: ps_values.rsh)
# ranks 4

# bytes: the parameters go out to each of three workers, and come back, in each of 4 steps; a token each way, and a line to begin with
model mlp layers=2 hidden=64 batch=24
strategy ps
run 4
@3 expect sent("nvlink out") == 4*(3*2*64*64*4B+3*4B)
@0 expect sent("nvlink out") == 4*(2*64*64*4B+4B)
@0-2 expect count(get) == 8 and count(add) == 8 and stale == 0

expect error "mode=async runs no optimizer" { model mlp optimizer=adam; strategy ps mode=async }
expect error "staleness=2 needs mode=async" { model mlp; strategy ps staleness=2 }
expect error "shards=4 of 4 ranks leaves no worker: shards=3 at most" { strategy ps shards=4 }
expect error "does not stack" { strategy ps=2 + tp=2 }
expect error "ps does not stack" { strategy ps=2 + ddp=2 }
