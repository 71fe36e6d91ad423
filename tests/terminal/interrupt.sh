# interrupt.sh -- Ctrl-C returns to the prompt, at the same place on every rank
. tests/terminal/lib.sh

open 80 24 -n 4
check "a prompt" shows 'ms >'
line 'tensor x[16,16] = ones'
settle
line 'repeat 1000000000 { let a = 1 }'
check "a long line says that it runs" shows 'Ctrl-C stops it'
keys C-c
check "Ctrl-C in a loop of the language" shows '^interrupted'
check "... and the prompt is back" ends_with_prompt
clear_screen
line 'y = add x x'
settle
weigh
line 'repeat 1000000000 { y = add x x }'
check "a loop queues work" grown 5000
hold
check "... and says that it runs" shows 'Ctrl-C stops it'
interrupt
go
check "Ctrl-C in a loop that queues work" shows '^interrupted'
check "... and the prompt is back again" ends_with_prompt
clear_screen
line 'print y[0,0]'
check "what was queued answers" shows '\[0-3\] y\[0,0\] = 2'
settle
refute "all ranks stopped at the same place" showed 'a bug of ranksh'
line 'undo 3'
check "undo takes the stopped line back" shows 'taken back: repeat 1000000000 { y'
keys -l 'not a line at all'
check "a half line" shows 'not a line at all$'
keys C-c
keys -l 'say "still here"'
keys Enter
check "Ctrl-C at the prompt clears the line" shows '^still here\|\] still here'

# `run` says where it was stopped, `undo` what it takes back, and the end how to come back
line 'strategy ddp'
line 'run 1000000'
check "a long run says that it runs" shows 'Ctrl-C stops it'
keys C-c
check "Ctrl-C in run tells the iteration" shows '^interrupted in iteration [0-9]'
clear_screen
hold
line 'sweep layers=1:4096:x2'
check "a long sweep says that it runs" shows 'Ctrl-C stops it'
interrupt
go
check "Ctrl-C in a sweep is no line of the model's" shows '^interrupted$'
clear_screen
hold
line 'hunt context all'
check "a long search says that it runs" shows 'Ctrl-C stops it'
interrupt
go
check "Ctrl-C ends it" shows '^interrupted$'
line 'let z = 1'
line 'undo'
check "lines run again behind it" shows 'taken back: let z = 1'
settle
refute "... and it ends at the same place on all ranks" showed 'a bug of ranksh'
line 'undo 3'
check "undo says what it takes back" shows 'taken back: run 1000000'
clear_screen
line 'reset'
line 'model gpt layers=40; strategy ddp'
settle
hold
line 'hunt ddp all'
check "a search of a long model" shows 'Ctrl-C stops it'
interrupt
go
check "... is no line of the model's either" shows '^interrupted$'
line 'run 1'
settle
clear_screen
hold
line 'verify'
check "verify trains the model on one rank" shows 'Ctrl-C stops it'
interrupt
go
check "... and names no line of it" shows '^interrupted$'
keys C-d
check "the end says how to come back" shows 'ranksh --resume. opens this again'

# a look at a huge world is long work of rank 0 and of all: Ctrl-C ends it too
open 80 24 --dry -n 4096
check "a prompt of a huge world" shows 'ms >'
line 'repeat 400 { spin 1us; barrier }'
settle
# stopped while it grows, long before its 1.4 GB are there: on a processor of any speed it is not over then
weigh
line 'export big.json'
check "an export grows" grown 50000
hold
check "... and says that it runs" shows 'Ctrl-C stops it'
interrupt
go
check "Ctrl-C in an export" shows '^interrupted'
check "... and the prompt is back" ends_with_prompt
refute "no half file is left" sh -c "ls $folder | grep -q big"
