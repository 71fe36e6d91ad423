# four pairs: ddp over tp, as one rank trains
# ranks 8
model gpt layers=1 hidden=16 heads=4 seq=8 batch=8 vocab=32
strategy ddp=4 + tp=2
verify iterations=2
strategy ddp=2 + tp=4
verify iterations=2
