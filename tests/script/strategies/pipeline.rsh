# pipeline trains as one rank, in every order; uneven layers, tied ends, half precision
# ranks 1 2 3 4 8
model mlp layers=8 hidden=16 batch=8
strategy pipeline schedule=gpipe micro=4
verify iterations=2
for s in h1 h2 auto {
	strategy pipeline schedule=zb-$s micro=4
	verify iterations=2
	expect races == 0
}
strategy pipeline micro=4
verify iterations=2
strategy pipeline schedule=1f1b micro=4 recompute=full
verify iterations=2
expect races == 0
model gpt layers=6 hidden=16 heads=2 batch=8 seq=8 tied=on
strategy pipeline schedule=gpipe micro=8
verify iterations=2
for s in h1 h2 auto {
	strategy pipeline schedule=zb-$s micro=8
	verify iterations=2
	expect races == 0
}
strategy pipeline schedule=1f1b micro=8
verify iterations=2
strategy pipeline schedule=zb-auto limit=2 micro=8
verify iterations=2
strategy pipeline schedule=gpipe micro=2 recompute=full
verify iterations=2
expect races == 0
model gpt layers=14 hidden=16 heads=2 batch=24 seq=8 tied=off optimizer=adam lr=0.001
strategy pipeline schedule=interleaved micro=24 chunks=2
verify iterations=2
expect races == 0
model mlp layers=9 hidden=16 batch=8 dtype=bf16
strategy pipeline micro=8 schedule=zb-h1
verify iterations=2

# recompute, where W needs what B has computed again
model gpt layers=6 hidden=16 heads=2 batch=8 seq=8 tied=on optimizer=sgd lr=0.1
for s in h1 h2 auto {
	strategy pipeline schedule=zb-$s micro=8 recompute=full
	verify iterations=2
	expect races == 0
}
strategy pipeline schedule=zb-auto micro=8 recompute=full limit=2
verify iterations=2
expect races == 0

# several rounds before the optimizer, and rows that do not come out even
strategy pipeline micro=2 accumulate=3
verify iterations=2
expect races == 0
model gpt layers=6 hidden=16 heads=2 batch=13 seq=8 dropout=0.1 optimizer=sgd lr=0.1
strategy pipeline schedule=zb-h2 micro=4 accumulate=2
verify iterations=2
expect races == 0
strategy pipeline schedule=zb-h1 micro=5 recompute=full
verify iterations=2
expect races == 0
model mlp layers=8 hidden=16 batch=23 dtype=bf16
strategy pipeline schedule=gpipe micro=9 accumulate=2 recompute=full
verify iterations=2
expect races == 0
model mlp layers=16 hidden=16 batch=35
strategy pipeline schedule=interleaved chunks=2 micro=24
verify iterations=2
expect races == 0
