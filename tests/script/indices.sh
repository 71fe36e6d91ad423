#!/bin/sh
# indices.sh -- numbers that select rows, classes and bins: one that is out of range is reported
# with the line, the element, its value and the range, on the simulator, in the GPU's memory and
# in the host's. Rows with an ignored class count neither in the mean nor in the gradient.
. tests/script/lib.sh
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
RANKSH_CUDA=$standin
export RANKSH_CUDA
cd "$work" || exit 1
run() { within 120 "$RANKSH" --device "$device" -n 2 "$1" > out 2>&1; status=$?; }
says() { grep -q -F -e "$1" out; }
once() { [ "$(grep -c -F -e "$1" out)" = 1 ]; }

# losses of rows 0 and 1 alone, as torch gives them: 1.1327677
cat > masked.rsh <<'END'
tensor z[4,3] = randn seed=1
tensor t[4] i32 = 1
right = crossentropy z[0:2,0:3] t[0:2]
dright = crossentropy_grad z[0:2,0:3] t[0:2]
fill t[2:4] -100
loss = crossentropy z t;  dz = crossentropy_grad z t
expect abs(right[0]-1.1327677) < 1e-6
expect loss[0] == right[0]
for i in 0:2 { for j in 0:3 { expect dz[i,j] == dright[i,j];  expect dz[2+i,j] == 0 } }
fill t[2:4] 7
own = crossentropy z t ignore=7
expect own[0] == right[0]
END
cat > none.rsh <<'END'
tensor z[4,3] = randn seed=1
tensor t[4] i32 = -100
loss = crossentropy z t
sync
print loss
END
cat > target.rsh <<'END'
tensor z[4,3] = randn seed=1
tensor t[2,2] i32 = 1
fill t[1,0] 3
loss = crossentropy z t
sync
END
cat > captured.rsh <<'END'
tensor table[8,4] = ones
tensor ids[4] i32 = 1
capture g { x = embed table ids }
launch g
sync
say "the first is right"
fill ids[3] 8
launch g
sync
END
printf '%s\n' 'tensor table[8,4] host = ones' 'tensor ids[4] host i32 = 1' 'fill ids[3] -7' 'tensor x[4,4] host' 'x = embed table ids' sync > host.rsh
# the second is read first, on a stream of its own; the host's memory has one of its own, too
cat > streams.rsh <<'END'
stream s t
tensor table[8,4] = ones
tensor small[8,4] host = ones
tensor ids[4] others[4] i32 = 1
tensor far[4] host i32 = 1
tensor w[128,128] = ones
fill ids[2:4] 8;  fill others[1] 9;  fill far[0] 10;  sync
repeat 20 { w = matmul w w on s }
x = embed table ids on s
y = embed table others on t
tensor z[4,4] host
z = embed small far
sync
END
printf '%s\n' 'table = zeros [0,4]' 'tensor ids[1] i32 = 0' 'x = embed table ids' sync > empty.rsh
for device in sim cuda; do
	run masked.rsh
	check "$device: rows with an ignored class do not count" [ $status = 0 ]
	run none.rsh
	check "$device: without a row that counts the loss is nan, as PyTorch's" says 'loss = nan'
	check "$device: ... and nothing is wrong" [ $status = 0 ]
	run empty.rsh
	check "$device: a table without rows has none" says 'ids[0] = 0, which is out of range for a row of the table (there is none);'
	run target.rsh
	check "$device: a class out of range" once '[rank 1] range: line 4: `crossentropy` reads t[1,0] = 3, which is out of range for a class (0 to 2, or -100)'
	check "$device: ... ends a script with status 4" [ $status = 4 ]
	run captured.rsh
	check "$device: a row out of range, in a graph that was right before" says '`embed` reads ids[3] = 8, which is out of range for a row of the table (0 to 7)'
	check "$device: ... before which it was right" says 'the first is right'
	run streams.rsh
	check "$device: the first one of a program is reported" says '`embed` reads ids[2] = 8'
	check "$device: ... alone" once '[rank 1] range: '
	check "$device: ... with its line" says 'range: line 9:'
	run host.rsh
	check "$device: in the host's memory" says '`embed` reads ids[3] = -7'
done
# lines that run again do not report it again
printf '%s\n' 'tensor table[8,4] = ones' 'tensor ids[4] i32 = 9' 'x = embed table ids' sync 'y = relu x' undo 'z = relu x' undo | one_process -n 1 > out
check "a number out of range is reported once, not at each undo" once '`embed` reads ids[0] = 9'
# gpt's mean is over all targets, so that one of -100 is out of range without ignore=
cat > mask.rsh <<'END'
# mask: the first target of a micro-batch is masked
# axis dp: share out the batch
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp)
def gradient_made p { replaced p;  allreduce d$p op=avg in dp }
def read_target m { replaced m;  fill t_$m[0] -100 }
END
device=sim
printf '%s\n' 'model gpt layers=1 hidden=8 heads=2 seq=4 batch=4 vocab=8' 'strategy mask.rsh' 'run 1' sync > own.rsh
run own.rsh
check "a masked target of a gpt without ignore= is reported, with the file's line" says 'strategies/parts/masked.rsh:'
check "... and its range" says '`crossentropy` reads t_0[0] = -100, which is out of range for a class (0 to 7)'
# A file's line has one name, with the path as given: in a mistake, in a number out of range and
# in `why`.
mkdir lab
printf '%s\n' 'tensor table[8,4] = ones' 'tensor ids[4] i32 = 9' 'x = embed table ids' 'spin 2ms' sync > lab/queue.rsh
printf '%s\n' 'source lab/queue.rsh' why > why.rsh
run why.rsh
check "a number out of range in a sourced file" says 'range: lab/queue.rsh:3: `embed` reads ids[0] = 9'
check "why names its line in the same way" says "(lab/queue.rsh:3)"
check "... and not in another one" sh -c '! grep -q "[^/]queue.rsh:" out'
sed -i '1s/$/ ignore=-100/' own.rsh
run own.rsh
check "with it nothing is out of range" [ $status = 0 ]
