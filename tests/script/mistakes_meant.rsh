# lines refused as a whole: habits from PyTorch, CUDA, MPI or Slurm, and the answers
tensor x[64,64] w[64,64] v[64] = randn
tensor h[64,64] pinned
stream compute io
y = matmul x w
say "ready"
#> ready
ranks 8
#> tests/script/mistakes_meant.rsh:8: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
ranks
#> tests/script/mistakes_meant.rsh:10: `print rank`: a rank's number; `print world`: how many there are; `@1 ...`: a line for rank 1 alone
set ranks=8
#> tests/script/mistakes_meant.rsh:12: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
world 8
#> tests/script/mistakes_meant.rsh:14: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
world
#> tests/script/mistakes_meant.rsh:16: world is a group: `allreduce g in world`
reset -n 8
#> tests/script/mistakes_meant.rsh:18: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
reset ranks=8
#> tests/script/mistakes_meant.rsh:20: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
ranksh -n 8
#> tests/script/mistakes_meant.rsh:22: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
y = x * 2
#> tests/script/mistakes_meant.rsh:24: a kernel's line is NAME = KERNEL IN ...: y = scale x 2; a variable's: let y = x * 2
z = 2 * x
#> tests/script/mistakes_meant.rsh:26: a kernel's line is NAME = KERNEL IN ...: z = scale x 2; a variable's: let z = 2 * x
y = x + w
#> tests/script/mistakes_meant.rsh:28: a kernel's line is NAME = KERNEL IN ...: y = add x w; a variable's: let y = x + w
y = x / w
#> tests/script/mistakes_meant.rsh:30: a kernel's line is NAME = KERNEL IN ...: y = div x w; a variable's: let y = x / w
x.shape
#> tests/script/mistakes_meant.rsh:32: here: tensors, which lists each one's shape, type and memory
x.grad
#> tests/script/mistakes_meant.rsh:34: a gradient is a separate tensor, written by a kernel's _grad: `tensors` lists them
print x.shape
#> tests/script/mistakes_meant.rsh:36: here: tensors, which lists each one's shape, type and memory
x = x.to(device)
#> tests/script/mistakes_meant.rsh:38: here: copy h -> x on S
for i in 1..4 { }
#> tests/script/mistakes_meant.rsh:40: a range is written 1:4, and leaves its end out: for i in 1:4 { }
let k = 1..4
#> tests/script/mistakes_meant.rsh:42: a range is written 1:4, and leaves its end out: for i in 1:4 { }
forward(0)
#> tests/script/mistakes_meant.rsh:44: no command 'forward'; a def is called without brackets: forward 0
foo(1, 2)
#> tests/script/mistakes_meant.rsh:46: no command 'foo'; a def is called without brackets: foo 1 2
with torch.cuda.stream(s):
#> tests/script/mistakes_meant.rsh:48: here: on S { }, with lines between the braces
with torch.no_grad():
#> tests/script/mistakes_meant.rsh:50: here: nothing: gradients and types are separate lines
rank
#> tests/script/mistakes_meant.rsh:52: `print rank`: a rank's number; `print world`: how many there are; `@1 ...`: a line for rank 1 alone
save session.rsh
#> tests/script/mistakes_meant.rsh:54: `journal save session.rsh` writes the lines that you typed; `ranksh --resume` opens the last session again; `save x x.npy` writes a tensor, `checkpoint to=PREFIX` the training
save
#> tests/script/mistakes_meant.rsh:56: `journal save session.rsh` writes the lines that you typed; `ranksh --resume` opens the last session again; `save x x.npy` writes a tensor, `checkpoint to=PREFIX` the training
load session.rsh
#> tests/script/mistakes_meant.rsh:58: here: source F.rsh
resume
#> tests/script/mistakes_meant.rsh:60: `ranksh --resume`, at the system's prompt, opens the last session again; `resume from=PREFIX` goes on from a checkpoint; `journal` lists the lines typed
task
#> tests/script/mistakes_meant.rsh:62: `check` shows what is missing, `hint` helps; `lesson 1` opens a lesson anew, in an empty world
lesson 7 3
#> tests/script/mistakes_meant.rsh:64: a task follows its lesson and a point: `lesson 7.3`; `lesson 7` is its first
lesson task 3
#> tests/script/mistakes_meant.rsh:66: a task follows its lesson and a point: `lesson 7.3`; `lesson 7` is its first
timeline > t.txt
#> tests/script/mistakes_meant.rsh:68: a line's output cannot go to a file: `ranksh -n 4 F.rsh > t.txt` saves a script's output, `export` the timeline
stats > t.txt
#> tests/script/mistakes_meant.rsh:70: a line's output cannot go to a file: `ranksh -n 4 F.rsh > t.txt` saves a script's output, `export` the timeline
clear
#> tests/script/mistakes_meant.rsh:72: here: Ctrl-L clears the screen; reset empties the ranks
dist.send(x, dst=1)
#> tests/script/mistakes_meant.rsh:74: write: send x to=1
dist.recv(x, src=0)
#> tests/script/mistakes_meant.rsh:76: write: recv x from=0
dist.broadcast(x, src=0)
#> tests/script/mistakes_meant.rsh:78: write: broadcast x root=0
dist.reduce(x, dst=0)
#> tests/script/mistakes_meant.rsh:80: write: reduce x root=0
program 12
#> tests/script/mistakes_meant.rsh:82: `program` lists the steps; `step` plays the next one, `step 5` five, `step in` shows all that it did
y1 = x w
#> tests/script/mistakes_meant.rsh:84: no command or kernel 'x'; a product of two tensors: y1 = matmul x w
pause
#> tests/script/mistakes_meant.rsh:86: a script cannot wait for a key; `host 2ms`: the host computes for that time; `pace 1s`: slow enough to watch
session
#> tests/script/mistakes_meant.rsh:88: `ranksh --resume`, at the system's prompt, opens the last session again; `resume from=PREFIX` goes on from a checkpoint; `journal` lists the lines typed
explain compute.wait_event(io)
#> tests/script/mistakes_meant.rsh:90: explain: 'compute.wait_event(io)' was not expected: explain on|off
compute.wait_event(io)
#> tests/script/mistakes_meant.rsh:92: here: wait io on compute
compute.wait_stream(io)
#> tests/script/mistakes_meant.rsh:94: here: wait io on compute
model
#> tests/script/mistakes_meant.rsh:96: here: model gpt, or model mlp; `model gpt help` has its options
model bert
#> tests/script/mistakes_meant.rsh:98: here: model gpt, or model mlp; `model gpt help` has their sizes
train
#> tests/script/mistakes_meant.rsh:100: `strategy ddp` writes a program that trains, `run 20` plays twenty iterations
ncclAllReduce(x, y, 64, ncclFloat, ncclSum, comm, stream)
#> tests/script/mistakes_meant.rsh:102: here: allreduce x
cudaMemcpyAsync(x, h, 64, cudaMemcpyHostToDevice, io)
#> tests/script/mistakes_meant.rsh:104: here: copy h -> x on S
cudaLaunchKernel(f)
#> tests/script/mistakes_meant.rsh:106: a kernel is a line: y = relu x on S (help kernels)
kernel<<<1, 256, 0, io>>>(x)
#> tests/script/mistakes_meant.rsh:108: a kernel is a line: y = relu x on S (help kernels)
MPI_Send(x, 64, MPI_FLOAT, 1, 0, MPI_COMM_WORLD)
#> tests/script/mistakes_meant.rsh:110: here: send x to=1
MPI_Comm_rank(MPI_COMM_WORLD, &rank)
#> tests/script/mistakes_meant.rsh:112: here: rank
MPI_Comm_size(MPI_COMM_WORLD, &size)
#> tests/script/mistakes_meant.rsh:114: here: world
MPI_Init(&argc, &argv)
#> tests/script/mistakes_meant.rsh:116: here: nothing: the ranks are there
srun -n 8 ranksh
#> tests/script/mistakes_meant.rsh:118: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
sbatch job.sh
#> tests/script/mistakes_meant.rsh:120: a scheduler's commands are the system's: `mpirun -n 8 ranksh F.rsh` runs a script under it
squeue
#> tests/script/mistakes_meant.rsh:122: a scheduler's commands are the system's: `mpirun -n 8 ranksh F.rsh` runs a script under it
salloc -N 2
#> tests/script/mistakes_meant.rsh:124: a scheduler's commands are the system's: `mpirun -n 8 ranksh F.rsh` runs a script under it
torchrun --nproc_per_node=4 train.py
#> tests/script/mistakes_meant.rsh:126: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
python train.py
#> tests/script/mistakes_meant.rsh:128: Python does not run here: `strategy ddp` trains a model, `source F.rsh` runs a file of lines
pip install torch
#> tests/script/mistakes_meant.rsh:130: Python does not run here: `strategy ddp` trains a model, `source F.rsh` runs a file of lines
deepspeed train.py
#> tests/script/mistakes_meant.rsh:132: Python does not run here: `strategy ddp` trains a model, `source F.rsh` runs a file of lines
megatron
#> tests/script/mistakes_meant.rsh:134: Python does not run here: `strategy ddp` trains a model, `source F.rsh` runs a file of lines
nsys profile ranksh
#> tests/script/mistakes_meant.rsh:136: the trace is there: timeline, view, stats, stalls; `export t.json` writes it for Perfetto
ncu
#> tests/script/mistakes_meant.rsh:138: the trace is there: timeline, view, stats, stalls; `export t.json` writes it for Perfetto
nvidia-smi
#> tests/script/mistakes_meant.rsh:140: here: stats, mem
nvprof
#> tests/script/mistakes_meant.rsh:142: no command 'nvprof' (`help` shows them; `def nvprof { }` makes one)
htop
#> tests/script/mistakes_meant.rsh:144: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
top
#> tests/script/mistakes_meant.rsh:146: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
dist.barrier()
#> tests/script/mistakes_meant.rsh:148: write: barrier
dist.init_process_group("nccl")
#> tests/script/mistakes_meant.rsh:150: here: nothing: the ranks are there
dist.get_rank()
#> tests/script/mistakes_meant.rsh:152: here: rank
model = nn.Linear(64, 64)
#> tests/script/mistakes_meant.rsh:154: here: model gpt, or model mlp; a layer by hand: y = matmul x w
model.train()
#> tests/script/mistakes_meant.rsh:156: here: nothing: a model's program is its lines
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
#> tests/script/mistakes_meant.rsh:158: the optimizer is a line for each parameter: sgd w dw lr=0.1, or adam w dw m v t=1
optimizer.step()
#> tests/script/mistakes_meant.rsh:160: here: sgd w dw lr=0.1; without brackets the next step of a strategy's program
optimizer.zero_grad()
#> tests/script/mistakes_meant.rsh:162: here: fill dw 0
model = DDP(model)
#> tests/script/mistakes_meant.rsh:164: here: strategy ddp
model = FSDP(model)
#> tests/script/mistakes_meant.rsh:166: here: strategy fsdp
torch.cuda.synchronize()
#> tests/script/mistakes_meant.rsh:168: here: sync
torch.cuda.Stream()
#> tests/script/mistakes_meant.rsh:170: here: stream y
s = torch.cuda.Stream()
#> tests/script/mistakes_meant.rsh:172: here: stream s
e = torch.cuda.Event(enable_timing=True)
#> tests/script/mistakes_meant.rsh:174: here: event e
e.record(compute)
#> tests/script/mistakes_meant.rsh:176: write: record compute
e.wait(compute)
#> tests/script/mistakes_meant.rsh:178: write: wait compute
compute.synchronize()
#> tests/script/mistakes_meant.rsh:180: here: sync
x.sum()
#> tests/script/mistakes_meant.rsh:182: here: print sum(x); as a kernel: help rowsum
x.mean()
#> tests/script/mistakes_meant.rsh:184: here: print sum(x)/4096, with the number of its elements
print(x)
#> tests/script/mistakes_meant.rsh:186: write: print x
print(x[0,0])
#> tests/script/mistakes_meant.rsh:188: write: print x[0,0]
print(x.sum())
#> tests/script/mistakes_meant.rsh:190: here: print sum(x); as a kernel: help rowsum
y = x.T
#> tests/script/mistakes_meant.rsh:192: y has its own memory: `copy x.T -> y` copies into it; `free y` makes the name free for a view
y = x[0]
#> tests/script/mistakes_meant.rsh:194: y has its own memory: `copy x[0] -> y` copies into it; `free y` makes the name free for a view
x[0,0] = 5
#> tests/script/mistakes_meant.rsh:196: write: fill x[0,0] 5
x += 1
#> tests/script/mistakes_meant.rsh:198: to set a variable, write: let x = 1
x = x + 1
#> tests/script/mistakes_meant.rsh:200: a kernel's line is NAME = KERNEL IN ..., and a variable's: let x = x + 1
import numpy as np
#> tests/script/mistakes_meant.rsh:202: here: nothing is imported: kernels and collectives are there (help)
def f(x):
#> tests/script/mistakes_meant.rsh:204: here: def f x { }, with lines between the braces, and f 3 calls it
if rank == 0:
#> tests/script/mistakes_meant.rsh:206: if needs a block on its line: if rank == 0 { ... }
lambda
#> tests/script/mistakes_meant.rsh:208: here: def NAME ARGUMENTS { }, if ... { }, for i in 0:4 { }
async spin 1ms
#> tests/script/mistakes_meant.rsh:210: here every line is asynchronous: leave `async` out
await compute
#> tests/script/mistakes_meant.rsh:212: the host waits by `sync compute`, a stream by `wait compute on io`
sync io compute
#> tests/script/mistakes_meant.rsh:214: here: one at a time: sync io; sync compute
sync all
#> tests/script/mistakes_meant.rsh:216: here: sync
wait
#> tests/script/mistakes_meant.rsh:218: wait needs EVENT|OTHER: wait EVENT|OTHER ... on STREAM
spin 2
#> tests/script/mistakes_meant.rsh:220: spin: 2 has no unit; a time needs one, as in 2ms
spin 2 ms
#> tests/script/mistakes_meant.rsh:222: a number and its unit are one word: 2ms
host 2
#> tests/script/mistakes_meant.rsh:224: host: 2 has no unit; a time needs one, as in 2ms
sleep 2
#> tests/script/mistakes_meant.rsh:226: here: host 2ms (the host computes), spin 2ms (the GPU)
time
#> tests/script/mistakes_meant.rsh:228: the prompt shows the host's clock, `print now` prints it; `timeline` shows what ran when, `print time` how long the section took
now
#> tests/script/mistakes_meant.rsh:230: the prompt shows the host's clock, `print now` prints it; `timeline` shows what ran when, `print time` how long the section took
help me
#> tests/script/mistakes_meant.rsh:232: no command or word 'me'; did you mean 'mem'?
man matmul
#> tests/script/mistakes_meant.rsh:234: here: help matmul
tensor z(64,64)
#> tests/script/mistakes_meant.rsh:236: tensor: a shape goes in square brackets: z[64,64]
tensor z 64
#> tests/script/mistakes_meant.rsh:238: tensor: a shape goes in square brackets: tensor x[64,64]
tensor z[64, 64] = random
#> tests/script/mistakes_meant.rsh:240: tensor ... = random: neither a source (zeros ones randn uniform iota load) nor a variable; did you mean 'randn'?
tensor z[64,64] = torch.randn
#> tests/script/mistakes_meant.rsh:242: 'torch.randn': names have no '.' here: x[0] reads an element at '.randn'
tensor z[64,64] on io
#> tests/script/mistakes_meant.rsh:244: a tensor is not made on a stream: leave `on` out
copy h x
#> tests/script/mistakes_meant.rsh:246: copy needs -> instead of 'x': copy FROM -> TO [on STREAM] [rate=RATE]
copy x to h
#> tests/script/mistakes_meant.rsh:248: here: copy h -> x
copy h -> x async
#> tests/script/mistakes_meant.rsh:250: here every copy is asynchronous, if its host memory is pinned: leave `async` out
memcpy x h
#> tests/script/mistakes_meant.rsh:252: here: copy h -> x
send x 1
#> tests/script/mistakes_meant.rsh:254: send: '1' was not expected: send TENSOR to=RANK [on STREAM] [in GROUP]
recv x 0
#> tests/script/mistakes_meant.rsh:256: recv: '0' was not expected: recv TENSOR from=RANK [on STREAM] [in GROUP]
allreduce
#> tests/script/mistakes_meant.rsh:258: allreduce needs a tensor: allreduce X [op=sum|avg|max|min] [backup=0] [in GROUP] [on STREAM] [algo=auto|ring|tree|nvls|pat] [unroll], or Y = allreduce X
allreduce x op=mean
#> tests/script/mistakes_meant.rsh:260: allreduce: 'op=mean' is none of: sum avg max min
allreduce x avg
#> tests/script/mistakes_meant.rsh:262: allreduce: 'avg' was not expected: allreduce X [op=sum|avg|max|min] [backup=0] [in GROUP] [on STREAM] [algo=auto|ring|tree|nvls|pat] [unroll], or Y = allreduce X
broadcast x 0
#> tests/script/mistakes_meant.rsh:264: broadcast: '0' was not expected: broadcast X [root=0] [in GROUP] [on STREAM] [algo=auto|ring|tree|nvls|pat] [unroll], or Y = broadcast X
gather x
#> tests/script/mistakes_meant.rsh:266: gather gives a result: NAME = gather x
group 0-1
#> tests/script/mistakes_meant.rsh:268: group needs NAME instead of '0-1': group NAME RANKS ... [timeout=TIME] | group NAME by COLOUR [in GROUP] [timeout=TIME]
on io
#> tests/script/mistakes_meant.rsh:270: a command or a block was expected after 'on io'
@2 slow
#> tests/script/mistakes_meant.rsh:272: slow needs FACTOR: @RANKS slow FACTOR
set bandwidth=1GB/s
#> tests/script/mistakes_meant.rsh:274: a machine has no number 'bandwidth'; `machine` lists them
set link_rate=2x
#> tests/script/mistakes_meant.rsh:276: link_rate is bytes/s, such as 12GB/s; here it is a plain number
set latency=1us
#> tests/script/mistakes_meant.rsh:278: a machine has no number 'latency'; `machine` lists them
machine a100
#> tests/script/mistakes_meant.rsh:280: here: machine dgx-a100
machine h100
#> tests/script/mistakes_meant.rsh:282: here: machine dgx-h100
machine dgx
#> tests/script/mistakes_meant.rsh:284: here: machine dgx-h100
strategy ddp zero
#> tests/script/mistakes_meant.rsh:286: 'zero' after 'ddp': KEY=VALUE was expected; ` + ` joins two strategies
strategy ddp, tp
#> tests/script/mistakes_meant.rsh:288: 'tp' after 'ddp,': KEY=VALUE was expected; ` + ` joins two strategies
strategy ddp+tp
#> tests/script/mistakes_meant.rsh:290: 'ddp+tp': the + needs blanks around it: ddp + tp
strategy ddp bucket 64k
#> tests/script/mistakes_meant.rsh:292: 'bucket' after 'ddp': KEY=VALUE was expected; ` + ` joins two strategies
strategy dp=2 tp=2
#> tests/script/mistakes_meant.rsh:294: here: strategy ddp=2 + tp=2; with a pipeline: strategy pipeline=2 + tp=2
strategy ddp stage=3
#> tests/script/mistakes_meant.rsh:296: ddp has no option 'stage': it belongs to zero: write it after that name
strategy zero 3
#> tests/script/mistakes_meant.rsh:298: here: strategy zero stage=3
strategy zero3
#> tests/script/mistakes_meant.rsh:300: here: strategy zero stage=3
strategy zero-3
#> tests/script/mistakes_meant.rsh:302: here: strategy zero stage=3
strategy pp
#> tests/script/mistakes_meant.rsh:304: here: strategy pipeline schedule=1f1b
strategy 1f1b
#> tests/script/mistakes_meant.rsh:306: here: strategy pipeline schedule=1f1b
strategy pipeline 1f1b
#> tests/script/mistakes_meant.rsh:308: here: strategy pipeline schedule=1f1b
strategy gpipe
#> tests/script/mistakes_meant.rsh:310: here: strategy pipeline schedule=gpipe
strategy megatron
#> tests/script/mistakes_meant.rsh:312: here: strategy ddp=2 + tp=2; with a pipeline: strategy pipeline=2 + tp=2
bubble
#> tests/script/mistakes_meant.rsh:314: no command 'bubble', but a word of the field: `help bubble` explains it
race
#> tests/script/mistakes_meant.rsh:316: no command 'race', but a word of the field: `help race` explains it; did you mean 'pace'?
stuck?
#> tests/script/mistakes_meant.rsh:318: 'stuck?': a line begins with a command (help shows them)
?
#> tests/script/mistakes_meant.rsh:320: here: help
ls
#> tests/script/mistakes_meant.rsh:322: here: tensors, streams, events, groups
pwd
#> tests/script/mistakes_meant.rsh:324: the system's commands are not here: `edit F.rsh` opens a script in your editor, `source F.rsh` runs it
cd ..
#> tests/script/mistakes_meant.rsh:326: the system's commands are not here: `edit F.rsh` opens a script in your editor, `source F.rsh` runs it
vim x.rsh
#> tests/script/mistakes_meant.rsh:328: the system's commands are not here: `edit F.rsh` opens a script in your editor, `source F.rsh` runs it
cat x.rsh
#> tests/script/mistakes_meant.rsh:330: the system's commands are not here: `edit F.rsh` opens a script in your editor, `source F.rsh` runs it
run.rsh
#> tests/script/mistakes_meant.rsh:332: a file of lines is run by: source F.rsh
demo.rsh
#> tests/script/mistakes_meant.rsh:334: a file of lines is run by: source F.rsh
./demo.rsh
#> tests/script/mistakes_meant.rsh:336: a file of lines is run by: source F.rsh
! ls
#> tests/script/mistakes_meant.rsh:338: the system's commands are not here: `edit F.rsh` opens a script in your editor, `source F.rsh` runs it
redo
#> tests/script/mistakes_meant.rsh:340: here: arrow up, and the line once more
kill 2
#> tests/script/mistakes_meant.rsh:342: here: abort, which ends hanging operations
profile
#> tests/script/mistakes_meant.rsh:344: the trace is there: timeline, view, stats, stalls; `export t.json` writes it for Perfetto
trace
#> tests/script/mistakes_meant.rsh:346: the trace is there: timeline, view, stats, stalls; `export t.json` writes it for Perfetto
graph
#> tests/script/mistakes_meant.rsh:348: no command 'graph', but a word of the field: `help graph` explains it; did you mean 'crash'?
gantt
#> tests/script/mistakes_meant.rsh:350: the trace is there: timeline, view, stats, stalls; `export t.json` writes it for Perfetto
show
#> tests/script/mistakes_meant.rsh:352: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
show timeline
#> tests/script/mistakes_meant.rsh:354: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
show x
#> tests/script/mistakes_meant.rsh:356: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
list
#> tests/script/mistakes_meant.rsh:358: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
info
#> tests/script/mistakes_meant.rsh:360: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
status
#> tests/script/mistakes_meant.rsh:362: looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor
version
#> tests/script/mistakes_meant.rsh:364: `ranksh --version`, at the system's prompt
ranks=8
#> tests/script/mistakes_meant.rsh:366: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
n=8
#> tests/script/mistakes_meant.rsh:368: to set a variable, write: let n = 8
-n 8
#> tests/script/mistakes_meant.rsh:370: a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh --dry -n 1024` without data
--help
#> tests/script/mistakes_meant.rsh:372: here: help
--dry
#> tests/script/mistakes_meant.rsh:374: options follow `ranksh` when it is started: `ranksh --help`
