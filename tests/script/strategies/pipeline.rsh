# pipeline: as one rank, in every order; layers that do not come out even, tied ends, half precision
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
strategy pipeline schedule=1f1b micro=4 recompute=on
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
strategy pipeline schedule=gpipe micro=2 recompute=on
verify iterations=2
expect races == 0
model gpt layers=14 hidden=16 heads=2 batch=24 seq=8 tied=off optimizer=adam lr=0.001
strategy pipeline schedule=interleaved micro=24 chunks=2
verify iterations=2
expect races == 0
model mlp layers=9 hidden=16 batch=8 dtype=bf16
strategy pipeline micro=8 schedule=zb-h1
verify iterations=2
for s in h1 h2 auto {
	expect error { strategy pipeline micro=8 schedule=zb-$s recompute=on }
}
