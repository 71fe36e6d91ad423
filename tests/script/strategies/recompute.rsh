# recompute: backward recomputes the same activations, with dropout too, in every strategy
# ranks 2 4
for r in selective full {
	model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 dropout=0.1 recompute=$r
	strategy serial
	verify
	strategy ddp accumulate=2
	verify iterations=2
	strategy dataparallel
	verify
	strategy zero stage=3 offload=host
	verify iterations=2
	strategy fsdp wrap=layer
	verify iterations=2
	strategy fsdp wrap=block prefetch=2 accumulate=2
	verify iterations=2
	strategy tp
	verify iterations=2
	strategy tp sequence=on accumulate=2
	verify iterations=2
	expect races == 0
	model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 dropout=0.1 dtype=bf16 tied=on recompute=$r
	strategy pipeline schedule=zb-h2 micro=8
	verify iterations=2
	strategy pipeline schedule=gpipe micro=3
	verify iterations=2
	expect races == 0
}
# an mlp's pairs of layers, of which a stage may have one layer
model mlp layers=11 hidden=16 batch=16 dropout=0.2 recompute=full
strategy fsdp wrap=layer
verify iterations=2
strategy tp
verify iterations=2
for s in h1 h2 {
	strategy pipeline schedule=zb-$s micro=8
	verify iterations=2
	expect races == 0
}
strategy pipeline micro=8
verify iterations=2
strategy pipeline schedule=interleaved micro=8 chunks=2
verify iterations=2
expect races == 0

# a strategy's line sets the model's option, for this program; full gathers nothing more under fsdp, and computes forward again under a phase of its own
model gpt layers=2 hidden=64 heads=4 seq=16 batch=8
strategy fsdp
run 1
sync
expect count(allgather) == 5 and count(matmul) == 40 and count(attention) == 2
strategy fsdp recompute=full
run 1
sync
expect count(allgather) == 5 and count(matmul) == 40+2*5 and count(attention) == 2+2   # q k v o and up, but not down: its result has been read
expect error "recompute=some" { strategy ddp recompute=some }
