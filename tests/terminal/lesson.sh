# lesson.sh -- a lesson at the prompt: a prediction, refused lines, check, hints, undo, again; a
# rank that dies, Ctrl-C in a check, a narrow terminal
. tests/terminal/lib.sh
RANKSH=${RANKSH:-$(pwd)/ranksh}
cat > "$folder/two.rsh" <<'END'
# lesson: Two
# minutes: 5
# learned: You can read a lesson.
## Twice
# Task: z = x twice through w.
#: start
tensor x[256,256] w[256,256] = randn seed=rank scale=0.1
def alike { let own = 1 }
mark task
#: reference
r1 = matmul x w;  r = matmul r1 w
#: predict how long until z is there? = time
#: choice each launch took 8 ms
set launch=8ms
y = matmul x w;  z = matmul y w
#: check
expect close(z, r)   # z is not x w w
expect hostwait <= best(hostwait)   # nothing is needed yet
#: hint
# queue one behind the other
#: solution
y = matmul x w
z = matmul y w
#: wrong
y = matmul x w;  print y[0,0];  z = matmul y w
#: ask on which stream did it run? = "default"
## Thrice
# Task: the same again.
#: start
tensor x[256,256] w[256,256] = randn seed=rank scale=0.1
mark task
#: check
expect count(matmul) == 3   # three
#: hint
# three
#: solution
repeat 3 { y = matmul x w }
END

open 80 24 -n 2
check "a prompt" shows 'ms >'
line 'lesson ./two.rsh'
check "the task and its question are in sight" shows 'First guess: how long'
check "... with choices" shows 'a 4.[0-9]* ms *b 1[0-9.]* ms'
check "... the commands last" shows 'check *hint *again'
line 'y = matmul x w'
check "no line is taken before a guess" shows 'first a guess: .predict ANSWER., or .skip.'
line 'predict 3'
check "a guess is one of the choices" shows 'a letter was expected'
line 'predict c'
check "... that are there" shows 'the answers are a to b'
line 'timeline'
check "looking is free" shows 'nothing has run'
line 'predict b'
check "a guess" shows 'noted: b'
line 'predict a'
check "... is not taken back" shows 'your guess is b'
clear_screen
line 'task'
check "... and stands beside the question" shows '^ *your guess is b *$'
line 'y = matmul x w'
line 'set launch=1us'
check "steering is refused" shows 'changes what is measured'
line 'print y[0,0]'
line 'z = matmul y w'
line 'check'
check "the numbers are right, the host is not" shows 'ms in .print. (line 2)'
line 'hint'
check "first the idea" shows 'queue one behind the other'
line 'hint'
check "then the line too many" shows 'is your line 2 needed? .print y'
line 'answer default'
check "the question waits for a right check" shows 'comes once .check. says right'
line 'undo 2'
line 'z = matmul y w'
line 'check'
check "what was taken back does not count" shows 'right *.next. goes on'
check "the guess is told" shows 'yours would be right if each launch took'
check "... and the question asked" shows 'Look: on which stream'
line 'answer io'
check "an answer that is wrong" shows 'not correct'
line 'answer default'
check "one that is right" shows 'right: .next. goes on'
line 'hint'
check "what is right needs no hint" shows 'right as they are'
line 'u = relu z'
line 'undo'
check "lines run again" shows 'taken back: u = relu z'
refute "... and the answers without a word" showed 'run again, is refused'
line 'alike'
settle
refute "... and the task's defs are its own still" showed 'is the task.s own'
line 'again'
line 'check'
check "again: nothing was typed" shows "no tensor 'z'"
line 'y = matmul x w'
settle
kill -9 "$(rank 1)" 2>/dev/null
line 'sync'
check "a rank that dies is told" shows 'restart'
line 'restart'
check "restart" shows '2 new ranks; [0-9]* lines\{0,1\} run again'
line 'z = matmul y w'
settle
clear_screen
line 'check'
check "the lines typed before count behind it" shows 'right *.next. goes on'
line 'next'
check "the next task" shows 'task 2/2 *Thrice'
line 'repeat 1000000000 { let i = 1 }'
check "a line that does not end" shows 'Ctrl-C stops it'
keys C-c
check "Ctrl-C ends a line" shows 'interrupted'
line 'repeat 3 { y = matmul x w }'
line 'check'
check "what Ctrl-C ended does not count" shows 'right *this was the last task'
check "what was learned" shows 'You can read a lesson'
line 'undo'
clear_screen
line 'hint'
check "what was taken back is right no more" shows '^ *three$'
line 'solution run'
line 'u = relu y'
line 'undo'
clear_screen
line 'check'
check "the solution stands for what was typed behind an undo too" shows 'right *this was the last task'
line 'lesson off'
line 'set launch=1us'
line 'reset'
check "behind the lesson all is free" shows '0.00 ms > *$'
line 'lesson 99'
check "no such lesson" shows 'no lesson 99'
line 'quit'
check "quit" left

open 44 24 -n 2
check "a prompt on 44 columns" shows 'ms >'
line 'lesson ./two.rsh'
line 'skip'
line 'check'
check "a report on 44 columns" shows 'not yet'
line 'quit'
check "quit there" left
