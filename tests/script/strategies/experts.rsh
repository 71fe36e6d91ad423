# experts train as one rank, with each kind of routing and in stacks
# ranks 2 4
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4
strategy experts
verify iterations=3
expect races == 0
expect sum(dropped) == 0 and sum(routed) == 3*2*2*8*8/world
# 4 or 2 tokens a rank and 8 experts: some get none
model gpt layers=1 hidden=16 heads=4 seq=2 batch=4 vocab=16 experts=8 top=1 optimizer=sgd
strategy experts
verify iterations=3
# places for half of them: at least as many are dropped, and what they lack is what one rank's lack
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 top=1 capacity=0.5 optimizer=sgd balance_loss=1
strategy experts accumulate=2
verify iterations=3
expect sum(dropped) >= sum(routed)/2 and sum(routed) == 3*8*8/world
expect races == 0
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 capacity=1.25 dropout=0.1 tied=on
strategy experts recompute=full
verify iterations=2
expect races == 0
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 dtype=bf16 optimizer=sgd capacity=1.25
strategy experts recompute=selective
verify iterations=1
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 dtype=f16 top=3
strategy experts
verify iterations=2
# rows that do not come out even, where the data counts them
model gpt layers=1 hidden=16 heads=4 seq=8 batch=9 vocab=16 experts=4
strategy experts accumulate=2
verify iterations=2
# without the strategy a model with experts is trained in the same parts too
model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=2 capacity=1
strategy ddp accumulate=2
verify iterations=2
strategy tp
verify iterations=2
strategy pipeline micro=2 schedule=zb-h1 recompute=selective
verify iterations=2
expect races == 0
