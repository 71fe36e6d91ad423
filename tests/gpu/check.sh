#!/bin/sh
# check.sh FOLDER -- tests ranksh on this computer's GPU. Prints "ok" or "FAIL" for each check, and
# their numbers. Strategies and lessons run at 1, 2 and 4 ranks that share the GPU (at 1 with
# NCCL), each script once, typed sessions at a few numbers of ranks, the sanitizer at 1. Parts:
# kernels scripts lessons verify sanitizer typed. FEW=yes: one script of each kind. It takes at
# most a quarter of an hour; a check for which no time is left has failed.
set -u
LIMIT=${LIMIT:-900}
# sessions come after one another, and with less memory each starts sooner
export RANKSH_GPU_MEMORY="${RANKSH_GPU_MEMORY-16GB}"
cd "$(dirname "$0")/../.." || exit 1
. tests/gpu/lib.sh
ranks_of() { sed -n 's/^# ranks \([0-9][0-9 ]*\).*/\1/p' "$1" | head -1 | grep . || echo 4; }

# every kernel, type and form against double precision, or against the simulator bit for bit
kernels() {
	for family in elements rows moving matmul attention; do
		test=$(program test_cuda_kernels_$family)
		if [ -z "$test" ]; then echo "skipped: test_cuda_kernels_$family is not there: make unit"; continue; fi
		right "kernels: $family" 120 env RANKSH_DEVICE=cuda "$test"
	done
}
# a copy of what the scripts read, where they may leave files
scratch() {
	rm -rf "$work/folder"
	mkdir "$work/folder" && ln -s "$PWD"/* "$work/folder"
}
# script FILE RANKS: the text that the simulator gives
script() {
	scratch
	right "$1 at $2 ranks" 120 sh -c "cd '$work/folder' && '$RANKSH' -n $2 --device cuda --machine classroom --test $1"
}
# each once, the design's first: at its least number of ranks above 1, as each rank takes a second to start on a GPU that it shares
scripts() {
	if [ -n "${FEW:-}" ]; then
		script tests/script/commands/collectives.rsh 4
		return
	fi
	for file in tests/script/design/*.rsh $(ls tests/script/*.rsh tests/script/*/*.rsh | grep -v /design/); do
		grep -q '^# sim: ' "$file" && continue
		ranks=$(ranks_of "$file" | tr ' ' '\n' | grep -vx 1 | head -1)
		script "$file" "${ranks:-1}"
	done
}
# each task's starter and its solution, in a world on the GPU; `check` plays its own on the simulator
lessons() {
	for ranks in 4 2 1; do
		for file in lessons/[0-9]*.rsh; do
			case " $(sed -n 's/^# ranks: //p' "$file") " in *" $ranks "*) ;; *) continue ;; esac
			number=$(basename "$file" | sed 's/^0*\([0-9]*\)-.*/\1/') all=$(grep -c '^## ' "$file")
			for task in $(seq "$all"); do
				printf 'lesson %s\nsolution run\nsync\n@0 say "played"\n' "$number.$task"
			done > "$work/lesson.rsh"
			within 120 "$RANKSH" -n $ranks --device cuda "$work/lesson.rsh"
			status=$?
			played=$(grep -c '^played$' "$work/out")
			if [ $status = 0 ] && [ "$played" = "$all" ]; then ok "$file at $ranks ranks: $played tasks"; else bad "$file at $ranks ranks: $played of $all, status $status"; fi
			[ -z "${FEW:-}" ] || return
		done
	done
}
# each strategy trains what one rank trains
verify() {
	for ranks in 1 2 4; do
		strategies="serial dataparallel ddp zero fsdp context pipeline"
		[ $ranks = 1 ] || strategies="dataparallel ddp zero fsdp tp context experts pipeline"
		[ -z "${FEW:-}" ] || strategies=$(echo "$strategies" | cut -d' ' -f1-3)
		for strategy in $strategies; do
			model='model gpt layers=4 hidden=32 heads=4 seq=8 batch=8 vocab=16'
			[ "$strategy" != experts ] || model="$model experts=4"
			echo "$model; strategy $strategy; verify iterations=2"
		done > "$work/verify.rsh"
		within 120 "$RANKSH" -n $ranks --device cuda "$work/verify.rsh"
		status=$?
		same=$(grep -c 'as one rank after 2 iterations' "$work/out") all=$(wc -l < "$work/verify.rsh")
		if [ $status = 0 ] && [ "$same" = "$all" ]; then ok "verify at $ranks ranks: $same strategies"; else bad "verify at $ranks ranks: $same of $all, status $status"; fi
	done
}
# one session of one rank under NVIDIA's checker
sanitizer() {
	checker=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null)
	if [ -z "$checker" ]; then echo "skipped: compute-sanitizer is not there (it comes with NVIDIA's toolkit)"; return; fi
	cat > "$work/short.rsh" <<'END'
model gpt layers=2 hidden=64 heads=4 seq=64 batch=2 vocab=64 dtype=bf16
strategy ddp
run 2
tensor a[65,70] b[70,130] c[65,70] = randn seed=1
y = matmul a b
c += relu a
s = softmax a
z = matmul a.T[0:60] b[0:65]
print norm(y) norm(s) norm(z)
END
	for tool in memcheck racecheck; do
		within 150 "$checker" --tool $tool --error-exitcode 9 --report-api-errors no --target-processes all "$RANKSH" -n 1 --device cuda "$work/short.rsh"
		status=$?
		found=$(grep -c 'ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards' "$work/out")
		if [ $status = 0 ] && [ "$found" -gt 0 ]; then ok "compute-sanitizer, $tool"; else TAIL=40 bad "compute-sanitizer, $tool: status $status"; fi
	done
}
# a thousand lines that nobody would type, aborts among them
typed() {
	if [ -z "$(program fuzz_lines)" ]; then echo "skipped: fuzz_lines is not there: make fuzzer"; return; fi
	count=17
	[ -z "${FEW:-}" ] || count=1
	within 170 env RANKSH_DEVICE=cuda sh tests/fuzz/sessions.sh $count 1 150
	status=$?
	if [ $status = 0 ]; then ok "$(sed -n 's/^ok //p' "$work/out")"; else bad "typed sessions: status $status"; fi
}
for part in kernels verify typed sanitizer lessons scripts; do
	! wanted $part || $part
done
total
