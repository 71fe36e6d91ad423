#!/bin/sh
# two_hosts.sh -- ranks on two hosts: two network namespaces joined by a veth pair, with two ranks
# in each, and MPI over TCP between them. If namespaces are not allowed, the test is skipped with a
# message.
set -u
export RANKSH_DEVICE="${RANKSH_DEVICE:-sim}" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
a=rsh-a-$$ b=rsh-b-$$
dir=$(mktemp -d)
clean() {
	ip netns del $a 2>/dev/null
	ip netns del $b 2>/dev/null
	rm -rf "$dir"
}
trap clean EXIT
if ! command -v ip >/dev/null 2>&1; then
	echo "skipped: two hosts (no iproute2 here)"
	exit 0
fi
if ! { ip netns add $a && ip netns add $b && ip link add va$$ netns $a type veth peer name vb$$ netns $b; } 2>/dev/null; then
	echo "skipped: two hosts (network namespaces are not allowed here)"
	exit 0
fi
ip netns exec $a sh -c "ip addr add 10.77.0.1/24 dev va$$; ip link set va$$ up; ip link set lo up"
ip netns exec $b sh -c "ip addr add 10.77.0.2/24 dev vb$$; ip link set vb$$ up; ip link set lo up"
# what mpirun calls instead of ssh: AGENT HOST COMMAND...
cat > "$dir/agent" <<INNER
#!/bin/sh
host=\$1; shift
case \$host in 10.77.0.1|$a) host=$a ;; *) host=$b ;; esac
exec ip netns exec \$host unshare --uts sh -c "hostname \$host; \$*"
INNER
chmod +x "$dir/agent"
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
run() {
	ip netns exec $a unshare --uts sh -c "hostname $a; exec timeout $((300 * ${SLOW:-1})) mpirun --host 10.77.0.1:2,10.77.0.2:2 -n 4 --mca plm_rsh_agent $dir/agent \
		--mca plm_rsh_no_tree_spawn 1 --mca btl self,vader,tcp --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
		--bind-to none $*" < /dev/null > "$dir/out" 2>&1
}
run hostname
[ $? != 124 ] || { echo "FAIL two hosts: mpirun took longer than $((300 * ${SLOW:-1})) s to start hostname"; cat "$dir/out"; exit 1; }
if [ "$(sort -u "$dir/out" | grep -c '^rsh-')" != 2 ]; then
	echo "skipped: two hosts (mpirun does not start processes in namespaces here)"; sed "s/^/    /" "$dir/out"
	exit 0
fi
# one WHAT: runs the script there
one() {
	if run "$RANKSH" "$dir/script.rsh" && grep -q "both hosts done" "$dir/out"; then
		echo "ok two hosts: a script of four ranks, $1"
	else
		echo "FAIL two hosts: $1"
		cat "$dir/out"
	fi
}
one "two on each"
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
RANKSH_CUDA=$(realpath "$standin") RANKSH_STANDIN="gpus=2" RANKSH_DEVICE=cuda
export RANKSH_CUDA RANKSH_STANDIN
one "with a GPU each"
grep -q '4 ranks, 4 x ' "$dir/out" && echo "ok two hosts: NCCL is said to be used" || { echo "FAIL two hosts: NCCL"; cat "$dir/out"; }
