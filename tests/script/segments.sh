#!/bin/sh
# segments.sh -- a job's shared memory is in its own folder, which disappears with the job or at
# the next start, whichever processes were killed
. tests/script/lib.sh
cd "$work" || exit 1
[ -w /dev/shm ] || { echo "skipped segments.sh: /dev/shm cannot be written"; exit 0; }
unset OMPI_MCA_btl_vader_backing_directory OMPI_MCA_btl_sm_backing_directory
LC_ALL=C

until_true() { for look in $(seq $((3000 * ${SLOW:-1}))); do "$@" && return; timeout 0.1 tail -f /dev/null; done; false; }
# begin NAME: ranksh with lines down a pipe, which has answered one; its process in $front, its folder in $own
begin() {
	rm -f "$1.in"
	mkfifo "$1.in"
	"$RANKSH" -n 2 < "$1.in" > "$1.out" 2>&1 &
	front=$!
	exec 9> "$1.in"
	echo 'tensor x[4] = rank; allreduce x; sync; print x' >&9
	until_true grep -q 'x = 1' "$1.out"
	mpirun=$(pgrep -P $front -x 'mpirun|prterun')
	own=$(tr '\0' '\n' < "/proc/$mpirun/environ" | sed -n 's/^RANKSH_SEGMENTS=//p')
}
there() { [ -d "$own" ]; }
not_there() { [ ! -e "$own" ]; }
gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"; }
filled() { ls "$own" | grep -q '_segment'; }

begin killed
check "each job has a folder" there
check "... with the segments of its ranks" filled
kill -9 "$mpirun"
wait $front
check "it goes when mpirun was killed" not_there
exec 9>&-

begin ends
exec 9>&-
wait $front
check "it goes at the end" not_there

begin dead
ranks=$(pgrep -P "$mpirun")
kill -9 $front "$mpirun" $ranks
wait $front 2> wait.out
for pid in $mpirun $ranks; do until_true gone "$pid"; done
exec 9>&-
dead=$own
begin next
check "the next start removes it" [ ! -e "$dead" ]
living=$own
"$RANKSH" -n 2 -c 'say "beside"' > out 2>&1
own=$living
check "and leaves that of a job which runs" filled
exec 9>&-
wait $front

# settings of the user's
mkdir mine
OMPI_MCA_btl_vader_backing_directory=$work/mine OMPI_MCA_btl_sm_backing_directory=$work/mine "$RANKSH" -n 2 -c 'say "runs"' > out 2>&1
check "a folder of the user's own" grep -q runs out
