# synchronous parameter servers train as one rank; barriers order puts (times: ps.rsh)
# ranks 4
model mlp layers=3 hidden=16 batch=25
strategy ps accumulate=2
verify iterations=3
model mlp layers=3 hidden=16 batch=24 dtype=bf16 optimizer=adam
strategy ps shards=2
verify iterations=3
model gpt layers=2 hidden=32 heads=4 seq=16 batch=6 tied=on
strategy ps shards=2
verify iterations=2
