# a model trains with its defaults: each optimizer has its own learning rate
# ranks 2
for o in sgd adam {
	model mlp layers=3 hidden=64 batch=16 optimizer=$o
	data synthetic count=16
	strategy ddp
	run 60
	expect loss[0] < 0.7            # one that answers 0 has 1
	model gpt layers=2 hidden=32 heads=4 seq=16 batch=8 optimizer=$o
	data synthetic count=129
	strategy ddp
	run 20
	expect loss[0] < 2              # ln 64 is 4.2
}
# sequences of one token: the target is the next one all the same
model gpt layers=1 hidden=8 heads=4 seq=1 batch=2
data synthetic count=8
strategy ddp
verify iterations=4
# said before the optimizer or behind it, a rate that is given is taken
model mlp layers=1 hidden=8 batch=4 lr=1e-30 optimizer=adam
data synthetic count=4
strategy serial
run 1
@0 let before = loss[0]
run 3
@0 expect loss[0] == before
