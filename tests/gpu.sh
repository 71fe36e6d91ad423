#!/bin/sh
# gpu.sh -- tests `make check-gpu` and `make bench-gpu` without a GPU. On the stand-in the facts
# about the GPU are printed, even if a call fails, and parts of both scripts find and print their
# results. Without the libraries both scripts report what is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(dirname "$(realpath "${RANKSH:-build/ranksh}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/environment

# facts FOLDER OPTIONS: the program's output, with N for each number
facts() {
	RANKSH_CUDA=$1 RANKSH_STANDIN=$2 timeout $((300 * ${SLOW:-1})) "$build/gpu/facts" > "$work/said" 2>&1 || echo "status $?"
	sed 's/[0-9][0-9.]*/N/g; /^MPS: /d' "$work/said"
}
# check NAME: the standard input equals $work/wanted
check() {
	if diff "$work/wanted" - > "$work/differs"; then echo "ok $1"; else
		echo "FAIL $1 (< wanted, > found)"
		cat "$work/differs"
	fi
}

cat > "$work/wanted" <<'EOF2'
driver: CUDA N
GPU N: Stand-in GPU, N GB
NCCL: N
queueing a fill: N us
queueing an event: N us
least time between two events: N us
copy, pinned to GPU: N GB/s
copy, GPU to pinned: N GB/s
copy, on the GPU: N GB/s
memory between processes (IPC): yes
waits of streams between processes: yes
EOF2
facts "$build/standin" "" | check "every fact of the stand-in is told"
cp "$work/wanted" "$work/all"
sed 's/^memory between.*/memory between processes (IPC): no, cuIpcGetMemHandle: CUDA_ERROR_UNKNOWN (unknown error)/' "$work/all" > "$work/wanted"
facts "$build/standin" "fail=cuIpcGetMemHandle:1" | check "without IPC that is told, and the rest"
sed 's/^waits of.*/waits of streams between processes: no, the peer cannot wait/' "$work/all" > "$work/wanted"
facts "$build/standin" "fail=cuStreamWaitValue32:1" | check "without waits of streams that is told, and the rest"
echo "skipped: NVIDIA's driver (libcuda.so.N) is not there: looked in /nonexistent; it comes with the driver of a GPU (apt install nvidia-driver)" > "$work/wanted"
facts /nonexistent "" | check "without libraries it says what is missing"

# run SCRIPT [NAME=VALUE...]: the script's last lines and its status
run() {
	script=$1
	shift
	env "$@" timeout $((600 * ${SLOW:-1})) sh "tests/gpu/$script.sh" "$build" > "$work/said" 2>&1
	echo "status $?" >> "$work/said"
	tail -"$lines" "$work/said" | sed 's/[0-9][0-9.]* s$/N s/; s/: [0-9.]* (at/: N (at/'
}
standin="RANKSH_CUDA=$build/standin"
lines=3
cat > "$work/wanted" <<'EOF2'
ok tests/script/commands/collectives.rsh at 4 ranks: N s
1 passed, 0 failed, N s
status 0
EOF2
run check "$standin" ONLY=scripts FEW=yes | check "a script runs on the GPU at hand"
cat > "$work/wanted" <<'EOF2'
    no time was left for it
0 passed, 1 failed, N s
status 1
EOF2
run check "$standin" ONLY=scripts FEW=yes LIMIT=0 | check "... and what had no time has failed"
cat > "$work/wanted" <<'EOF2'
ok copy of the next batch under compute, hidden of the shorter: N (at least 0.95), on a stand-in without a verdict
1 passed, 0 failed, N s
status 0
EOF2
run bench "$standin" ONLY=hidden | check "a figure is measured beside what the GPU does alone"
lines=2
cat > "$work/wanted" <<'EOF2'
skipped: NVIDIA's driver (libcuda.so.1) is not there: looked in /nonexistent; it comes with the driver of a GPU (apt install nvidia-driver)
status 0
EOF2
run bench RANKSH_CUDA=/nonexistent | check "without a GPU nothing is measured"
