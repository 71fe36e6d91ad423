#!/bin/sh
# start.sh -- if mpirun cannot start the ranks, a script ends with a message and status 4, never
# with 1 (a false `expect`)
. tests/script/lib.sh
cd "$work" || exit 1
mounted=
trap 'cd /; [ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT

# refuses NAME WORDS COMMAND: in a shell of its own, before the script
refuses() {
	(eval "$3"; within 60 "$RANKSH" -n 2 -c 'say "runs"') > out 2>&1 < /dev/null
	status=$?
	check "$1: status 4" [ $status = 4 ]
	check "$1: in words" grep -q -e "$2" out
}
refuses "10 open files" 'mpirun needs 38 open files for 2 ranks, and the limit is 10' 'ulimit -n 10'
refuses "24 open files" 'the limit is 24: .*or fewer ranks (-n)' 'ulimit -n 24'
(ulimit -Sn 24; within 60 "$RANKSH" -n 2 -c 'say "runs"') > out 2>&1
check "a soft limit is raised" grep -q runs out
refuses "small files" 'mpirun needs files of [0-9]* MB, and the limit is [48] kB' 'ulimit -f 8'
if [ -z "${SANITIZED:-}" ]; then # which needs much address space and stack itself
	refuses "little address space" 'mpirun needs an address space of 300 MB, and the limit is 195' 'ulimit -v 200000'
	refuses "a small stack" 'mpirun needs a stack of 512 kB, and the limit is 128 kB' 'ulimit -s 128'
	refuses "little data" 'mpirun needs data of 64 MB, and the limit is 19' 'ulimit -d 20000'
fi
refuses "no such folder" 'TMPDIR=.*/none: No such file .*: `export TMPDIR=/' 'export TMPDIR=$work/none'
refuses "a file as folder" 'TMPDIR=.*/out: Not a directory' ': > $work/out; export TMPDIR=$work/out'
mkdir full
if mount -t tmpfs -o size=64k tmpfs full 2> mount.out; then
	mounted=$work/full
	refuses "no room" 'full has room for .*, and mpirun needs 9 MB there' 'export TMPDIR=$work/full'
fi
# without room for segments in shared memory, messages go by TCP
if unshare -m true 2> mount.out; then
	unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$0" -n 2 -c "say \"runs\""' "$RANKSH" > out 2>&1 < /dev/null
	check "little shared memory: nothing but the output" [ "$(cat out)" = runs ]
fi
# an mpirun that ends by itself
fake_mpirun "$work" 'exit ${MPIRUN_STATUS:-1}'
refuses "mpirun ends with 1" 'mpirun ended with status 1' 'export RANKSH_MPI=$work'
refuses "mpirun ends with 2" 'mpirun ended with status 2' 'export RANKSH_MPI=$work MPIRUN_STATUS=2'
(PATH=/bin:$PATH; within 60 "$RANKSH" -n 2 -c 'say "runs"') > out 2>&1
check "/bin before /usr/bin on PATH" grep -q runs out
"$RANKSH" -n 2 -c 'expect 1 == 2' > out 2>&1
check "a false expect is 1" [ $? = 1 ]
"$RANKSH" -n 2 -c 'bogus' > out 2>&1
check "a refused line is 2" [ $? = 2 ]
