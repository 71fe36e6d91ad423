# memory.sh -- ranks get no more memory at a prompt: the job ends with a message, and new ranks run
# the lines before the last one without being asked
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
check "a rank that is out of memory says so" shows '^rank 1: this computer is out of memory ([0-9]* bytes wanted)'
check "the job ends" shows 'the job ends'
check "new ranks run the lines before it" shows '3 new ranks; 2 lines run again'
check "nobody is left of the old ones" all_gone $ranks
check "the prompt is back" ends_with_prompt
line 'peek x[1,1]'
check "the data are back" shows 'x\[1,1\] = 3'

clear_screen
limit 60000 0 1 2
line 'repeat 1000000 { spin 1us }'
check "all alike are out of memory" shows '3 new ranks; 2 lines run again'
clear_screen
line 'peek x[1,1]'
check "the data are back again" shows 'x\[1,1\] = 3'

# A line that fits once and not again: the replay ends there, and does not begin again by itself. The next job's rank 1 starts with
# less memory: mpirun is a script here, which starts each rank through another one.
fake_mpirun "$folder" "$(printf 'for word do\n\tshift\n\t[ "$word" != "%s" ] || set -- "$@" "%s/rank"\n\tset -- "$@" "$word"\ndone\nexec %s "$@"\n' \
	"$(realpath "$RANKSH")" "$folder" "$(command -v mpirun)")"
printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != 1 ] || [ ! -e %s/most ] || ulimit -v "$(cat %s/most)"\nMALLOC_ARENA_MAX=1 exec "$@"\n' \
	"$folder" "$folder" > "$folder/rank"
chmod +x "$folder/rank"
ENVIRONMENT="RANKSH_MPI=$folder" open 80 24 -n 3
check "a prompt under this mpirun" shows 'ms >'
line 'tensor x[8,8] = rank; allreduce x; sync'
line 'print x[2,2]'
check "an answer there" shows '\] x\[2,2\] = 3'
most=$(($(awk '/^VmPeak/ { print $2 }' "/proc/$(rank 1)/status") + 80000))
line 'repeat 300000 { spin 1us }'       # 250 MB
check "a line with room enough" shows '^600[0-9][.0-9]* ms >'
echo "$most" > "$folder/most"
line 'restart'
check "the replay ends at the line that finds no memory" shows 'line 3 of 3, run again: repeat 300000'
check "restart is offered" shows 'restart   new ranks'
rm "$folder/most"
line 'restart'
check "... and does it once there is memory" shows '3 new ranks; 3 lines run again'
line 'peek x[2,2]'
check "the data are back after that" shows 'x\[2,2\] = 3'
line 'quit'
check "quit" dead_pane
