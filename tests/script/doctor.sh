#!/bin/sh
# doctor.sh -- `ranksh doctor` under planted conditions: each gives its line, with the consequence,
# and the line to type; the exit status says whether a session can start
. tests/script/lib.sh
standin=$(dirname "$RANKSH")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin
cd "$work" || exit 1
mounted=
trap 'cd /; for place in $mounted; do umount "$place"; done; rm -rf "$work"' EXIT

# doctor ARGUMENTS...: the report in `out`, each check on one line, and the exit status
doctor() {
	within 60 "$RANKSH" doctor "$@" > wrapped 2>&1 < /dev/null
	status=$?
	awk '!/^ / && NR > 1 { print line; line = "" } { sub(/^ +/, " "); line = line $0 } END { print line }' wrapped > out
}
# planted STATUS SETUP: the report under a condition, which is made in a shell of its own
planted() {
	(eval "$2"; doctor; echo $status > status)
	check "$2: status $1" [ "$(cat status)" = "$1" ]
}
row() { check "... $2: $3" grep -q -x -e "$1 *$2  *$3" out; }
type_line() { check "... type $1" [ "$(tail -1 out | sed 's/^type *//')" = "$1" ]; }

# as it is
planted 0 :
row ok "Open MPI" '[45]\.[0-9.]* .*(/.*/mpirun[a-z.]*); it starts the ranks'
row ok processors '[0-9]*; 4 ranks start in [0-9.]* s, up to [0-9]* are comfortable'
row ok locale 'C.UTF-8; pictures are drawn with blocks'
row ok start 'not tried; `ranksh doctor --try` starts 2 ranks'
type_line ranksh
check "no escape codes in a pipe" sh -c '! grep -q "$(printf "\033")" wrapped'
check "at most 25 lines of 80 columns" awk 'length > 80 { wide = 1 } END { exit wide || NR > 25 }' wrapped
doctor -n 2 --try
check "--try starts ranks" grep -q 'ok *start *2 ranks started and ended in .*s; sessions start' out
type_line 'ranksh -n 2'

# folders
mkdir full
if mount -t tmpfs -o size=64k tmpfs full 2> mount.out; then
	mounted=$work/full
	planted 1 'export TMPDIR=$work/full'
	row problem temporary '.*/full: 64 kB free; mpirun needs 9 MB there'
	type_line 'export TMPDIR=/tmp'
	cp /dev/zero full/zeros 2> mount.out
	planted 0 'export XDG_STATE_HOME=$work/full'
	row note home '.*: No space left on device; no --resume, history, progress of lessons: set XDG_STATE_HOME'
	mkdir fixed
	mount -t tmpfs -o ro tmpfs fixed
	mounted="$mounted $work/fixed"
	planted 0 'unset XDG_STATE_HOME; export HOME=$work/fixed'
	row note home '.*/.local/state/ranksh: Read-only file system; no --resume, .*'
	planted 0 'export OMPI_MCA_btl_sm_backing_directory=$work/full'
	row note shared '.*/full: 0 B free; 4 ranks use [0-9]* MB: messages go by TCP, half as fast'
	check "... and a session starts" within 60 "$RANKSH" -n 2 -c 'barrier'
fi
planted 1 'export TMPDIR=$work/none'
row problem temporary '.*/none: No such file or directory; mpirun needs 9 MB there'
type_line 'export TMPDIR=/tmp'

# limits
planted 1 'ulimit -n 20'
row problem 'open files' '20 at most; 4 ranks need 48: mpirun would hang'
planted 1 'ulimit -f 8'
row problem limits 'files of [48] kB at most; mpirun cannot make its files: it needs [0-9]* MB'
if [ -z "${SANITIZED:-}" ]; then
	planted 1 'ulimit -v 200000'
	row problem limits 'an address space of 195.3 MB at most; mpirun would hang: it needs 300 MB'
fi
if [ "$(id -u)" = 0 ]; then
	(ulimit -n 20; doctor)
	type_line 'ulimit -n 48'
fi
planted 0 'ulimit -Sn 20'
check "... a soft limit is no problem" sh -c '! grep -q "open files" out'
row ok limits 'files, processes, sizes, network: enough; mpirun can start'
doctor -n 500
row note processors '[0-9]*; 500 ranks start in [0-9.]* s: that is slow; up to [0-9]* are comfortable'

# another MPI
mkdir mpich other
printf '#!/bin/sh\necho "HYDRA build details:"\n' > mpich/mpirun
printf '#!/bin/sh\necho "mpirun (Open MPI) 3.1.2"\n' > other/mpirun
chmod +x */mpirun
planted 0 'PATH=$work/mpich:$PATH'
row note 'other MPI' '.*/mpich/mpirun (MPICH) is first on PATH; for ranksh use /.*/mpirun[a-z.]*'
type_line ranksh
planted 0 'PATH=$PATH:$work/other'
row ok 'other MPI' '.*/mpirun (Open MPI [0-9.]*) is on PATH, too; it is not used'
planted 1 'export RANKSH_MPI=$work/mpich'
row problem 'Open MPI' 'RANKSH_MPI: .*/mpich is not Open MPI: .*; only one process runs'
type_line 'unset RANKSH_MPI'
(export RANKSH_MPI=$work/mpich; doctor -n 1)
row note 'Open MPI' 'RANKSH_MPI: .*'
type_line 'ranksh -n 1'

# launchers
row ok launcher 'none; `ranksh` starts the ranks itself'
srun='export SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3 SLURM_NTASKS=3 SLURM_PROCID='
planted 1 "${srun}0"
row problem launcher 'srun started 3 processes (SLURM_STEP_NUM_TASKS), which MPI does not connect; `ranksh` is refused in them'
type_line 'srun --mpi=pmix -n 3 ranksh FILE.rsh'
(eval "${srun}1"; doctor)
check "... the other processes are silent" [ ! -s wrapped ]
planted 1 'export RANK=0 WORLD_SIZE=4 LOCAL_RANK=0'
row problem launcher 'torchrun started 4 processes (WORLD_SIZE), .*'
type_line 'ranksh -n 4 FILE.rsh'
planted 0 'export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0'
row ok launcher 'this is process 0 of 2 of mpirun; a file or lines run on all; a prompt needs a shell'

# hosts
check "no hosts, no line" sh -c '! grep -q hosts out'
planted 0 'export SLURM_JOB_ID=7 SLURM_NTASKS=16 SLURM_JOB_NUM_NODES=2 SLURM_JOB_NODELIST="n[1-2]" SLURM_TASKS_PER_NODE="8(x2)"'
row ok hosts 'the Slurm job 7: 2 hosts, 16 slots; `ranksh` starts 16 ranks'
type_line ranksh
doctor --hosts n1:12,n2:4 -n 40
row problem hosts '-n 40 is more than the 16 slots of --hosts.*; no session starts'
check "... status 1" [ $status = 1 ]
printf 'localhost slots=3\n' > three
doctor --hostfile three --try
row ok hosts 'three: 1 host, 3 slots; `ranksh` starts 3 ranks'
row ok start '3 ranks started and ended in [0-9.]* s; sessions start'
type_line 'ranksh --hostfile three'

# terminal and locale
planted 0 'export LC_ALL=C'
row note locale 'C is not UTF-8; pictures use # and =: `export LC_ALL=C.UTF-8`'
planted 0 'export LC_ALL=xx_XX.UTF-8'
row ok locale 'xx_XX.UTF-8, replaced by C.UTF-8; pictures are drawn with blocks'
row note terminal 'none at the input; `ranksh` reads lines, without a prompt'
if command -v script > /dev/null; then
	# typed TERM COMMAND: in a terminal of 80 columns
	typed() { TERM=$1 script -qec "stty cols 80 rows 24; $2" /dev/null < /dev/null 2>&1 | tr -d '\r' > wrapped; }
	typed nonsense "$RANKSH doctor"
	check "TERM=nonsense" grep -q 'terminal   TERM=nonsense is not known here; no `view`, and keys may' wrapped
	check "... no line wraps" sh -c 'sed "s/$(printf "\033")\[[0-9;]*m//g" wrapped | awk "length > 80 { exit 1 }"'
	typed xterm-256color "$RANKSH doctor"
	check "a terminal" grep -q 'terminal   xterm-256color, 80 x 24, 256 colours; prompt and `view` work' wrapped
	check "... in colours" grep -q "^$(printf '\033')\[38;5;114mok *$(printf '\033')\[0m" wrapped
	typed xterm-256color "NO_COLOR=1 $RANKSH doctor"
	check "NO_COLOR" sh -c "grep -q '^ok  *terminal .*no colours (NO_COLOR)' wrapped && ! grep -q '$(printf '\033')' wrapped"
	typed dumb "$RANKSH doctor"
	check "TERM=dumb" grep -q '^note  *terminal   TERM is dumb; no colours, no `view`' wrapped
fi

# GPUs, whose libraries are the stand-in's
gpus() {
	unset RANKSH_DEVICE
	RANKSH_CUDA=$standin RANKSH_STANDIN="$1" XDG_CACHE_HOME=$work/cache TMPDIR=$work
	export RANKSH_CUDA RANKSH_STANDIN XDG_CACHE_HOME TMPDIR
}
planted 0 'gpus gpus=1'
row ok GPU 'Stand-in GPU, 14.9 GB, CUDA 13.0; 4 ranks share it'
row ok libraries 'cuBLAS, NVRTC, NCCL 2.28.9; the ranks run on GPUs'
if ! grep -aq unary.fatbin "$RANKSH"; then
	row ok kernels 'not compiled yet for this GPU; the first start takes up to a minute more'
	(gpus gpus=1; within 120 "$RANKSH" -n 1 -c 'barrier' > out 2>&1)
	planted 0 'gpus gpus=1'
	row ok kernels 'compiled; a start compiles nothing'
	planted 0 'gpus gpus=1; export XDG_CACHE_HOME=/proc HOME=/proc TMPDIR=/proc'
	row note kernels 'no folder can keep them compiled; each start takes up to a minute more: .*'
fi
planted 0 'gpus gpus=4'
row ok GPU '4 x Stand-in GPU, .*; 4 ranks have one each'
planted 0 'gpus driver=11040'
row note GPU '.*/libcuda.so.1 is a driver for CUDA 11.4, and 12.0 is the least; the ranks are simulated: install a driver for CUDA 12.0 or later'
planted 1 'gpus driver=11040; export RANKSH_DEVICE=cuda'
row problem GPU '.*/libcuda.so.1 is a driver .*; --device cuda is refused: .*'
type_line 'export RANKSH_DEVICE=sim'
planted 0 'gpus gpus=1; export RANKSH_CUDA=/nowhere'
row note GPU 'RANKSH_CUDA=/nowhere has no driver; the ranks are simulated: `unset RANKSH_CUDA` looks elsewhere, too'
planted 0 'gpus fail=cuInit:1'
row note GPU "NVIDIA's driver (CUDA 13.0) is there, but no GPU for it: cuInit: .*; the ranks are simulated: .*"
planted 1 'gpus die=0:1'
row problem GPU "NVIDIA's driver ends the process (signal 9, Killed); a start dies of it, too: .*"
type_line 'export RANKSH_DEVICE=sim'
planted 0 'export RANKSH_DEVICE=sim'
row ok GPU 'not looked for; the ranks are simulated, by RANKSH_DEVICE=sim'
planted 1 'export RANKSH_DEVICE=gpu'
row problem GPU "RANKSH_DEVICE is auto, sim or cuda, not 'gpu'; no session starts"
mkdir part
ln -s "$standin/libcuda.so.1" part
planted 0 'gpus gpus=1; export RANKSH_CUDA=$work/part'
row note libraries 'no cuBLAS.*; the ranks are simulated: `pip install nvidia-cublas.*`'

# with much to say the report stays short
mkdir -p fixed
(
	gpus gpus=16; XDG_CACHE_HOME=/proc RANKSH_CUDA=$work/part LC_ALL=C HOME=$work/fixed PATH=$work/mpich:$PATH TMPDIR=$work/full
	OMPI_MCA_btl_sm_backing_directory=$TMPDIR
	eval "${srun}0"
	unset XDG_STATE_HOME
	export LC_ALL HOME PATH OMPI_MCA_btl_sm_backing_directory
	doctor
)
check "at most 25 lines of 80 columns in the worst case" awk 'length > 80 { wide = 1 } END { exit wide || NR > 25 || NR < 18 }' wrapped

# a user who may not open the driver's files
if command -v setpriv > /dev/null && unshare -m true 2> mount.out; then
	cat > forbidden.sh <<'EOF2'
mount -t tmpfs -o mode=755 tmpfs /dev && mknod -m 666 /dev/null c 1 3 && mkdir -m 1777 /dev/shm && touch /dev/nvidiactl && chmod 600 /dev/nvidiactl
unset RANKSH_DEVICE XDG_STATE_HOME
HOME=/nonexistent exec setpriv --reuid=65534 --regid=65534 --clear-groups "$RANKSH" doctor
EOF2
	if setpriv --reuid=65534 --regid=65534 --clear-groups "$RANKSH" --version > out 2>&1; then
		unshare -m sh forbidden.sh 2>&1 < /dev/null | cat > wrapped
		check "no permission on the driver's files" grep -q '^note  *GPU  *no permission on /dev/nvidiactl; the ranks are simulated' wrapped
	fi
fi

# a control group's memory
group=/sys/fs/cgroup/memory/ranksh-test-$$
if mkdir $group 2> mount.out && echo 100M > $group/memory.limit_in_bytes 2> mount.out; then
	(echo 0 > $group/cgroup.procs && doctor)
	row note memory '[0-9.]* MB free; 4 ranks take 120 MB, so some may be killed: fewer ranks (-n) take less'
	(echo 0 > $group/cgroup.procs && within 60 "$RANKSH" -n 4 -c 'tensor x[4000,4000] = ones; sync') > out 2>&1
	check "a rank that memory ran out for" grep -q 'rank [0-3] died of signal 9 (Killed): memory ran out; .* `ranksh doctor` shows how much there is' out
fi
# a group stays busy until its processes have ended
for look in $(seq 50); do [ -d $group ] && ! rmdir $group 2> mount.out && timeout 0.1 tail -f /dev/null || break; done

# as JSON
doctor --json
check "--json: one line" [ "$(wc -l < wrapped)" = 1 ]
check "... with a version" grep -q '^{"ranksh":1,"kind":"doctor","version":"0.1","ranks":4,"starts":true,"type":"ranksh","checks":\[{"name":"Open MPI"' wrapped
check "... and numbers" grep -q '"name":"open files","severity":"ok","text":"[0-9]* at most","consequence":"4 ranks need 48","numbers":{"files":[0-9]*,"files_wanted":48}}' wrapped
if command -v python3 > /dev/null; then
	check "... that is JSON" python3 -c 'import json; checks = json.load(open("wrapped"))["checks"]; assert len(checks) > 10 and all(c["text"] and c["consequence"] for c in checks)'
fi
(export TMPDIR=$work/none; doctor --json; echo $status > status)
check "--json of a problem" grep -q '"severity":"problem","text":"[^"]*/none: No such file' wrapped
check "... and what to type" grep -q '"starts":false,"type":"export TMPDIR=/tmp"' wrapped
check "... status 1" [ "$(cat status)" = 1 ]

# the command line
refused() { doctor $1; check "doctor $1" grep -q -e "$2" out; check "... status 2" [ $status = 2 ]; }
refused F.rsh 'doctor cannot be combined with a file or lines: ranksh doctor'
refused --tyr 'no option --tyr; did you mean --try?'
"$RANKSH" --try > out 2>&1
check "--try without doctor" grep -q -e '--try: did you mean `ranksh doctor --try`?' out
"$RANKSH" doctor > /dev/full 2> out
check "a full disk: status 4" [ $? = 4 ]
