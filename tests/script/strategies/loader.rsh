# loader: host threads read micro-batches: the numbers of one rank; waits of a GPU without data
# ranks 4
loader workers=2 prefetch=1 decode=50us
model gpt layers=2 hidden=16 heads=4 seq=8 batch=9 vocab=32
strategy ddp accumulate=2
verify iterations=2
strategy tp sequence=on
verify iterations=2
strategy context=2 + ddp=2
verify iterations=2
strategy dataparallel
verify iterations=2
model mlp layers=4 hidden=8 batch=26 dtype=bf16
strategy pipeline=2 schedule=zb-h1 + ddp=2
verify iterations=2
strategy ps
verify iterations=2
# inputs and targets of a micro-batch are taken on one rank, at two times: a round of them is held
model gpt layers=6 hidden=8 heads=2 seq=4 batch=8 vocab=8
strategy pipeline schedule=zb-v-4.csv chunks=2 micro=8
verify iterations=2
expect races == 0
# the loader's names are no other strategy's
strategy fsdp offload=params:nvme,optimizer:nvme
verify iterations=2
expect races == 0

# ---- rank 0 alone, which reads the 1028 bytes of a micro-batch in 0.5 ms ----
set launch=0us disk_latency=0us
model gpt layers=1 hidden=16 heads=2 seq=16 batch=16
# decoding takes longer than an iteration, and one worker does it: every iteration takes the read and it, 4.5 ms
loader workers=1 decode=4ms read=2.056MB/s
strategy serial
run 4;  sync
let worked = busy(compute)*time
@0 expect abs(stall(data)*time-(4*4.5ms-3/4*worked)) < 10ns
# as many as it takes: the first iteration waits, no other one
loader workers=8 decode=4ms read=2.056MB/s
strategy serial
run 4;  sync
@0 expect abs(stall(data)*time-4.5ms) < 10ns
# what is read ahead behind the last iteration makes no figure's time longer, unless something waits for it
loader workers=2 prefetch=2 decode=60ms
strategy serial
run 2
let ran = time;  let waited = stall(data)
@0 expect ran < 62ms and waited > 90% and busy(load0) <= 1
sync
@0 expect abs(time-3*60ms) < 1ms
# as other words: on, off, help
reset
loader on
expect error "write: help loader" { loader help }
loader off
