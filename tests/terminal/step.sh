# step.sh -- a strategy, step by step: Enter runs the next step
. tests/terminal/lib.sh

open 100 40 -n 2
check "a prompt" shows 'ms >'
line 'model mlp layers=2 hidden=16 batch=8'
line 'strategy ddp'
check "a strategy says what it wrote" shows 'setup steps'
keys Enter
check "Enter plays a step" shows 'step 1/3 of the setup'
check "with its lines" shows 'stream co'
keys Enter
check "and the next one" shows 'step 2/3 of the setup'
line 'run 2'
check "run tells the loss" shows 'iteration 2   loss'
line 'step back'
line 'program'
check "back in iteration 1, before its last step" shows ' >.*the optimizer'
line 'reset'
keys Enter
check "after a reset the program is at its start" shows 'step 1/3 of the setup'
# what a step's calls did; and a file of one's own, with names completed
line 'model mlp layers=2 hidden=16 batch=8'
line 'strategy ddp'
line 'run 1'
line 'step 2'
line 'step in'
check "step in shows what the calls did" shows 'matmul x0_0 w1 on compute'
line 'step back'
line 'program'
check "step back is one step back" shows ' >   2 '
keys -l 'strategy dd'
keys Tab
check "a strategy's name is completed" shows 'strategy ddp'
keys C-u
keys -l 'allreduce w1 op=av'
keys Tab
check "... and the word of an option" shows 'allreduce w1 op=avg'
keys C-u
# a file of one's own is completed as the built-in ones are: its name, its options, their words
printf '# halved: the gradients\n# axis dp\noption times=two of="one two" "how often"\n' > "$folder/halved.rsh"
keys -l 'strategy halv'
keys Tab
check "a strategy's file is completed" shows 'strategy halved.rsh *$'
keys -l 'ti'
keys Tab
check "so are its options" shows 'strategy halved.rsh times=$'
keys -l 'o'
keys Tab
check "and their words, behind the =" shows 'strategy halved.rsh times=one$'
keys C-u
line 'strategy ddp help'
check "its head is its help" showed 'bucket='
line 'help kernels'
check "a long help waits for a key" shows 'q: enough --$'
keys q
check "... and the rest is left out" ends_with_prompt
line 'help kernels'
check "another waits, too" shows 'q: enough --$'
line 'qsay "was typed ahead"'
check "what is typed behind the q is the prompt's" showed '^was typed ahead$'
line 'help kernels'
check "a third waits, too" shows 'q: enough --$'
keys Up
line 'say "behind an arrow"'
check "an arrow ends it, all of its bytes" showed '^behind an arrow$'
# Ctrl-C in a walk that never ends leaves the program before
printf 'for it in 0:1 {\nrepeat 1000000000 { let x = 1 }\n}\n' > "$folder/endless.rsh"
line 'program endless.rsh'
check "an endless program is walked through" shows 'Ctrl-C stops it'
keys C-c
check "an endless program is given up" showed 'endless.rsh:2.*interrupted'
line 'step'
check "and the one before goes on" shows 'step 2/'
# ... and so it is with a strategy's file
printf '# endless: for a test\ndef setup { replaced;  repeat 1000000000 { let x = 1 } }\n' > "$folder/never.rsh"
clear_screen
line 'strategy never.rsh'
check "an endless strategy is walked through" shows 'Ctrl-C stops it'
keys C-c
check "an endless strategy is given up" shows 'never.rsh:2.*interrupted'
line 'step'
check "and the one before goes on from there" shows 'step 3/'
# a demo is a file
printf '## numbers\ntensor x[4] = iota\n## their sum\nallreduce x; print x\n' > "$folder/demo.rsh"
clear_screen
line 'source --step demo.rsh'
check "source --step lists the sections" shows '2  their sum'
line ''
check "... Enter plays the first" shows 'step 1/2 *numbers'
line ''
check "... and the next" shows 'x = 0 4 8 12\|x = 0 2 4 6'
check "a section's lines stand as the file has them" shows '^    allreduce x; print x$'
line '@1 slow 3x'
line 'source --step demo.rsh'
check "what outlasts the world before is told" shows 'from before: slow: rank 1 3x'
line '@1 slow 1x'
clear_screen
tm send-keys -l 'sweep bucke'
keys Tab
check "TAB knows what can be swept" shows 'sweep bucket=$'
keys C-u
