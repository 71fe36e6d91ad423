# a strategy, step by step: Enter plays the next one
. tests/terminal/lib.sh

open 100 40 -n 2
check "a prompt" shows 'ms >'
line 'model mlp layers=2 hidden=16 batch=8'
line 'strategy ddp'
check "a strategy says what it wrote" shows 'steps of setup'
keys Enter
check "Enter plays a step" shows 'step 1/3 of the setup'
check "with its lines" shows 'stream compute comm'
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
