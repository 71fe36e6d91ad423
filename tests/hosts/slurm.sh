#!/bin/sh
# slurm.sh -- ranksh under Slurm, with the commands of docs/guide/cluster.md
#
#     login  10.78.0.1  slurmctld     a bridge joins the three; each has a network and a UTS
#     n1     10.78.0.2  slurmd        namespace of its own
#     n2     10.78.0.3  slurmd
#
# All processes are in one PID namespace, which ends with the test, and all files in one folder.
# KEEP=1 keeps that folder, with the daemons' logs.
set -u
# settings of tests/run with which Open MPI expects mpirun
unset OMPI_MCA_schizo PMIX_MCA_gds OMPI_MCA_orte_bound_at_launch HWLOC_COMPONENTS HWLOC_PLUGINS_PATH
page=docs/guide/cluster.md
skip() { echo "skipped: Slurm ($1)"; exit 0; }

# outside of the namespaces: begins the test in them, and removes its folder
if [ -z "${CLUSTER:-}" ]; then
	for program in unshare nsenter setpriv ip tmux; do
		command -v $program > /dev/null || skip "no $program"
	done
	[ -e build/slurm/complete ] || command -v slurmctld > /dev/null || skip "not here: \`make deps-check\` unpacks it"
	[ "$(id -u)" = 0 ] || skip "its daemons need root"
	spaces="unshare --net --uts --mount --pid --fork --kill-child --mount-proc"
	$spaces true 2> /dev/null || skip "namespaces are not allowed here"
	CLUSTER=$(mktemp -d)
	export CLUSTER
	inside=
	clean_cluster() {
		[ -z "$inside" ] || { kill -KILL "$inside"; wait "$inside"; } 2> /dev/null
		if [ -n "${KEEP:-}" ]; then echo "kept: $CLUSTER"; else rm -rf "$CLUSTER"; fi
	}
	trap clean_cluster EXIT
	trap 'exit 130' INT TERM HUP
	setpriv --pdeathsig KILL $spaces sh "$0" &
	inside=$!
	wait $inside
	status=$?
	inside=
	exit $status
fi

# ---- the cluster ----

mount --make-rprivate / && mount -t tmpfs tmpfs /run && hostname login
# Debian's packages at their places, if they are not installed but unpacked (tools/unpack)
slurm=$PWD/build/slurm/usr
if [ -e "$slurm" ] && ! command -v slurmctld > /dev/null; then
	for program in slurmctld slurmd slurmstepd; do ln -sf "$program-wlm" "$slurm/sbin/$program"; done
	mount -t overlay overlay -o lowerdir="$slurm:/usr" /usr || skip "overlayfs is not allowed here"
fi
chmod 755 "$CLUSTER"
mkdir "$CLUSTER/munge" "$CLUSTER/state" "$CLUSTER/bin" "$CLUSTER/home" "$CLUSTER/tmp-n1" "$CLUSTER/tmp-n2"
printf '127.0.0.1 localhost\n10.78.0.1 login\n10.78.0.2 n1\n10.78.0.3 n2\n' > "$CLUSTER/hosts"
mount --bind "$CLUSTER/hosts" /etc/hosts 2> /dev/null
cat > "$CLUSTER/slurm.conf" <<END
ClusterName=test
SlurmctldHost=login(10.78.0.1)
AuthInfo=socket=$CLUSTER/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool-%n
TmpFS=$CLUSTER/tmp-%n
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd-%n.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0
MpiDefault=none
GresTypes=gpu
NodeName=n1 NodeAddr=10.78.0.2 CPUs=8 Gres=gpu:2
NodeName=n2 NodeAddr=10.78.0.3 CPUs=8 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES State=UP
END
mknod "$CLUSTER/gpu0" c 1 3 && mknod "$CLUSTER/gpu1" c 1 3
echo "NodeName=n[1-2] Name=gpu File=$CLUSTER/gpu[0-1]" > "$CLUSTER/gres.conf"
# node NAME ADDRESS: a network namespace on the bridge
node() {
	ip netns add "$1"
	ip link add "$1" type veth peer name eth0 netns "$1"
	ip link set "$1" master switch up
	ip -n "$1" link set lo up
	ip -n "$1" addr add "$2/24" dev eth0
	ip -n "$1" link set eth0 up
	nsenter --net="/run/netns/$1" unshare --uts sh -c "hostname $1; exec slurmd -D" > "$CLUSTER/$1.out" 2>&1 &
}
export SLURM_CONF="$CLUSTER/slurm.conf" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
start_cluster() {
	ip link set lo up
	ip link add switch type bridge
	ip addr add 10.78.0.1/24 dev switch
	ip link set switch up
	head -c 128 /dev/urandom > "$CLUSTER/munge/key"
	chmod 400 "$CLUSTER/munge/key"
	munged --socket="$CLUSTER/munge/socket" --key-file="$CLUSTER/munge/key" --pid-file="$CLUSTER/munge/pid" \
		--log-file="$CLUSTER/munge/log" --seed-file="$CLUSTER/munge/seed" && slurmctld &&
		node n1 10.78.0.2 && node n2 10.78.0.3
}
start_cluster > "$CLUSTER/start" 2>&1
ready() { [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = 2 ]; }

# ---- what the tests use ----

TMPDIR=$CLUSTER
export TMPDIR
. tests/terminal/lib.sh
PATIENCE=10 until_true ready || { echo "skipped: Slurm (its daemons do not start here)"; tail -n 5 "$CLUSTER"/*.log "$CLUSTER/start"; exit 0; }
ln -s "$RANKSH" "$CLUSTER/bin/ranksh"
PATH=$CLUSTER/bin:$PATH
cd "$CLUSTER/home" || exit 1
page=$OLDPWD/$page
# on_page BEGINNING: the command of the page that begins so
on_page() {
	grep "^    \\$ $1" "$page" | head -1 | sed 's/^    \$ //' | tee -a "$CLUSTER/used" | grep . || echo "false # '$1' is not on the page"
}
# block NAME: the page's block of that name
block() { awk -v name="$1" '/^```/ { inside = $2 == name; next } inside' "$page"; }
# run COMMAND: runs it in a shell, with its output in `out` and its exit status in $status
run() {
	timeout $((60 * ${SLOW:-1})) sh -c "$1" > out 2>&1 < /dev/null
	status=$?
}
# right NAME COMMAND...: one check
right() {
	name=$1
	shift
	if "$@"; then echo "ok Slurm: $name"; else echo "FAIL Slurm: $name"; tail -n 30 out; tail -n 5 "$CLUSTER"/*.log; fi
}
says() { grep -q -e "$1" "${2:-out}"; }

# ---- the page's commands ----

block file=mean.rsh > mean.rsh
block job.sh > job.sh
mean='^the mean of 4 ranks is 1.5$'

run "$(on_page "ranksh -n 4 -c")"
right "on the login node: four ranks" says '^\[3\] rank = 3'
run "$(on_page "ranksh --dry")"
right "on the login node: --dry" says '^\[0-1023\] time = 1.02 ms'

# batch: runs the page's job, with its output in `out` and the state that Slurm gave it in $state
batch() {
	run "$(on_page sbatch)"
	until_true over
	state=$(scontrol show job "$(tr -dc 0-9 < out)" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p')
	run "$(on_page "cat job.out")"
}
over() { [ -z "$(squeue -h)" ]; }
batch
right "sbatch runs a script" says "$mean"
right "... whose job is complete" [ "$state" = COMPLETED ]
sed -i '1a expect 1 == 2' mean.rsh
batch
right "... and fails if an expect fails" [ "$state" = FAILED ]
sed -i 2d mean.rsh

run "$(on_page "srun --mpi=pmix -N 2 -n 4 ranksh mean")"
right "srun --mpi=pmix runs a script" says "$mean"
right "... with status 0" [ $status = 0 ]
run "srun --mpi=pmix -N 2 -n 4 ranksh < mean.rsh"
right "... and lines from the input, without a note" [ "$status $(grep -c note: out)" = "0 0" ]

refused=$(on_page "srun --mpi=none")
run "$refused"
right "srun without PMIx is refused" [ $status = 2 ]
right "... once" [ "$(grep -c 'srun started 4 processes' out)" = 1 ]
grep -A3 -F "    \$ $refused" "$page" | sed '1d; s/^    //' > wanted
right "... in the words of the page" [ "$(grep -cxFf wanted out)" = 3 ]
run "srun --mpi=pmi2 -n 4 ranksh mean.rsh"
right "srun --mpi=pmi2: Open MPI's own page, once" [ "$status $(grep -c 'SLURM.s PMI support' out)" = "1 1" ]
for alone in "-n 1 mean.rsh" "--dry -c 'spin 1ms'" --version; do
	run "srun --mpi=none -n 2 ranksh $alone"
	right "srun without PMIx: ranksh $alone runs" [ $status = 0 ]
done
run "srun --mpi=none -n 2 ranksh doctor"
right "... ranksh doctor runs, once" [ "$(grep -c 'launcher *srun started 2 processes' out)" = 1 ]
run "RANKSH_LAUNCHER=none srun --mpi=none -n 2 ranksh -n 4 mean.rsh"
right "... and RANKSH_LAUNCHER=none" [ "$status $(grep -c "$mean" out)" = "0 2" ]

RANKSH_CUDA=$(dirname "$RANKSH")/standin
export RANKSH_CUDA RANKSH_STANDIN="gpus=2 free"
run "$(on_page "srun --mpi=pmix -N 2 --ntasks-per-node=2 --gpus")"
right "four GPUs" says '^cuda: 4 ranks, 4 x '
right "... run the script" says "$mean"

# ---- prompts ----

open_command 110 30 "cd $CLUSTER/home && PS1='$ ' exec sh"
line "$(on_page salloc)"
check "Slurm: salloc opens a shell" shows 'Granted job allocation'
line 'ranksh -n 16 mean.rsh'
check "Slurm: ... more ranks than it has tasks are refused" shows 'more than the 4 slots'
line "$(on_page 'ranksh$')"
check "Slurm: ... and ranksh opens a prompt" shows '^0.00 ms > *$'
line 'print rank'
check "Slurm: ... on four ranks" shows '^\[3\] rank = 3'
nodes() { for pid in $(pgrep -x ranksh); do nsenter -t "$pid" --uts hostname; done | sort | uniq -c | tr -s ' \n' ' '; }
on_both() { [ "$(nodes)" = ' 1 login 3 n1 1 n2 ' ]; }
check "Slurm: ... on both nodes" on_both
line quit
until_true showed 'ranksh --resume'
line "ranksh -c 'print world'; ranksh -n 2 -c 'print world'; ranksh -n 20 -c sync"
check "Slurm: without -n, ranksh takes the allocation" shows '^\[0-3\] world = 4'
check "Slurm: ... with -n, fewer" shows '^\[0,1\] world = 2'
check "Slurm: ... and not more" shows '^ranksh: -n 20 is more than the 4 slots of the Slurm job [0-9]*; -n 4 or fewer'
line exit
check "Slurm: exit gives the nodes back" showed 'Relinquishing'

open_command 110 30 "cd $CLUSTER/home && PS1='$ ' exec sh"
line "$(on_page 'srun -n 1 -c 4 --pty')"
running() { [ "$(squeue -h -o %T)" = RUNNING ]; }
check "Slurm: a shell on a node" running
line "$(on_page 'ranksh -n 4$')"
check "Slurm: ... has a prompt" shows '^0.00 ms > *$'
open_command 110 30 "cd $CLUSTER/home && PS1='$ ' srun --mpi=pmix -N 2 -n 4 --pty sh"
line "ranksh -n 4 mean.rsh"
check "Slurm: a shell on two nodes, with PMIx, starts ranks on both" shows "the mean of 4 ranks is 1.5"

sed -n 's/^    \$ //p' "$page" | sort -u > commands
sort -u "$CLUSTER/used" | comm -23 commands - > out
right "every command of the page was run" [ ! -s out ]
