/* meant.c -- messages for refused lines that match a pattern, such as lines from Slurm or PyTorch
 *
 * A row has shell patterns (fnmatch), divided by two blanks or more, and a message. The first
 * match counts. A pattern without a blank matches only a line of one word. For suggestions that
 * contain the line's arguments, see hints.c. */
#include "shell/language/parse/parse.h"

#include <fnmatch.h>

static const struct {
	const char *patterns, *here;
} meant[] = {
        /* ranks and starting */
        {"ranks [0-9]*  world [0-9]*  reset -n*  reset n=*  reset ranks=*  reset [0-9]*  set ranks=*  set "
         "n=*  set world=*  ranksh  ranksh *  mpirun *  mpiexec *  srun *  torchrun *  -n *  ranks=*",
                "a session keeps the ranks that it was started with: `quit`, then `ranksh -n 8`, or `ranksh "
                "--dry -n 1024` without data"},
        {"rank  ranks  me",
                "`print rank`: a rank's number; `print world`: how many there are; `@1 ...`: a line for rank "
                "1 alone"},
        {"sbatch*  sbatch *  squeue*  squeue *  salloc*  salloc *  scancel *  sinfo*  sinfo *  qsub *  "
         "kubectl *",
                "a scheduler's commands are the system's: `mpirun -n 8 ranksh F.rsh` runs a script under it"},
        {"python *  python3 *  pip *  conda *  deepspeed *  accelerate *  megatron*",
                "Python does not run here: `strategy ddp` trains a model, `source F.rsh` runs a file of "
                "lines"},
        {"[?]  help[?]  [?]help  -h  -help  --help  usage", "here: help"},
        {"--*", "options follow `ranksh` when it is started: `ranksh --help`"},
        {"version", "`ranksh --version`, at the system's prompt"},
        /* files and sessions */
        {"save  save *.rsh  save session*  store *  dump *",
                "`journal save session.rsh` writes the lines that you typed; `ranksh --resume` opens the "
                "last session again; `save x x.npy` writes a tensor, `checkpoint to=PREFIX` the training"},
        {"resume  session  sessions",
                "`ranksh --resume`, at the system's prompt, opens the last session again; `resume "
                "from=PREFIX` goes on from a checkpoint; `journal` lists the lines typed"},
        {"load *.rsh  open *.rsh  run *.rsh  resume *.rsh  restore *.rsh  exec *.rsh  bash *.rsh  sh *.rsh  "
         ". *.rsh",
                "here: source F.rsh"},
        {"*.rsh", "a file of lines is run by: source F.rsh"},
        {"load *",
                "a file becomes a tensor by: tensor x[64,64] = load x.npy; lines are run by: source F.rsh"},
        {"cat *  less *  more *  vim *  vi *  nano *  emacs *  cd *  pwd  ! *  !*  mkdir *  rm *",
                "the system's commands are not here: `edit F.rsh` opens a script in your editor, `source "
                "F.rsh` runs it"},
        {"* > *.txt  * > *.log  * >> *  timeline > *  stats > *",
                "a line's output cannot go to a file: `ranksh -n 4 F.rsh > t.txt` saves a script's output, "
                "`export` the timeline"},
        /* lessons and programs */
        {"task  tasks",
                "`check` shows what is missing, `hint` helps; `lesson 1` opens a lesson anew, in an empty "
                "world"},
        {"lesson [0-9]* [0-9]*  lesson task*",
                "a task follows its lesson and a point: `lesson 7.3`; `lesson 7` is its first"},
        {"program [0-9]*",
                "`program` lists the steps; `step` plays the next one, `step 5` five, `step in` shows all "
                "that it did"},
        {"pause  pause *",
                "a script cannot wait for a key; `host 2ms`: the host computes for that time; `pace 1s`: "
                "slow enough to watch"},
        {"train  train *  fit  fit *",
                "`strategy ddp` writes a program that trains, `run 20` plays twenty iterations"},
        {"model bert*  model llama*  model resnet*  model transformer*",
                "here: model gpt, or model mlp; `model gpt help` has their sizes"},
        {"models  model", "here: model gpt, or model mlp; `model gpt help` has its options"},
        {"strategy pp*  strategy 1f1b*  strategy pipeline 1f1b*  strategy pipedream*",
                "here: strategy pipeline schedule=1f1b"},
        {"strategy gpipe*  strategy pipeline gpipe*", "here: strategy pipeline schedule=gpipe"},
        {"strategy zero[1-3]*  strategy zero-[1-3]*  strategy zero [1-3]*  strategy deepspeed*",
                "here: strategy zero stage=3"},
        {"strategy dp=[0-9]*  strategy megatron*  strategy 3d*  strategy tp=* dp=*",
                "here: strategy ddp=2 + tp=2; with a pipeline: strategy pipeline=2 + tp=2"},
        {"strategy dp  strategy dp *", "here: strategy ddp"},
        {"strategy cp*  strategy sp*  strategy ring*  strategy ulysses*", "here: strategy context"},
        {"strategy ep*  strategy moe*", "here: strategy experts, after model gpt experts=4"},
        {"machine a100  machine A100", "here: machine dgx-a100"},
        {"machine h100  machine H100  machine dgx  machine DGX", "here: machine dgx-h100"},
        {"machine h200  machine H200  machine hgx", "here: machine hgx-h200"},
        {"set *=[0-9]*x",
                "a number of the machine is set with its unit; `whatif link_rate=2x` tries twice as much"},
        /* looking */
        {"show  show *  list  list *  info  info *  status  top  htop  nvtop  ps *  display *",
                "looks: timeline, stats, stalls, mem, streams, tensors; `print x` reads a tensor"},
        {"nsys *  nsys  ncu  ncu *  nvprof *  profile  profile *  profiler  trace  trace *  gantt*  "
         "tensorboard*",
                "the trace is there: timeline, view, stats, stalls; `export t.json` writes it for Perfetto"},
        {"*.shape  print *.shape  *.shape()  *.size()  *.dtype  *.device  *.shape)  *.dtype)",
                "here: tensors, which lists each one's shape, type and memory"},
        {"*.grad", "a gradient is a separate tensor, written by a kernel's _grad: `tensors` lists them"},
        {"*.sum()  print *.sum()  *.sum())", "here: print sum(x); as a kernel: help rowsum"},
        {"*.mean()  print *.mean()  *.mean())", "here: print sum(x)/4096, with the number of its elements"},
        {"*.norm()  *.norm())", "here: print norm(x)"},
        {"*.to(*)  * = *.to(*)  *.cpu()  * = *.cpu()", "here: copy h -> x on S"},
        {"time  now  clock  date",
                "the prompt shows the host's clock, `print now` prints it; `timeline` shows what ran when, "
                "`print time` how long the section took"},
        /* the language */
        {"for * in *[0-9a-z]..[.0-9a-z]*  let * = *[0-9a-z]..[.0-9a-z]*",
                "a range is written 1:4, and leaves its end out: for i in 1:4 { }"},
        {"with *.stream(*", "here: on S { }, with lines between the braces"},
        {"with *no_grad*  with *autocast*  with *inference_mode*",
                "here: nothing: gradients and types are separate lines"},
        {"with *", "here: on S { }, in G { } or @1 { }: the lines between the braces share it"},
        {"def *(*", "here: def f x { }, with lines between the braces, and f 3 calls it"},
        {"class *  lambda *  lambda  return  return *  try:  except*  raise *  switch *",
                "here: def NAME ARGUMENTS { }, if ... { }, for i in 0:4 { }"},
        {"spin [0-9]* [mun]s*  host [0-9]* [mun]s*  predict [0-9]* [mun]s*  pace [0-9]* [mun]s*",
                "a number and its unit are one word: 2ms"},
        {"async *", "here every line is asynchronous: leave `async` out"},
        {"await *", "the host waits by `sync compute`, a stream by `wait compute on io`"},
        {"sync all  sync world", "here: sync"},
        {"sync * *", "here: one at a time: sync io; sync compute"},
        {"tensor *[a-z] [0-9]*", "tensor: a shape goes in square brackets: tensor x[64,64]"},
        {"tensor * on *", "a tensor is not made on a stream: leave `on` out"},
        {"copy * to *  copy * into *", "here: copy h -> x"},
        {"copy * async", "here every copy is asynchronous, if its host memory is pinned: leave `async` out"},
        {"kill *", "here: abort, which ends hanging operations"},
        {"*<<<*  *<<<* *  cudaLaunchKernel*  cudaLaunchKernel* *",
                "a kernel is a line: y = relu x on S (help kernels)"},
        {"* = *nn.*", "here: model gpt, or model mlp; a layer by hand: y = matmul x w"},
        {"* = *DDP(*  * = *DistributedDataParallel(*  * = *DataParallel(*", "here: strategy ddp"},
        {"* = *FSDP(*  * = *FullyShardedDataParallel(*  fully_shard(*)", "here: strategy fsdp"},
        {"* = *optim.*", "the optimizer is a line for each parameter: sgd w dw lr=0.1, or adam w dw m v t=1"},
        {"*.train()  *.eval()", "here: nothing: a model's program is its lines"},
        {"*.backward(*", "here: dy = mse_grad y t, and each kernel's _grad; `strategy serial` writes them"},
};

bool meant_line(const char *at, const char *after)
{
	char line[120], pattern[120];
	after = trim_end(at, after);
	if (after <= at || (size_t)(after - at) >= sizeof line)
		return false;
	memcpy(line, at, (size_t)(after - at));
	line[after - at] = '\0';
	for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
		for (const char *one = meant[i].patterns; *one;) {
			const char *end = strstr(one, "  ");
			size_t length = end ? (size_t)(end - one) : strlen(one);
			memcpy(pattern, one, length);
			pattern[length] = '\0';
			if ((strchr(pattern, ' ') || !strchr(line, ' ')) && fnmatch(pattern, line, 0) == 0) {
				fail(ST_SYNTAX, "%s", meant[i].here);
				return true;
			}
			one += length + (end ? strspn(end, " ") : 0);
		}
	return false;
}
