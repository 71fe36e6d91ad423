#!/bin/sh
# json.sh -- `ranksh --json`: an object for each answer and each line's end, exit statuses, refused
# starts; a class whose lines come from a pipe. tests/script/python.sh interrupts and kills.
. tests/script/lib.sh
cd "$work" || exit 1
XDG_STATE_HOME=$work/state
export XDG_STATE_HOME
# json OPTIONS...: the objects of a session with these options are in `out`, its status in $status
json() { within 60 "$RANKSH" --json "$@" > out 2> errors; status=$?; }
# has LINE KIND TEXT: an object of that line and kind has the text
has() { grep "^{\"ranksh\":1,\"line\":$1,\"kind\":\"$2\"" out | grep -qF "$3"; }
ends_with() { [ $status = "$1" ] && tail -1 out | grep -q "\"kind\":\"end\",.*\"exit\":$1}$"; }

json -n 2 <<'END'
stream io compute

tensor h[256,256] pinned = randn; tensor x[256,256] w[256,256] = randn
copy h -> x on io; y = matmul x w on compute
repeat 2 {
spin 1ms
}
foo
sync; print time rank x[0,0] "text"
expect time < 1us
view
peek y
END
check "the first object has the ranks" has 0 start '"ranks":2,"now":0,"version":"'
check "each line ends with an object" [ "$(grep -c '"kind":"done"' out)" = 12 ]
check "an empty line is no Enter" [ "$(grep -c '"line":2,' out)" = 1 ]
check "a report of queued work is a note" has 4 output '"severity":"note","text":"   x queued on io: 1.00 ms of work'
check "a race is a warning" has 4 output '"severity":"warning","text":"   race: '
check "a block is open until its last line" has 6 'done' '"status":"incomplete"'
check "... and then runs" has 7 'done' '"status":"ok","ranks":2,"now":'
check "a refused line has an error" has 8 error '"severity":"error","text":"no command '
check "... and its reason at its end" has 8 'done' '"severity":"error","status":"name"'
check "the session goes on" has 9 output '[0] time = '
check "... with numbers by rank" has 9 'done' '"rank":[0,1],'
check "... and for all, in ns" sh -c 'grep -q "\"line\":9,.*\"done\".*\"numbers\":{\"time\":[0-9]\{7\},.*\"x\[0,0\]\":" out'
check "text has no colours" sh -c '! grep -q "\"text\":\"[^\"]*u001b" out && grep -q "\"ansi\":\"[^\"]*u001b" out'
check "a false expect" has 10 'done' '"severity":"error","status":"expect"'
check "a line for a terminal is refused" has 11 error 'this line needs a terminal'
check "the status is that of the first line that failed" ends_with 2
check "... and nothing else is printed" sh -c '[ ! -s errors ] && ! grep -qv "^{\"ranksh\":1," out'
check "no journal is written" sh -c '! ls state/ranksh/journal-* 2> /dev/null'

json --dry -n 4 -c 'strategy ddp
run 1
stats
whatif link_rate=2x
quit
print 1'
check "a run's numbers" has 2 'done' '"iteration":1,"finished":'
check "the figures of stats" has 3 'done' '"exposed communication":'
check "... and of whatif, before and after" sh -c 'grep -q "\"line\":4,.*\"time before\":[0-9]*,\"time\":[0-9]*,\"exposed before\"" out'
check "quit ends the session" ends_with 0
check "... at once" sh -c '! grep -q "\"line\":6" out'
printf '@0 send x to=1' > last.rsh
json --dry -n 2 last.rsh
check "a refused file's line" ends_with 2
json --dry -n 2 -c 'tensor x[4]
@0 send x to=1'
check "ranks that are stuck at the end" ends_with 3
check "... are reported" has 2 error 'stuck at the end'
json --dry -n 2 -c 'expect 1 == 2'
check "an expect decides the status" ends_with 1
json -n 1 -c 'say "a'
check "an open quote at the end" ends_with 2
check "... is an error" has 1 error 'still open at the end of the input'
json -n 1 --journal log -c sync
check "a journal belongs to lines from the input" has 0 error 'cannot be combined with a file or lines'
echo 'let a = 3' | json -n 1 --journal log
check "... which is written" grep -q '"line":"let a = 3"' log
yes "print 1" | within 60 "$RANKSH" --json --dry -n 1 2> errors | head -c 100 > out
check "a reader that leaves ends the session" grep -q '^{"ranksh":1,"line":0,"kind":"start"' out
within 60 "$RANKSH" --json --dry -n 1 -c 'print 1' > /dev/full
check "a full disk" [ $? = 4 ]
json --dry -n 1 --limit 1s -c 'repeat 100000000 { spin 1us }'
check "a line that takes longer than the limit" has 1 'done' '"status":"interrupted"'

# ---- refused starts
json -n 0
check "a wrong option is an object" has 0 error "1 to 4096, not '0'"
check "... with the status" ends_with 2
json --test last.rsh
check "--json runs no test" has 0 error 'it cannot be combined with --test'
json last.rsh M=1
check "... and sets no variable" has 0 error 'it cannot be combined with M=1'
json nowhere.rsh
check "a file that is not there" has 0 error 'cannot read nowhere.rsh: No such file'
within 60 sh -c 'ulimit -n 100; exec "$RANKSH" --json -n 64 -c sync' > out
status=$?
check "a start that fails" has 0 error 'mpirun needs 348 open files'
check "... is no session" ends_with 4

# ---- a class
mkdir lab
within 60 "$RANKSH" --class lab --as ada -n 1 > out 2> errors <<'END'
lesson 1
skip
y1 = matmul x nobody
check
solution run
check
END
status=$?
check "a class down a pipe: answers as text" grep -q '^   right   `next` goes on' out
check "... without colours" sh -c '! grep -q "$(printf "\033")" out'
check "... the rest beside them" grep -q '^   class lab, you are ada$' errors
check "... a mistake with its line" grep -q "^input:3: no tensor 'nobody'" errors
check "... and its status" [ $status = 2 ]
check "... the learner's file" sh -c 'grep -q "\"what\":\"check\",\"task\":\"1.1\",\"words\":\"right\"" lab/ada.*.jsonl && tail -1 lab/ada.*.jsonl | grep -q leave'
"$RANKSH" --overview lab --once > out
check "... and the board" grep -q '^ ada  *1  1.1 ✓··' out
echo check > solve.rsh
json -n 1 --class lab --as ada solve.rsh
check "a class and a file, as JSON" has 1 error 'no lesson is open'
json -n 1 -c 'lesson 1
check
solution run
check'
check "a wrong check" has 2 lesson '"severity":"error","event":"check","task":"1.1","words":"y3 is not x w w w"'
check "... is as a false expect" has 2 'done' '"status":"expect"'
check "a right one" has 4 lesson '"severity":"ok","event":"check","task":"1.1","words":"right"'
check "... with the open task" has 4 'done' '"task":"task 1.1"'
