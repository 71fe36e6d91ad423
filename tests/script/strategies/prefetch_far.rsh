# parameters gathered ahead in a pipeline come after the optimizer's step, with every schedule, when
# prefetch= reaches as far as a stage has layers
# ranks 4
model gpt layers=8 hidden=8 heads=2 seq=4 batch=8 vocab=8
for ahead in 3:5 {
	for wrap in block layer {
		strategy pipeline=2 + fsdp=2 wrap=$wrap prefetch=ahead
		verify iterations=2
		strategy pipeline=2 schedule=interleaved chunks=2 + fsdp=2 wrap=$wrap prefetch=ahead
		verify iterations=2
		strategy pipeline schedule=zb-v-4.csv micro=8 chunks=2 + fsdp=1 wrap=$wrap prefetch=ahead
		verify iterations=2
		expect races == 0
	}
}
