# context trains as one rank, by a ring and by ulysses
# ranks 2 4
model gpt layers=2 hidden=16 heads=4 seq=16 batch=3 vocab=32
data synthetic count=400
strategy context
verify iterations=3
expect races == 0
strategy context balance=off overlap=off recompute=full
verify iterations=2
expect races == 0
strategy context kind=ulysses bucket=1k
verify iterations=2
expect races == 0
# micro-batches of different sizes
model gpt layers=1 hidden=12 heads=4 seq=20 batch=5 vocab=11 optimizer=sgd dropout=0.1
data synthetic count=400
strategy context accumulate=2
verify iterations=2
expect races == 0
model gpt layers=1 hidden=16 heads=4 seq=8 batch=4 vocab=32 dtype=bf16 tied=on dropout=0.1
data synthetic count=400
strategy context accumulate=3
verify iterations=2
strategy context kind=ulysses
verify iterations=2
expect races == 0

expect error "a rank's heads=1 do not divide by ulysses" { strategy context kind=ulysses heads=1 }
expect error "dropout=0.1 needs tokens in stripes" { strategy context balance=off dropout=0.1 }
model mlp batch=8
expect error "an mlp has no attention" { strategy context }
