# experts with other strategies on a mesh train as one rank, with a capacity and without
# ranks 4
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4
strategy experts=2 + ddp=2 bucket=2k
verify iterations=2
expect races == 0
strategy experts=2 + tp=2
verify iterations=2
expect races == 0
strategy zero=2 + experts=2 accumulate=2
verify iterations=2
expect races == 0
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 capacity=1.25 optimizer=sgd tied=on
strategy ddp=2 + experts=2 accumulate=2
verify iterations=2
strategy tp=2 + experts=2
verify iterations=2
strategy fsdp=2 + experts=2
verify iterations=2
expect races == 0
strategy pipeline=2 micro=2 + experts=2
verify iterations=2
expect races == 0
# a group of half a block: experts are gathered behind the norm, and again for backward; few tokens, so that an expert may get none
model gpt layers=2 hidden=8 heads=2 seq=4 batch=8 vocab=8 experts=4
for recompute in none selective full {
	strategy fsdp wrap=layer recompute=$recompute
	verify iterations=2
	expect races == 0
}
strategy fsdp=2 wrap=layer reshard=off prefetch=0 + experts=2
verify iterations=2
strategy fsdp=2 wrap=layer offload=optimizer:nvme,params:host,gradients:host + tp=2 sequence=on
verify iterations=2
strategy pipeline=2 capacity=1.25 + fsdp=2 wrap=layer
verify iterations=2
expect races == 0
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 balance_loss=0
strategy context=2 + experts=2
verify iterations=2
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 dtype=bf16 optimizer=sgd
strategy experts=2 + ddp=2
verify iterations=1
strategy experts=2 + tp=2
verify iterations=1
# norms and residuals cut by tokens; one norm of all gradients, of which experts have their own
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 optimizer=sgd clip=0.1 dropout=0.1
strategy experts=2 + tp=2 sequence=on
verify iterations=2
expect gradient_norm[0] > 0.1
expect races == 0
