# context beside other axes, and a ring of ulysses groups
# ranks 4
model gpt layers=2 hidden=16 heads=4 seq=16 batch=4 vocab=32
data synthetic count=400
strategy context ring=2 ulysses=2 recompute=full
verify iterations=2
expect races == 0
strategy context ulysses=2 balance=off accumulate=2
verify iterations=2
# a token of each sequence on each rank: of later ranks' blocks nothing is seen
strategy context seq=4
verify iterations=2
strategy context=2 + tp=2 sequence=on dropout=0.1
verify iterations=2
expect races == 0
strategy context=2 kind=ulysses + tp=2 recompute=selective
verify iterations=2
strategy ddp=2 + context=2 dtype=bf16 tied=on
verify iterations=2
expect races == 0
strategy fsdp=2 + context=2
verify iterations=2
expect races == 0
strategy pipeline=2 micro=2 + context=2
verify iterations=2
expect races == 0
model gpt layers=2 hidden=16 heads=4 seq=16 batch=4 vocab=32 experts=4 balance_loss=0
strategy experts=2 + context=2
verify iterations=2
expect races == 0
# beside what averages parameters: local by context's stream of buckets; one step of sgd between two averages is exact
model gpt layers=2 hidden=16 heads=4 seq=16 batch=4 vocab=32 optimizer=sgd
strategy context=2 + local=2 every=1
verify iterations=3
expect races == 0
strategy context=2 kind=ulysses + gossip=2
run 2
verify
expect races == 0
expect count(sendrecv) > 0
