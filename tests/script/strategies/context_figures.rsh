# context: bytes of a layer, what attention hides, and each rank's share of the attention
# ranks 4 3
model gpt layers=2 hidden=24 heads=12 seq=1536 batch=1 vocab=16
data synthetic count=1600
# gradients stay where they are, so that what is sent is attention's
strategy context
def reduce_gradients g { }
run 1
sync
let n = world;  let A = 1536//n*24*4B                                      # bytes of the keys of a rank's tokens
# keys and values, n-1 hops forward and n-1 backward; their gradients n hops
expect sent(nvlink) == 2*(2*(n-1)*A+2*(n-1)*A+2*n*A)
# a block takes longer to attend to than to send, and hops hide behind it; the last one, home, has nothing to hide behind
let hidden = overlap(hops,compute)*busy(hops)+overlap(returns,compute)*busy(returns)
expect hidden >= 80%*(busy(hops)+busy(returns))
expect races == 0

strategy context kind=ulysses
def reduce_gradients g { }
run 1
sync
let n = world;  let A = 1536//n*24*4B
expect count(alltoall) == 2*(4+4) and sent(nvlink) == 2*(4+4)*(n-1)/n*A

# attention alone: stripes are even, contiguous parts are not; the last one has its block and those of all others
model gpt layers=1 hidden=24 heads=12 seq=1536 batch=1 vocab=16
strategy context
def rounds o q k v { mark attending;  replaced o q k v;  mark rest }
run 1
sync
tensor mean[1] = time(attending)*busy(compute,attending)
allreduce mean op=avg
expect time(attending)*busy(compute,attending) <= 1.1*mean[0]*1ns
strategy context balance=off
def rounds o q k v { mark attending;  replaced o q k v;  mark rest }
run 1
sync
tensor mean[1] = time(attending)*busy(compute,attending)
allreduce mean op=avg
expect rank < world-1 or time(attending)*busy(compute,attending) > 1.6*mean[0]*1ns
expect rank > 0 or time(attending)*busy(compute,attending) < 0.5*mean[0]*1ns
