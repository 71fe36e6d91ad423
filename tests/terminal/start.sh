# start.sh -- the first screen, a session, and leaving it
. tests/terminal/lib.sh

open 80 24 -n 4
check "the first screen names the ranks" shows '4 ranks on the simulated machine "classroom"'
check "the first prompt is at time 0" shows '^0.00 ms > *$'
line 'tensor x[256,256] w[256,256] = randn seed=1'
line 'y = matmul x w'
check "a queued line moves the prompt's clock by its launch" shows '^0.02 ms >'
line 'sync'
check "sync moves it by the work" shows '^2.0[0-9] ms > *$'
line 'y = matmul(x, w)'
check "a mistake says what to write" shows 'write: y = matmul x w'
line 'repeat 2 {'
check "an open block asks for more" shows '^\.\.\. >'
line 'y = add y x }'
check "a block runs when it is closed" shows '^2\.[0-9]* ms > *$'
clear_screen
keys -l 'matm'
keys Tab
check "TAB ends the word" shows '> matmul *$'
keys C-c
# rank 0 does not answer the TAB: Ctrl-C forgets the line all the same
clear_screen
hold
keys -l 'matm'
keys Tab
for look in $(seq 40); do nap; done
check "TAB waits for ranks that are busy, and leaves the line" shows '> matm *$'
keys C-c
check "... Ctrl-C ends that" shows 'matm^C'
keys -l 'stra'
keys Tab
go
check "... and the next TAB has its own answer" shows '> strategy *$'
keys C-c
line 'use @1'
check "the prompt names its ranks" shows '^@1 '
keys C-d
check "Ctrl-D leaves" left

open 80 24 -n 2
check "two ranks" shows 'both ranks'
keys Enter
check "Enter begins the tour" shows 'tour 1/8'
check "a step of it is over" shows '^   Enter goes on'
refute "the tour says nothing of what is queued: its next line draws it" shows 'queued on default: '
keys Enter
check "Enter goes on" shows 'tour 2/8'
line quit
check "quit leaves" left

ENVIRONMENT='NO_COLOR=1' open 80 24 -n 2
check "NO_COLOR: a prompt" shows 'ms >'
line 'tensor x[64,64] = randn; y = matmul x x; bogus'
check "NO_COLOR: a message" shows "no command 'bogus'"
line 'timeline'
check "NO_COLOR: a timeline" shows '^ *default .* matmul y '
settle
coloured() { tm capture-pane -p -e | grep -q "$(printf '\033')\\[3[0-9;]*m"; }
refute "NO_COLOR: no colours" coloured
ENVIRONMENT='TERM=dumb' open 80 24 -n 2
check "TERM=dumb: a prompt" shows 'ms >'
line 'bogus'
check "TERM=dumb: a message" shows "no command 'bogus'"
settle
refute "TERM=dumb: no colours" coloured
for whole in view 'spin 1ms; replay' 'split'; do
	line "$whole"
	check "TERM=dumb: no $whole" shows "^${whole##*; }: this terminal cannot show it"
done
ENVIRONMENT=
open 80 24 -n 2
check "colours: a prompt" shows 'ms >'
line 'bogus'
check "colours: a message" shows "no command 'bogus'"
check "colours where they are welcome" coloured

open 80 24 --dry -n 1024
check "--dry opens a prompt too" shows '1024 ranks'
line 'tensor x[64,64] = randn; y = matmul x x; sync'
check "--dry: a thousand ranks answer" shows '^0\.[0-9]* ms > *$'
open 80 24 -n 1
check "one rank needs no mpirun" shows '1 rank on'
line 'set hello=off'
line 'quit'
check "one rank: quit" left
open 80 24 -n 1
check "set hello=off is remembered" ends_with_prompt
settle
refute "no first screen then" showed 'simulated machine'

# an mpirun that never comes to an end
fake() {
	fake_mpirun "$folder" "$1
exec sleep 1000"
	ENVIRONMENT="RANKSH_MPI=$folder" open 80 24 -n 2
}
fake ''
check "ranks that take long to start" shows 'starting the ranks .*Ctrl-C stops it'
keys C-c
check "Ctrl-C stops them" left 4
fake 'echo "mpirun noticed that process rank 1 with PID 7 on node x exited on signal 11 (Segmentation fault)." >&2'
check "an mpirun that hangs when a rank has died is ended" showed '^rank 1 died of signal 11'
check "... and ranksh too" left 4

fake 'exit 1'
check "an mpirun that ends with 1 is reported" showed '^mpirun ended with status 1'
check "... with status 4" left 4

# a script's start is shown, too, and goes on for as long as it takes
script() { open_command 80 24 "trap : INT; cd $folder; env RANKSH_MPI=$1 $RANKSH -n 2 -c 'say \"runs\"'; echo status \$?; exec sleep 1000"; }
fake ''
script "$folder"
check "a script whose ranks take long to start" shows '^   starting the ranks  [2-9] s   (Ctrl-C stops it)'
keys C-c
check "... Ctrl-C stops it" shows '^status 130'
refute "... and its line is gone" shows 'starting the ranks'
fake_mpirun "$folder" "until [ -e $folder/go ]; do sleep 0.1; done
exec $(command -v mpirun) \"\$@\""
script "$folder"
check "ranks that are slow" shows 'starting the ranks'
: > "$folder/go"
check "... come" shows '^runs'
check "... with status 0" shows '^status 0'
refute "... the line of progress is gone" shows 'starting the ranks'

# lines that are typed, with the output in a pipe
open_command 80 24 "cd $folder; $RANKSH -n 2 | cat; exec sleep 1000"
check "a terminal without a prompt" shows '^note: there is no prompt, because the output is not a terminal; '
line 'say "typed"'
check "... lines run as they come" shows '^typed'
line 'say "typed again"'
check "... each of them" shows '^typed again'

# ranks that are slow only the second time, under an mpirun that ends with 1 when it is stopped
fake_mpirun "$folder" "[ -e $folder/slow ] || exec $(command -v mpirun) \"\$@\"
trap 'exit 1' TERM
sleep 1000 &
wait"
ENVIRONMENT="RANKSH_MPI=$folder" open 80 24 -n 2
check "a prompt before a restart" shows 'ms >'
line 'let a = 7'
settle
: > "$folder/slow"
line 'restart'
check "a restart that takes long says so" shows 'starting the ranks .*Ctrl-C stops it'
keys C-c
check "Ctrl-C stops it, in words" shows '^stopped before the ranks had started'
check "... and what can be done now" shows 'restart  *new ranks, the same lines again'
rm "$folder/slow"
line 'restart'
check "... which brings them" shows '2 lines run again'
line 'print a'
check "... with their lines" shows '\] a = 7'
