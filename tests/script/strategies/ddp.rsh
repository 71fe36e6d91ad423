# ddp trains as one rank, on any number of ranks; its bytes, and what overlap hides
# ranks 1 2 3 4 8
model mlp layers=3 hidden=16 batch=24
strategy ddp bucket=1k
run 2
verify
strategy ddp bucket=100k overlap=off accumulate=3
verify iterations=2
model mlp layers=2 hidden=16 batch=25 optimizer=adam lr=0.01
strategy ddp accumulate=2
verify iterations=3
model mlp layers=2 hidden=16 batch=16 dtype=bf16
strategy ddp bucket=512
verify iterations=3
model gpt layers=2 hidden=16 heads=2 batch=9 seq=8 tied=on
data text README.md
strategy ddp bucket=2k
verify iterations=2

## 2(n-1)/n of the gradients' bytes a rank, one message a bucket
data synthetic
model mlp layers=8 hidden=256 batch=64
strategy ddp bucket=512k
run 1
mark one
run 1
sync
expect count(allreduce,one) == 4
let gradients = 8*256*256*4B
expect world == 1 or world == 3 or sent(nvlink,one) == 2*(world-1)/world*gradients
expect world != 3 or abs(sent(nvlink,one) - 4/3*gradients) < 4*2*4B       # thirds of whole elements

# ... of the size that is given, the first one too
model mlp layers=6 hidden=512 batch=8
strategy ddp bucket=3M
run 1
mark large
run 1
sync
expect count(allreduce,large) == 2

## lossy hooks converge, and say how far they are
model mlp layers=2 hidden=16 batch=32
data synthetic count=32
for h in f16 bf16 int8 topk {
	strategy ddp hook=$h k=25%
	run 1
	let before = loss[0]
	run 20
	expect loss[0] < before
	verify
}
# a hook's names are none of the model's, which backward still needs while the first buckets travel
model gpt layers=3 hidden=16 heads=2 seq=8 batch=24
data synthetic count=512
for h in f16 bf16 int8 topk {
	strategy ddp hook=$h bucket=2k
	run 1
	sync
	let before = loss[0]
	run 12
	expect loss[0] < before
	expect races == 0
}
# a bucket that no integer holds is one for everything
model mlp layers=2 hidden=16 batch=16
strategy ddp bucket=1e300
run 1
