#!/bin/sh
# memory.sh -- one of several ranks gets no more memory while a script runs: the job ends with a
# message and status 4
. tests/script/lib.sh
[ -z "${SANITIZED:-}" ] || { echo "skipped memory.sh: a sanitizer ends a process that gets no memory"; exit 0; }
command -v prlimit > /dev/null || { echo "skipped memory.sh: prlimit is not there"; exit 0; }
trap '' PIPE

# the process of rank $2 below process $1
rank_of() {
	for child in $(pgrep -P "$1"); do
		if [ "$(readlink "/proc/$child/exe")" = "$RANKSH" ] && tr '\0' '\n' < "/proc/$child/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2"; then
			echo "$child"
		else
			rank_of "$child" "$2"
		fi
	done
}
# limit PID KB: no more address space than it has now and KB beside
limit() { prlimit --pid "$1" --as=$((($(awk '/^VmSize/ { print $2 }' "/proc/$1/status") + $2) * 1024)); }

# session NAME RANK KB WANTED_STATUS WANTED_TEXT LINE: rank RANK of 3 has KB kilobytes left when
# LINE runs
session() {
	mkfifo "$work/in"
	timeout $((300 * ${SLOW:-1})) "$RANKSH" -n 3 < "$work/in" > "$work/out" 2>&1 &
	job=$!
	exec 9> "$work/in"
	echo 'tensor x[64,64] = rank; allreduce x; a = allgather x; sync; print x[0,0]' >&9
	for look in $(seq $((300 * ${SLOW:-1}))); do
		grep -q '= 3' "$work/out" && break
		timeout 0.1 tail -f /dev/null
	done
	limit "$(rank_of $job "$2")" "$3"
	echo "$6" >&9
	exec 9>&-
	wait $job
	status=$?
	if [ $status = "$4" ] && grep -q -e "$5" "$work/out"; then
		echo "ok memory: $1"
	else
		echo "FAIL memory: $1: status $status, and $4 and '$5' were wanted"
		sed 's/^/    /' "$work/out"
	fi
	rm -f "$work/in"
}
out() { echo "^rank $1: this computer is out of memory ([0-9]* bytes wanted)"; }
session "a rank's books are full: it says so, and the job ends" 1 8000 4 "$(out 1)" 'repeat 1000000 { spin 1us }'
session "the last rank" 2 8000 4 "$(out 2)" 'repeat 1000000 { spin 1us }'
session "rank 0 too" 0 8000 4 "$(out 0)" 'repeat 1000000 { spin 1us }'
session "others in a message do not wait for it for ever" 1 8000 4 "$(out 1)" \
	'repeat 400 { repeat 1000 { spin 1us }; allreduce x }; sync'
session "no address space to take part in a message" 1 8000 4 '^rank [012]: ' 'tensor big[3000,3000] = ones; allreduce big; sync; print big[0,0]'
session "numbers alone have no room" 1 30000 4 "$(out 1)" \
	'tensor big[2000,2000] = ones; tensor more[2000,2000] = ones; z = add more more; print x[0,0]'
session "no address space for the buffer of a product" 1 60000 4 "$(out 1)" 'tensor u[200,200] = ones; v = matmul u u; print v[0,0]'
# the threads that OpenBLAS would start want such buffers, too, as soon as it is opened
(
	ulimit -v $(($(awk '/^VmPeak/ { print $2 }' /proc/self/status) + 150000)) && within 60 "$RANKSH" -n 1 -c 'tensor u[2,2] = ones; v = matmul u u'
) > "$work/out" 2>&1
status=$?
if [ $status != 124 ]; then echo "ok memory: little address space: it ends"; else
	echo "FAIL memory: little address space: it hangs"
	sed 's/^/    /' "$work/out"
fi
