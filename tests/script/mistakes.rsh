# what a newcomer types wrong in the first five minutes, and the answers
tensor x[256,256] w[256,256] = randn seed=1
tensor v[128,64] = 0
tensor h[4] pinned = 1
y = matmul x w
stream io compute
event loaded
say "ready"
#> ready
y = matmul(x, w)
#> tests/script/mistakes.rsh:10: write: y = matmul x w
x = torch.randn(64, 64)
#> tests/script/mistakes.rsh:12: here: tensor x[64,64] = randn
n = 4
#> tests/script/mistakes.rsh:14: to set a variable, write: let n = 4
y
#> tests/script/mistakes.rsh:16: y is a tensor: `print y` (the program reads it: the host waits) or `peek y` (you look; nothing waits)
matmul x w
#> tests/script/mistakes.rsh:18: matmul gives a result: NAME = matmul x w
dist.all_reduce(y)
#> tests/script/mistakes.rsh:20: here: allreduce y
allreduce y on comm
#> tests/script/mistakes.rsh:22: no stream 'comm' on ranks 0-3 (streams: default io compute). `stream comm` makes it
cudaStreamSynchronize(io)
#> tests/script/mistakes.rsh:24: here: sync io
y = matmul x v
#> tests/script/mistakes.rsh:26: v is [128,64], x is [256,256]: matmul needs [256,256] x [256,any]
@4 print y
#> tests/script/mistakes.rsh:28: no rank 4: ranks are 0-3
send y to=(rank+1) % world
#> tests/script/mistakes.rsh:30: '%' is a separate word here: write to=(rank+1)%world, or to=((rank+1) % world)
wait laoded on compute
#> tests/script/mistakes.rsh:32: no event or stream 'laoded'; did you mean 'loaded'?
# and some more
copy x -> v
#> tests/script/mistakes.rsh:35: copy: x is [256,256], v is [128,64]: a copy needs the same shape
copy x -> z
#> tests/script/mistakes.rsh:37: no tensor 'z' on ranks 0-3. `tensor z[64,64]` makes one
y = relu laoded
#> tests/script/mistakes.rsh:39: no tensor 'laoded' on ranks 0-3. `tensor laoded[64,64]` makes one
y = relu x x
#> tests/script/mistakes.rsh:41: relu takes 1 tensor, not 2: y = relu x
y z = relu x
#> tests/script/mistakes.rsh:43: relu gives 1 result, not 2: y = relu x
send y to=4
#> tests/script/mistakes.rsh:45: send: to=4 on rank 0: in the group, ranks are 0-3
send y
#> tests/script/mistakes.rsh:47: send needs to=RANK: send TENSOR to=RANK [on STREAM] [in GROUP]
sgd x
#> tests/script/mistakes.rsh:49: sgd takes 2 tensors, not 1: sgd w dw lr=NUMBER
sgd x w
#> tests/script/mistakes.rsh:51: sgd needs lr (learning rate): sgd w dw lr=NUMBER
host 3
#> tests/script/mistakes.rsh:53: host: 3 has no unit; a time needs one, as in 3ms
spin 3
#> tests/script/mistakes.rsh:55: spin: 3 has no unit; a time needs one, as in 3ms
spin
#> tests/script/mistakes.rsh:57: spin needs time (the duration): spin TIME, or y = spin TIME x
diff a b
#> tests/script/mistakes.rsh:59: no section 'a': `mark a` before the lines begins one
mesh a=3
#> tests/script/mistakes.rsh:61: mesh: the sizes multiply to 3, but there are 4 ranks
set lunch=3us
#> tests/script/mistakes.rsh:63: a machine has no number 'lunch'; did you mean 'launch'?
machine clasroom
#> tests/script/mistakes.rsh:65: no machine 'clasroom'; did you mean 'classroom'? (there are: classroom dgx-a100-128 dgx-a100-2 dgx-a100 dgx-h100-128 dgx-h100-2 dgx-h100 hgx-h200-128 hgx-h200-2 hgx-h200 pcie-4gpu)
z = shard v dim=2
#> tests/script/mistakes.rsh:67: shard: dim=2, and v has the dimensions 0-1
z = reshape v [3,3]
#> tests/script/mistakes.rsh:69: reshape: v is [128,64], 8192 elements; [3,3] has 9
launch nothing
#> tests/script/mistakes.rsh:71: no graph 'nothing': `capture nothing { ... }` makes it
help sycn
#> tests/script/mistakes.rsh:73: no command or word 'sycn'; did you mean 'sync'?
stream io
#> tests/script/mistakes.rsh:75: 'io' is already a stream: choose another name
free x[0]
#> tests/script/mistakes.rsh:77: free needs whole tensors: free x
y = relu h
#> tests/script/mistakes.rsh:79: relu: h is in pinned host memory, and a GPU works on device memory: copy h -> a tensor on the device first
allreduce y op=mean
#> tests/script/mistakes.rsh:81: allreduce: 'op=mean' is none of: sum avg max min
allreduce y op=smu
#> tests/script/mistakes.rsh:83: allreduce: 'op=smu' is none of: sum avg max min; did you mean 'op=sum'?
broadcast y root=7
#> tests/script/mistakes.rsh:85: broadcast: root=7: in the group, ranks are 0-3
gather y root=0
#> tests/script/mistakes.rsh:87: gather gives a result: NAME = gather y
timeline nothing
#> tests/script/mistakes.rsh:89: no section 'nothing': `mark nothing` before the lines begins one (it is not a stream or a time either)
group g 0-1 1-2
#> tests/script/mistakes.rsh:91: group: rank 1 is in two of its parts
query nothing
#> tests/script/mistakes.rsh:93: no event or stream 'nothing' on ranks 0-3. `event nothing` makes it
save y
#> tests/script/mistakes.rsh:95: save needs FILE.npy: save TENSOR FILE.npy [force] [on STREAM]
export nothing
#> tests/script/mistakes.rsh:97: export nothing: a file's ending chooses its format: .svg .html .csv .txt .json
slow 0
#> tests/script/mistakes.rsh:99: slow: the factor must be from 0.01x to 1000x (1x: as fast as the others)
v v = topk x k=1
#> tests/script/mistakes.rsh:101: topk: two results have the same name
a b c d e f = topk x k=1
#> tests/script/mistakes.rsh:103: topk gives 2 results, not 6: v i = topk x k=NUMBER
y = topk x k=1
#> tests/script/mistakes.rsh:105: topk gives 2 results, not 1: v i = topk x k=NUMBER
allreduce y op=summ
#> tests/script/mistakes.rsh:107: allreduce: 'op=summ' is none of: sum avg max min; did you mean 'op=sum'?
stream z priority=hihg
#> tests/script/mistakes.rsh:109: stream: 'priority=hihg' is none of: high normal; did you mean 'priority=high'?
stream z priority=hi
#> tests/script/mistakes.rsh:111: stream: 'priority=hi' is none of: high normal
for how in amx { allreduce y op=$how }
#> tests/script/mistakes.rsh:113 (how=amx): allreduce: 'op=amx' is none of: sum avg max min; did you mean 'op=max'?
allreduce y opp=sum
#> tests/script/mistakes.rsh:115: allreduce has no option 'opp'; did you mean 'op'?
set launch=fast
#> tests/script/mistakes.rsh:117: set: 'launch=fast': a number was expected (`machine` lists them with their units)
mesh a=b
#> tests/script/mistakes.rsh:119: mesh: 'a=b': a number of ranks was expected
send y to=abc
#> tests/script/mistakes.rsh:121: to=abc: no variable 'abc'. `let abc = ...` makes it
tensor z[4] pinnd = 1
#> tests/script/mistakes.rsh:123: tensor pinnd needs a shape: tensor pinnd[64,64]; or did you mean 'pinned'?
tensor z[4] = randm
#> tests/script/mistakes.rsh:125: tensor ... = randm: neither a source (zeros ones randn uniform iota load) nor a variable; did you mean 'randn'?
y = spin 2ms
#> tests/script/mistakes.rsh:127: spin takes 1 tensor, not 0: spin TIME, or y = spin TIME x
step into
#> tests/script/mistakes.rsh:129: step [N] | step in | step back [N] | step 0: no variable 'into'. `let into = ...` makes it
strategy ddp=1+tp=2
#> tests/script/mistakes.rsh:131: 'ddp=1+tp=2': the + needs blanks around it: ddp=1 + tp=2
tensor x[4] disk pinned
#> tests/script/mistakes.rsh:133: tensor: 'disk' and 'pinned': a tensor has one space
tensor x[4] bf16 f16
#> tests/script/mistakes.rsh:135: tensor: 'bf16' and 'f16': a tensor has one type
model gpt lr=inf
#> tests/script/mistakes.rsh:137: model gpt: lr=inf: a finite number was expected
model gpt loss_scale=dynamic init_scale=inf
#> tests/script/mistakes.rsh:139: model gpt: init_scale=inf: a finite number was expected
model gpt experts=4 capacity=1e9
#> tests/script/mistakes.rsh:141: strategies/models/gpt.rsh:40: capacity=1000000000 is above 4, at which an expert has room for all tokens
loader decode=-1ms
#> tests/script/mistakes.rsh:143: loader: decode: -1.00 ms: a time from 0 to 30 years was expected
loader of
#> tests/script/mistakes.rsh:145: loader: 'of' was not expected; did you mean 'off'? loader workers=N [prefetch=N] [read=RATE] [decode=TIME] | loader on|off
