# tp trains as one rank; how often it sends
# ranks 1 2 4 8
model mlp layers=5 hidden=16 batch=7 optimizer=adam
data synthetic count=100
strategy tp accumulate=2
verify iterations=3
expect races == 0
model mlp layers=4 hidden=16 batch=7 dtype=bf16
strategy tp
verify iterations=2

# a gpt's block: two allreduces forward, two backward
model gpt layers=3 hidden=16 heads=8 seq=8 batch=4 vocab=11
data synthetic count=400
strategy tp
run 1
sync
expect count(allreduce) == 12
verify iterations=2
expect races == 0
# a reduce-scatter and an allgather in place of each; of a pair's input an allgather more for backward; and two at the model's ends
strategy tp sequence=on
run 1
sync
expect count(reducescatter) == 12 and count(allgather) == 20 and count(allreduce) == 0
verify iterations=2
expect races == 0
strategy tp sequence=on accumulate=3
verify iterations=2
# recompute=full: forward's communication of a block again, but for its last reduce-scatter, whose result has been read
strategy tp sequence=on recompute=full
run 1
sync
expect count(reducescatter) == 12+3 and count(allgather) == 20+6 and count(allreduce) == 0

# the same bytes, but for the ends: large enough that an allreduce goes by ring
model gpt layers=1 hidden=64 heads=8 seq=64 batch=16 vocab=11
data synthetic count=2000
strategy tp
run 1
sync
let A = 16*64*64*4B     # bytes of a block's output
expect world == 1 or sent(nvlink) == 4*2*(world-1)/world*A
strategy tp sequence=on
run 1
sync
let A = 16*64*64*4B
expect world == 1 or sent(nvlink) == (4*2+2+2)*(world-1)/world*A
