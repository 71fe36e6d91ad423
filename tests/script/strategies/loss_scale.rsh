# loss_scale=dynamic: an overflow on any rank skips the step on all and halves the scale
# ranks 2 4
# scaler: the scale, good steps since it changed, steps
model mlp layers=4 hidden=16 batch=8 dtype=f16 optimizer=adam loss_scale=dynamic init_scale=1e9 growth_interval=3
strategy ddp
run 1
sync
let begin = norm(w1)
expect scaler[0] == 5e8 and scaler[1] == 0 and scaler[2] == 0
run 1
sync
expect scaler[0] == 2.5e8 and scaler[2] == 0 and norm(w1) == begin
run 18
sync
expect scaler[0] < 1e8 and scaler[2] > 3 and norm(w1) != begin and norm(w1) < 100
# good steps double it
model mlp layers=4 hidden=16 batch=8 dtype=f16 loss_scale=dynamic init_scale=256 growth_interval=3
strategy zero stage=2
run 4
sync
expect scaler[0] == 512 and scaler[1] == 1 and scaler[2] == 4
verify

# an overflow in what rank 1 alone steps: everybody leaves the step out
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 dtype=f16 loss_scale=dynamic init_scale=256
strategy zero stage=1
def before_update { replaced;  if it == 1 { wait comm on compute;  @1 fill dshard1[0:1] inf } }
run 1
sync
let before = norm(shard1_f32)
run 1
sync
expect scaler[0] == 128 and scaler[1] == 0 and scaler[2] == 1
expect norm(shard1_f32) == before
run 1
sync
expect norm(shard1_f32) != before and scaler[2] == 2
expect races == 0

# and where a rank that steps would wait for the others
for s in gossip local {
	model mlp layers=2 hidden=16 batch=8 dtype=f16 loss_scale=dynamic init_scale=256
	strategy $s
	def before_update { replaced;  if it == 0 { @1 fill dw1[0:1] inf } }
	run 2
	sync
	expect scaler[0] == 128 and scaler[2] == 1
}
for s in fsdp tp dataparallel pipeline {
	model gpt layers=4 hidden=16 heads=4 seq=8 batch=8 dtype=f16 tied=on optimizer=adam loss_scale=dynamic init_scale=512 growth_interval=2
	strategy $s
	verify iterations=3
	expect races == 0
}
expect error "not a number above 0, nor dynamic" { model gpt loss_scale=0 }
expect error "loss_scale=foo: dynamic or a number was expected" { model gpt loss_scale=foo }
expect error "loss_scale=foo: dynamic or a number was expected" { model mlp loss_scale=foo }

# with offload the gradients go down when it is known that the step is not left out
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 dtype=f16 loss_scale=dynamic init_scale=1e7 clip=0.1
strategy zero offload=host
run 3
expect races == 0
