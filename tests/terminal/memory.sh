# ranks that get no more memory, at a prompt: one of them ends the job, and `restart` brings it back; all of them alike refuse the line
. tests/terminal/lib.sh
[ -z "${SANITIZED:-}" ] || { echo "skipped memory.sh: a sanitizer ends a process that gets no memory"; exit 0; }
command -v prlimit > /dev/null || { echo "skipped memory.sh: prlimit is not there"; exit 0; }

# limit KB RANK...: no more address space than the rank has now and KB beside
limit() {
	room=$1
	shift
	for rank in "$@"; do
		pid=$(rank "$rank")
		prlimit --pid "$pid" --as=$((($(awk '/^VmSize/ { print $2 }' "/proc/$pid/status") + room) * 1024))
	done
}

open 80 24 -n 3
check "a prompt" shows 'ms >'
line 'tensor x[8,8] = rank; allreduce x; a = allgather x; sync'
line 'print x[0,0]'
check "an answer" shows '\] x\[0,0\] = 3'
limit 8000 1
ranks=$(below "$(front)")
line 'repeat 1000000 { spin 1us }'
check "a rank that is out of memory says so" shows 'rank 1: .*this computer is out of memory'
check "the job ends" shows 'the ranks have ended the job'
check "restart is offered" shows 'restart   new ranks'
check "nobody is left" all_gone $ranks
keys C-l
line 'restart'
check "restart runs the lines again" shows '3 new ranks; 2 lines run again'
line 'peek x[1,1]'
check "the data are back" shows 'x\[1,1\] = 3'

keys C-l
limit 60000 0 1 2
line 'repeat 1000000 { spin 1us }'
check "all alike are out of memory: the line is refused" shows '^this computer is out of memory'
check "... and the prompt comes back" ends_with_prompt
keys C-l
line 'peek x[1,1]'
check "the world is as before" shows 'x\[1,1\] = 3'
line 'quit'
check "quit" dead_pane
