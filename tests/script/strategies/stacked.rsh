# two strategies on a 2 x 2 mesh, and three with an axis of size 1, train as one rank
# ranks 4
model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 vocab=32
strategy ddp=2 bucket=1k + tp=2
verify iterations=2
# a bucket holds this rank's parts of the gradients: of 16 x 16 by columns, half
expect bytes(dwq1) == 512B and bytes(dtable) == 2kB
expect races == 0
strategy zero=2 + tp=2
verify iterations=3
# a group is of this rank's parts: half of a block's matrices, and of them each rank keeps half
expect bytes(shard1_m) == 12*16*16*4B/2/2
expect races == 0
strategy tp=2 sequence=on + zero=2 stage=2 offload=host
verify iterations=2
strategy fsdp=2 + tp=2
verify iterations=2
expect races == 0
strategy fsdp=2 wrap=layer + tp=2 sequence=on accumulate=2
verify iterations=2
expect races == 0
strategy ddp=2 + fsdp=2
verify iterations=3
expect races == 0
strategy ddp=2 hook=f16 + zero=2 stage=2 accumulate=2
run 2
verify
strategy pipeline=2 + ddp=2 bucket=1M
verify iterations=3
expect races == 0
# a stage's bucket holds its own gradients: of two blocks, and the embedding's here, the head's there
@0-1 expect bytes(bucket1) == (2*12*16*16+32*16+8*16)*4B
@2-3 expect bytes(bucket1) == (2*12*16*16+16*32)*4B
strategy ddp=2 overlap=off + pipeline=2 schedule=gpipe recompute=full accumulate=2 micro=2
verify iterations=2
for s in h1 h2 auto {
	strategy pipeline=2 schedule=zb-$s + ddp=2
	verify iterations=2
	expect races == 0
}
strategy pipeline=2 schedule=interleaved chunks=2 + zero=2
verify iterations=2
expect races == 0
strategy zero=2 stage=2 + pipeline=2 schedule=zb-h1
verify iterations=2
strategy fsdp=2 + pipeline=2
verify iterations=2
expect races == 0
strategy pipeline=2 + tp=2
verify iterations=2
strategy pipeline=2 schedule=zb-h2 + tp=2 sequence=on
verify iterations=2
expect races == 0
strategy local=2 every=1 + pipeline=2 optimizer=sgd
verify iterations=2

# the two ends have one table: its gradients meet before they are averaged, or cut
model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 vocab=32 dtype=bf16 tied=on dropout=0.1
strategy ddp=2 + tp=2 sequence=on
verify iterations=2
strategy zero=2 + tp=2
verify iterations=2
strategy fsdp=2 wrap=layer + tp=2
verify iterations=2
model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 vocab=32 tied=on optimizer=sgd
strategy pipeline=2 + ddp=2
verify iterations=3
expect races == 0
strategy pipeline=2 schedule=interleaved chunks=2 + ddp=2 overlap=off
verify iterations=2
strategy pipeline=2 schedule=zb-h1 + zero=2 stage=2
verify iterations=2
expect races == 0
strategy pipeline=2 + fsdp=2 wrap=model
verify iterations=2
strategy pipeline=2 schedule=gpipe + tp=2 sequence=on
verify iterations=2

# an mlp; rows that do not come out even
model mlp layers=5 hidden=12 batch=26
strategy ddp=2 accumulate=3 + tp=2
verify iterations=2
strategy zero=2 stage=3 + tp=2
verify iterations=2
strategy ddp=2 + fsdp=2 wrap=layer offload=host accumulate=2
verify iterations=2
strategy pipeline=2 micro=3 accumulate=2 + ddp=2
verify iterations=2
strategy pipeline=2 schedule=zb-h1 + tp=2
verify iterations=2
strategy pipeline=2 schedule=interleaved chunks=2 + fsdp=2
verify iterations=2
model mlp layers=4 hidden=24 batch=12
strategy local=2 every=1 + tp=2
verify iterations=3
# a stage that ends between the two matrices of a pair sends a part of the columns
model mlp layers=2 hidden=4 batch=4
strategy pipeline=2 micro=2 + tp=2
verify iterations=2
model mlp layers=6 hidden=8 batch=9 optimizer=adam dropout=0.2
strategy tp=2 + pipeline=2 micro=3
verify iterations=2
expect races == 0
strategy pipeline=2 micro=4 schedule=interleaved chunks=2 + tp=2 layers=5
verify iterations=2
strategy pipeline=2 micro=4 schedule=zb-h1 + tp=2 recompute=full clip=0.1
verify iterations=2

expect error "zero and fsdp both shard parameters, gradients and optimizer state over dp_shard" { strategy zero=2 + fsdp=2 }
expect error "local and ddp both split the batch over dp" { strategy local=2 + ddp=2 }
expect error "local averages whole parameters" { strategy local=2 + zero=2 }
expect error "dataparallel does not stack" { strategy dataparallel=2 + tp=2 }
expect error "a pipeline with given times works alone" { strategy pipeline=2 F=2ms B=2ms W=2ms + ddp=2 }
expect error "serial does not stack: one rank holds the model" { strategy ddp + serial }
model gpt layers=4 hidden=16 heads=4 seq=9 batch=8
expect error "a micro-batch with 9 tokens does not divide by tp=2" { strategy pipeline=2 micro=8 + tp=2 sequence=on }

# what reads on the default stream behind an iteration finds what that leaves, and races with nothing
model mlp layers=4 hidden=16 batch=16
for s in ddp zero ps local gossip dataparallel {
	strategy $s
	run 2
	@0 let typed = loss[0]
	@0-2 { let typed = w1[0,0];  x = relu w1;  sync }
	expect races == 0
}
strategy pipeline
run 2
expect error "no tensor 'loss' on ranks 0-2 (rank 3 has it: `@3 ...`)" { print loss }
@3 let typed = loss[0]
@3 expect typed == loss[0]
strategy zero=2 + tp=2
run 2
let typed = loss[0] + w1[0,0]
expect races == 0
