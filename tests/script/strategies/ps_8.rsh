# parameter servers with one worker, and with seven whose parts of the batch are unequal
# ranks 2 8
model mlp layers=3 hidden=15 batch=25 optimizer=adam
strategy ps
verify iterations=2
model gpt layers=2 hidden=32 heads=4 seq=8 batch=9 dtype=bf16 tied=on
strategy ps shards=world//2
verify iterations=2
