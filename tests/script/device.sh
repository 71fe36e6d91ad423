#!/bin/sh
# device.sh -- the device of a session at 1 and 4 ranks: which options are refused and which are
# overridden, the start line, the GPU as a machine, its memory and queues. NVIDIA's libraries are
# the stand-in's.
. tests/script/lib.sh
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
RANKSH_DEVICE=auto RANKSH_CUDA=$standin
export RANKSH_DEVICE RANKSH_CUDA
scripts=$PWD/tests/script
cd "$work" || exit 1
# without NAME: a folder with the stand-in's libraries but for that one
without() { mkdir "no-$1"; ln -s "$standin"/*.so.* "no-$1"; rm "no-$1/$1".so.*; }
without libcublas
without libnccl
without libnvrtc
# run STATUS ARGUMENTS...: writes both outputs to `out`; with another exit status, a text that no
# check can find
run() {
	wanted=$1
	shift
	within 120 "$RANKSH" "$@" > out 2>&1 < /dev/null
	got=$?
	[ $got = "$wanted" ] || echo "STATUS $got, NOT $wanted: $(tr a-z A-Z < out)" > out
}
says() { grep -q -e "$1" out; }
once() { [ "$(grep -c -e "$1" out)" = 1 ]; }
hi='say "hi"'

run 0 -n 1 -c "$hi"
check "auto is the GPU where there is one" once '^cuda: 1 rank, Stand-in GPU$'
run 0 -n 4 -c machine
check "four ranks share it" once '^cuda: 4 ranks share Stand-in GPU, .* each, and take turns (no MPS): times show it$'
check "... whose machine is the GPU" says '^this: Stand-in GPU; figures of pcie-4gpu until `calibrate` fits them$'
check "... and is said not to be played" says '^the GPU at hand: work takes the time that it takes'
check "... with what each finds free" says ' memory  *2\.[0-9]* GB .*# this: what a rank finds free'
RANKSH_STANDIN="gpus=1 memory=40GB" RANKSH_GPU_MEMORY=8GB run 0 -n 4 --device cuda -c machine
check "... and leave room to others" once '^cuda: 4 ranks share Stand-in GPU, 1\.2[0-9]* GB each'
for size in 8 8GBs many 1ms 2GB; do
	case $size in 8 | 2GB) ranks=4 ;; *) ranks=1 ;; esac
	RANKSH_STANDIN="gpus=1 memory=40GB" RANKSH_GPU_MEMORY=$size run 2 -n $ranks --device cuda -c "$hi"
	if [ $size = 2GB ]; then wanted='Stand-in GPU of .* has too little memory for 4 of the ranks$'; else wanted="RANKSH_GPU_MEMORY: '$size': a size was expected, as in 20GB$"; fi
	check "... as much as is said in $size" once "$wanted"
done
RANKSH_STANDIN=gpus=4 run 0 -n 4 --device cuda -c "$hi"
check "or have one each" once '^cuda: 4 ranks, 4 x Stand-in GPU, NCCL 2\.28\.9$'
for options in "--machine dgx-h100" --dry "--device sim"; do
	run 0 -n 1 $options -c "$hi"
	check "$options: no GPU is used" [ "$(cat out)" = hi ]
done
echo "$hi #> hi" > hi.rsh
run 0 -n 1 --test hi.rsh
check "--test: no GPU is used" sh -c '! grep cuda: out'

# NCCL serves ranks that share a GPU where it can and the user wants it
shares() {
	NCCL_MULTI_RANK_GPU_ENABLE=$1 RANKSH_STANDIN="free memory=400GB nccl=$2" run 0 -n 4 --device cuda --machine classroom --test "$scripts/commands/$3.rsh"
}
for part in collectives transfers groups; do
	shares 1 23000 $part
	check "$part by an NCCL that shares the GPU" once '^cuda: 4 ranks, Stand-in GPU, NCCL 2\.30\.0$'
done
shares 0 23000 groups
check "... which nobody asked for" once '^cuda: 4 ranks share'
shares 1 22900 groups
check "... or which it cannot do" once '^cuda: 4 ranks share'

# what only the simulator does is refused in words, where it is asked for
echo 'tensor x[4] = 1; together { allreduce x backup=1; allreduce x }' > backup.rsh
run 2 -n 2 --device cuda backup.rsh
check "backup= in a together" says '^backup.rsh:1: .*backup= in a .together. is for the simulator'

# what is missing: auto does without, cuda is refused by all alike
RANKSH_CUDA=$work/no-libcublas run 0 -n 4 -c "$hi"
check "auto without cuBLAS is the simulator, silently" [ "$(cat out)" = hi ]
for ranks in 1 4; do
	RANKSH_CUDA=$work/no-libcublas run 2 -n $ranks --device cuda -c "$hi"
	check "no cuBLAS on $ranks ranks" once '^ranksh: --device cuda: cuBLAS .* is not there: looked in .*/no-libcublas; pip install'
	check "... and nothing runs" [ "$(wc -l < out)" = 1 ]
	RANKSH_STANDIN="gpus=4 fail=cuDevicePrimaryCtxRetain:1" run 2 -n $ranks --device cuda -c "$hi"
	check "no context on $ranks ranks" once '^ranksh: --device cuda: Stand-in GPU: cuDevicePrimaryCtxRetain: CUDA_ERROR'
	# a binary of `make gpu` needs no NVRTC
	grep -aq unary.fatbin "$RANKSH" && continue
	RANKSH_CUDA=$work/no-libnvrtc run 2 -n $ranks --device cuda -c "$hi"
	check "no NVRTC on $ranks ranks" once '^ranksh: --device cuda: NVRTC .* is not there: looked in .*/no-libnvrtc; pip install nvidia-cuda-nvrtc, or'
	check "... and nothing runs then" [ "$(wc -l < out)" = 1 ]
done
# the processes share the compilation; a long one is reported, by rank 0
export XDG_CACHE_HOME=$work/cache
for try in first second; do
	TMPDIR=$work RANKSH_STANDIN="gpus=2 delay=nvrtcCompileProgram:250ms" run 0 -n 2 --device cuda -c "$hi"
	check "a $try start" says '^hi$'
	[ $try = first ] && wanted=1 || wanted=0
	check "... reports the compilation $wanted times" [ "$(grep -c '^cuda: compiling the kernels for this GPU' out)" = $wanted ]
done
XDG_CACHE_HOME=/proc TMPDIR=/proc run 0 -n 1 --device cuda -c "$hi"
check "a start without any folder for the kernels" says '^hi$'
RANKSH_CUDA=$work/no-libnccl run 0 -n 2 -c "$hi"
check "ranks that share a GPU need no NCCL" says '^cuda: 2 ranks share'
RANKSH_STANDIN=gpus=2 RANKSH_CUDA=$work/no-libnccl run 2 -n 2 --device cuda -c "$hi"
check "those that have one each do" once 'NCCL (libnccl.so.2) is not there'
RANKSH_STANDIN=gpus=2 RANKSH_CUDA=$work/no-libnccl run 0 -n 2 -c "$hi"
check "... or auto is the simulator" [ "$(cat out)" = hi ]
for ranks in 1 4; do
	RANKSH_STANDIN="gpus=1 fail=cuStreamBatchMemOp:1 sticky" run 2 -n $ranks --device cuda -c "$hi"
	check "no stream waits on $ranks ranks" once '^ranksh: --device cuda: Stand-in GPU: its streams cannot wait for words in the host.s memory: cuStreamBatchMemOp: CUDA_ERROR'
	check "... and nothing runs there" [ "$(wc -l < out)" = 1 ]
done
RANKSH_STANDIN="gpus=1 fail=cuStreamBatchMemOp:1 sticky" run 0 -n 4 -c "$hi"
check "... or auto is the simulator then" [ "$(cat out)" = hi ]
RANKSH_STANDIN=memory=1GB run 2 -n 4 --device cuda -c "$hi"
check "a GPU that is too small for its ranks" once 'Stand-in GPU of .* has too little memory for 4 of the ranks'
RANKSH_STANDIN="gpus=2 memory=8GB,4GB" run 0 -n 2 -c machine
check "the least counts" says ' memory  *1\.[0-9]* GB '

# machines
run 2 -n 2 --device cuda -c 'set memory=100GB'
check "more memory than the GPU gives is refused" says 'memory: a rank has no more than 6\.[0-9]* GB on Stand-in GPU'
run 0 -n 2 --device cuda -c 'set memory=1GB; machine dgx-h100; machine; machine this'
check "another machine is played" says '^played: work takes at least the time that this machine would'
check "... and has no more memory than there is" says ' memory .*# the GPU at hand gives no more to a rank; dgx-h100 has 80 GB'
printf 'title = mine\nhere = yes\nlike = dgx-h100\nlaunch = 1us # measured\n' > mine.machine
run 0 -n 1 --device cuda --machine ./mine.machine -c machine
check "a file of the GPU's own figures is not" says '^the GPU at hand'
run 0 -n 1 --device cuda -c 'tensor x[64,64]; y = relu x; sync; calibrate gpu.machine'
run 0 -n 1 --device cuda --machine ./gpu.machine -c machine
check "... as one is that calibrate has written" says '^the GPU at hand'
check "... of which no other is said" says '^gpu: Stand-in GPU$'
run 2 -n 1 --device sim -c 'machine this'
check "machine this on the simulator" says 'the machine `this` is the local GPU, and this session is simulated: it needs --device cuda'
RANKSH_CUDA=$work/no-libcublas run 2 -n 1 --machine this -c "$hi"
check "... and where no GPU is found" says 'it needs --device cuda'

# queues
printf 'for i in 0:29 { stream s$i }\nstream q q2 kind=host\nstream t\n' > streams.rsh
run 2 -n 2 streams.rsh
check "more streams than queues on a shared GPU" says '^streams.rsh:3: stream: rank 0 would have 31 with the default one; ranks that share a GPU have 30 at most'
RANKSH_STANDIN=gpus=2 run 0 -n 2 streams.rsh
check "... on one of its own it is said" once '31 streams: above 30, some share a hardware queue of the GPU'

# If a shared operation fails on some ranks, these report it, the others are released, its results
# are poisoned, and the session continues.
cat > lost.rsh <<'EOF2'
group g 1,2
@1,2 tensor w[4] = 1
@1,2 { allreduce w in g; allreduce w in g }
tensor x[4] = rank + 1
allreduce x
print x
let seen = x[0]
tensor y[4] = rank + 1
allreduce y
print y
EOF2
lost() { [ "$(grep -c "allreduce x (line 5): .*$1" out)" = 2 ] && [ "$(grep -c 'spoiled by allreduce' out)" = 3 ] && says '^\[0-2\] y = 6 6 6 6$'; }
RANKSH_STANDIN="gpus=3 fail=ncclAllReduce:5" run 4 -n 3 --device cuda lost.rsh
check "NCCL refuses a collective on two of three ranks" lost ncclAllReduce
RANKSH_STANDIN="gpus=1 fail=cuStreamBatchMemOp:6" run 4 -n 3 --device cuda lost.rsh
check "... or the GPU that they share" lost cuStreamBatchMemOp
printf 'tensor x[4] = 1\nallreduce x\nsync\nallreduce x\nprint x\nlet seen = x[0]\ntensor y[4] = 1\nallreduce y\nprint y\n' > late.rsh
RANKSH_STANDIN="gpus=2 async=5" run 4 -n 2 --device cuda late.rsh
check "NCCL tells of an error later" [ "$(grep -c 'allreduce x (line [24]): NCCL: remote process' out)" = 2 ]
check "... which spoils what it was to write" says 'spoiled by allreduce'
check "... and the group is made anew" says '^\[0,1\] y = 2 2 2 2$'
# the GPU has no room left when a new world begins, and a strategy's program is read meanwhile
printf 'model gpt layers=1\nstrategy ddp\nreset\n' > full.rsh
RANKSH_STANDIN="gpus=1 fail=cuMemAlloc:4 sticky" run 2 -n 1 --device cuda full.rsh
check "the device cannot be started again: it says why" says '^full.rsh:3: the device could not be started again, .*: cuMemAlloc'
printf 'tensor y[4] x[4] = rank\nwindow y\n@1 add x -> y@0\nsync\nbarrier\nprint y\nlet seen = x[0]\n@1 put x -> y@0\nsync\nbarrier\nprint y\nclose y\n' > window.rsh
RANKSH_STANDIN="gpus=2 fail=cuMemAlloc:5" run 4 -n 2 --device cuda window.rsh
check "what serves an add has no memory" says "rank 1's add in rank 0's window: cuMemAlloc"
check "... whose sum is spoiled" says 'spoiled by add'
check "... and a put comes there" says '^\[0\] y = 1 1 1 1$'

# a rank is killed while others meet it
printf 'tensor x[64] = 1\nrepeat 200 { allreduce x; let a = x[0] }\n' > die.rsh
for gpus in 1 3; do
	RANKSH_STANDIN="gpus=$gpus die=1:400" run 4 -n 3 --device cuda die.rsh
	check "a rank is killed among collectives, $gpus GPUs" once '^ranksh: rank 1 died of signal 9 (Killed)'
done

# If processes cannot open each other's memory, the data of ranks that share a GPU goes through
# the host, with the same results.
printf 'tensor y[4] = 1\nwindow y\n' > reach.rsh
for call in cuIpcGetMemHandle cuIpcOpenMemHandle; do
	RANKSH_STANDIN="free memory=400GB fail=$call:1 sticky" run 0 -n 4 --device cuda --machine classroom --test "$scripts/commands/collectives.rsh"
	check "collectives without $call" once '^cuda: 4 ranks share .*: times show it; no IPC: copies through the host$'
done
for part in commands/alltoall_counts commands/groups mismatches; do
	RANKSH_STANDIN="free memory=400GB fail=cuIpcGetMemHandle:1 sticky" run 0 -n 4 --device cuda --machine classroom --test "$scripts/$part.rsh"
	check "$part without IPC" once 'no IPC: copies through the host$'
done
printf 'tensor x[8] = rank + 7\ntensor z[8]\n@0 send x to=1\n@1 recv z from=0\nprint z\n' > pass.rsh
RANKSH_STANDIN="fail=cuIpcGetMemHandle:1 sticky" run 0 -n 2 --device cuda pass.rsh
check "... what is sent arrives" says '^\[1\] z = 7 7 7 7 7 7 7 7$'
printf 'tensor big[134217728] = 1\nallreduce big\nsync\n' > big.rsh
RANKSH_STANDIN="free memory=400GB fail=cuIpcGetMemHandle:1 sticky" run 2 -n 4 --device cuda reach.rsh
check "... windows are refused" says '^reach.rsh:2: .*windows need processes that open each other'

# a print that waits for another rank is the last thing of a file
printf 'tensor x[2] = rank + 7\n@0 send x to=1\n@1 { tensor z[2]; recv z from=0; print z }\n' > last.rsh
RANKSH_STANDIN=gpus=1 run 0 -n 2 --device cuda last.rsh
check "the last print of a file comes, though it has to wait for another rank" says '^\[1\] z = 7 7$'

# More prints are queued than the host reads at once (4096, or 256 MB): none is lost, and the
# texts are the simulator's.
echo 'tensor x[4] = iota; repeat 5000 { x = add x x; print x[0:2] rank }' > prints.rsh
printf 'tensor x[4] = rank; stream s\n@0 { tensor z[4]; recv z from=1 }\nrepeat 5000 { @1 x = scale x by=-1 on s; @1 print x[0:2] on s }\n@1 send x to=0\n@0 print z\n' > one_rank.rsh
echo 'tensor x[256k] = 1; repeat 264 { x = scale x by=2; print x }' > large.rsh
for prints in prints one_rank large; do
	"$RANKSH" --device sim -n 2 "$prints.rsh" > sim.txt
	for gpus in 1 2; do
		RANKSH_STANDIN=gpus=$gpus within 120 "$RANKSH" --device cuda -n 2 "$prints.rsh" > out 2> errors
		check "$prints: all are said, $gpus GPUs" same sim.txt out
	done
done
