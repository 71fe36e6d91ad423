#!/bin/sh
# limit.sh -- --limit ends a run with a message and status 4, also while a rank does not look at a
# clock
. tests/script/lib.sh
cd "$work" || exit 1

# rank 0 waits for one that stands still
mkfifo in
"$RANKSH" -n 2 --limit 3s < in > out 2>&1 &
job=$!
exec 9> in
echo 'say "here"' >&9
for look in $(seq $((300 * ${SLOW:-1}))); do grep -q here out && break; timeout 0.1 tail -f /dev/null; done
mpirun=$(pgrep -P $job -x 'mpirun|prterun')
for pid in $(pgrep -P "${mpirun:-0}"); do tr '\0' '\n' < "/proc/$pid/environ" | grep -qx OMPI_COMM_WORLD_RANK=1 && kill -STOP "$pid"; done
echo 'tensor x[4] = ones; allreduce x; sync; print x' >&9
exec 9>&-
wait $job
check "a rank stands still: status 4" [ $? = 4 ]
check "a rank stands still: in words" grep -q 'ranksh: stopped: more than 3 s (--limit)' out
