# three axes on 2 x 2 x 2, and two on 4 x 2, train as one rank
# ranks 8
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32
strategy ddp=2 + tp=4
verify iterations=2
strategy pipeline=2 schedule=1f1b + ddp=2 + tp=2 sequence=on
verify iterations=3
expect races == 0
strategy zero=2 + tp=2 + pipeline=2
verify iterations=2
expect races == 0
strategy ddp=2 + fsdp=2 + tp=2
verify iterations=2
expect races == 0
strategy ddp=2 + pipeline=2 schedule=zb-h1 micro=2 + zero=2 stage=2
verify iterations=2
expect races == 0
strategy pipeline=4 micro=2 + ddp=2
verify iterations=2
model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 vocab=32 dtype=bf16 tied=on optimizer=sgd
strategy ddp=2 + pipeline=2 schedule=interleaved chunks=2 + tp=2 sequence=on
verify iterations=2
strategy zero=2 + pipeline=2 schedule=zb-h1 + tp=2
verify iterations=2
model gpt layers=4 hidden=16 heads=4 seq=8 batch=9 vocab=32 tied=on
strategy pipeline=2 schedule=zb-auto limit=2 micro=2 accumulate=2 + tp=2 + fsdp=2
verify iterations=2
expect races == 0
model gpt layers=2 hidden=16 heads=4 seq=8 batch=16 vocab=32 tied=on optimizer=sgd clip=0.1
strategy pipeline=2 + zero=2 + tp=2
verify iterations=2
model mlp layers=5 hidden=12 batch=30 dropout=0.1
strategy pipeline=2 schedule=zb-h2 micro=3 + ddp=2 + tp=2
verify iterations=2
strategy ddp=2 + zero=2 stage=3 accumulate=2 + tp=2
verify iterations=2

# P bytes, shards within a node of k = 4, copies on m = 2 nodes: 3(k-1)/k P over the links of a node, 2(m-1)/m P/k over the network
model mlp layers=8 hidden=16 batch=16
set gpus=4;  set nodes=2
strategy ddp=2 + fsdp=4
run 1
sync
let P = 8*16*16*4B
expect sent(nvlink) == 3*3/4*P and sent(nic) == 2*1/2*P/4
# what is in no block stays whole until backward: once less
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32
strategy ddp=2 + fsdp=4
run 1
sync
let E = (32+8+32)*16*4B;  let P = E+2*12*16*16*4B
expect sent(nvlink) == 3/4*(3*P-E) and sent(nic) == 2*1/2*P/4
model gpt seq=1 batch=9
expect error "a micro-batch with 3 tokens does not divide by tp=2" { strategy ddp=4 + tp sequence=on }
model mlp layers=8 hidden=16 batch=16
strategy ddp=2 + zero=4
run 1
sync
let P = 8*16*16*4B
expect sent(nvlink) == 2*3/4*P and sent(nic) == 2*1/2*P/4
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 capacity=1.25
strategy ddp=2 + experts=2 + tp=2
verify iterations=2
expect races == 0
