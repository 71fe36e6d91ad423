# every strategy trains as one rank, in every type; the optimizer amplifies small gradients
# ranks 1 3 8
for t in f32 bf16 f16 {
	model mlp layers=8 hidden=24 batch=24 dtype=$t optimizer=adam
	data synthetic count=100
	strategy dataparallel
	verify iterations=3
	strategy ddp bucket=2k accumulate=2
	verify iterations=2
	strategy zero stage=3 offload=host
	verify iterations=2
	strategy tp accumulate=2
	verify
	strategy pipeline schedule=zb-h2 micro=8
	verify iterations=3
	model gpt layers=4 hidden=24 heads=24 seq=4 batch=12 vocab=11 dtype=$t tied=on
	data synthetic count=400
	strategy ddp overlap=off
	verify iterations=2
	strategy zero stage=2
	verify iterations=3
	strategy fsdp reshard=off prefetch=2
	verify iterations=2
	strategy tp sequence=on
	verify iterations=2
}
