# hangs.sh -- operations on GPUs that never end: a kernel, a copy, a launch, making a group, NCCL's
# abort; then Ctrl-C, abort, undo, reset, restart, quit and Ctrl-D. NVIDIA's libraries are the
# stand-in's.
. tests/terminal/lib.sh
standin=$(dirname "$(realpath "$RANKSH")")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin

# an abort of NCCL's that hangs: its ten seconds and those of the end pass while the others run
cat > "$folder/abort.rsh" <<'END'
tensor x[4] = 1
allreduce x
print x
@0 allreduce x
abort world
tensor y[4] = 1
allreduce y
print y
END
(
	RANKSH_CUDA=$standin RANKSH_STANDIN="gpus=2 hang=ncclCommAbort:1" timeout $((600 * ${SLOW:-1})) "$RANKSH" -n 2 --device cuda "$folder/abort.rsh" > "$folder/abort.out" 2>&1 < /dev/null
	echo $? > "$folder/abort.status"
) &

# stands NAME OPTIONS LINE: it waits for something that never ends, and Ctrl-C gives the prompt back
stands() {
	of=$1
	ENVIRONMENT="RANKSH_DEVICE=cuda RANKSH_CUDA=$standin RANKSH_STANDIN='$2'"
	open 100 40 -n 2
	line 'let b = 2; print b'
	check "$of: before" shows '^\[0,1\] b = 2'
	line "tensor x[64] y[64] = 2; $3"
	check "$of: what it hangs on is said" shows 'waiting for .* on rank [01]: [0-9.]* s; Ctrl-C gives the prompt back'
	keys C-c
	check "$of: Ctrl-C" shows '^interrupted'
}
# goes_on LINE: behind that a new tensor is right
goes_on() {
	line "$1"
	line 'tensor z[2] = 5; print z'
	check "$of: $1, and it goes on" shows 'z = 5 5'
}
ends() {
	if [ "$1" = C-d ]; then keys C-d; else line "$1"; fi
	check "$of: $1" left
}

for gpus in 1 2; do
	stands "a kernel, $gpus GPUs" "clock=wall gpus=$gpus" 'spin 900s; sync'
	line view
	check "$of: the view beside it" shows 'spin .*░'
	keys q
	line 'peek x[0]'
	check "$of: memory beside it" shows 'x\[0\] = 2'
	clear_screen
	line restart
	check "$of: restart waits for it again" shows 'waiting for spin'
	keys C-c
	check "$of: Ctrl-C there" shows 'no longer wait for GPUs'
	goes_on reset
	ends C-d
done
# a host that hangs in a call has 8 s to come back
stands "a launch" "gpus=1 hang=cuLaunchKernel:60" 'repeat 100 { y = add x x }; print y[0]'
line 'abort world'
goes_on reset
ends quit
stands "a copy" "gpus=2 hang=cuMemcpyDtoHAsync:2" 'copy x -> y; print y[0]; print x[0]'
ends quit
# rank 1's thread that serves: its host has launched eight
stands "an add" "gpus=2 hang=cuLaunchKernel:9" '@1 repeat 5 { fill x 1 }; window y; @0 add x -> y@1; sync'
line 'abort world'
goes_on reset
ends quit
stands "a group's making" "gpus=2 hang=ncclCommInitRankConfig:1" 'allreduce x; print x[0]'
goes_on reset
ends C-d

wait
check "NCCL's abort hangs: the script ends" [ "$(cat "$folder/abort.status")" = 4 ]
check "... and says why" [ "$(grep -c 'communicator does not end (ncclCommAbort hangs); .restart. ends' "$folder/abort.out")" -ge 2 ]
clean
