#!/bin/sh
# two_hosts.sh -- ranks on two hosts: two network namespaces joined by a veth pair, with two ranks
# in each, and MPI over TCP between them. If namespaces are not allowed, the test is skipped with a
# message.
set -u
export RANKSH_DEVICE="${RANKSH_DEVICE:-sim}" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
. tests/hosts/lib.sh
cat > "$dir/script.rsh" <<'INNER'
tensor g[1000] = rank + 1
allreduce g
sync
expect g[999] == 10
tensor mine[4] = rank
tensor theirs[4] = -1
sendrecv mine -> theirs to=(rank+1)%world from=(rank+world-1)%world
sync
expect theirs[3] == (rank+world-1)%world
say "both hosts done"
INNER
within=$((300 * ${SLOW:-1}))
run() { "$dir/on_n1" timeout $within "$@" < /dev/null > "$dir/out" 2>&1; }
set -- mpirun --host 10.77.0.1:2,10.77.0.2:2 -n 4 --mca plm_rsh_agent "$dir/agent" --mca plm_rsh_no_tree_spawn 1 --mca btl self,vader,tcp \
	--bind-to none -x RANKSH_DEVICE
run "$@" hostname
[ $? != 124 ] || { echo "FAIL two hosts: mpirun took longer than $within s to start hostname"; cat "$dir/out"; exit 1; }
if [ "$(sort -u "$dir/out" | grep -c '^n[12]$')" != 2 ]; then
	echo "skipped: two hosts (mpirun does not start processes in namespaces here)"; sed "s/^/    /" "$dir/out"
	exit 0
fi
# one WHAT COMMAND...: runs the script
one() {
	name=$1
	shift
	if run "$@" "$dir/script.rsh" && grep -q "both hosts done" "$dir/out"; then
		echo "ok two hosts: a script of four ranks, $name"
	else
		echo "FAIL two hosts: $name"
		cat "$dir/out"
	fi
}
cp machines/classroom.machine "$dir/near/m.machine"
one "two on each, whose machine is a file of the first host" "$@" "$RANKSH" --machine "$dir/near/m.machine"
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
RANKSH_CUDA=$(realpath "$standin") RANKSH_STANDIN="gpus=2" RANKSH_DEVICE=cuda RANKSH_SSH=$dir/agent
export RANKSH_CUDA RANKSH_STANDIN RANKSH_SSH
one "with a GPU each" "$RANKSH" --hosts n1,n2
grep -q '4 ranks, 4 x ' "$dir/out" && echo "ok two hosts: NCCL is said to be used" || { echo "FAIL two hosts: NCCL"; cat "$dir/out"; }
