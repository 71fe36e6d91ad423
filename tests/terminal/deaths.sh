# deaths.sh -- whichever process dies, the terminal is restored, a message names the process and
# the reason, and no process is left
. tests/terminal/lib.sh

open 80 24 -n 4
check "a prompt" shows 'ms >'
line 'tensor x[4,4] = ones'
line 'print x[0,0]'
check "an answer" shows '\] x\[0,0\] = 1'
ranks=$(below "$(front)")
kill -9 "$(rank 2)"
check "a killed rank is named" shows 'rank 2 died of signal 9 (Killed)'
check "restart is offered" shows 'restart   new ranks'
check "the other ranks are gone" all_gone $ranks
line 'print x'
check "without ranks a line says so" shows 'there are no ranks'
line 'restart'
check "restart runs the lines again" shows '4 new ranks; 2 lines run again'
clear_screen
line 'peek x[1,1]'
check "the data are back" shows 'x\[1,1\] = 1'

clear_screen
kill -9 "$(rank 0)"
check "rank 0 may die too" shows 'rank 0 died of signal 9'
line 'restart'
check "... and be replaced" shows 'lines run again'

clear_screen
ranks=$(below "$(front)")
kill -9 "$(mpirun_of)"
check "a killed mpirun is named" shows 'mpirun died of signal 9'
check "no rank outlives mpirun" all_gone $ranks
line 'quit'
check "quit after a death" left 4

open 80 24 -n 4
check "a prompt again" shows 'ms >'
ranks=$(below "$(front)")
kill -9 "$(front)"
check "no rank outlives the front end" all_gone $ranks

open 80 24 -n 4
check "a third prompt" shows 'ms >'
line 'repeat 1000000000 { let a = 1 }'
check "a long line" shows 'Ctrl-C stops it'
ranks=$(below "$(front)")
kill -9 "$(front)"
check "... not even a busy one" all_gone $ranks

open 80 24 -n 4
check "a fourth prompt" shows 'ms >'
ranks="$(front) $(below "$(front)")"
tm kill-server
check "a closed terminal ends everything" all_gone $ranks

open 80 24 -n 2
check "a fifth prompt" shows 'ms >'
# a rank that does not answer at all
stopped=$(rank 1)
ranks=$(below "$(front)")
kill -STOP "$stopped"
line 'sync'
check "a rank that stands still keeps the prompt away" shows 'Ctrl-C stops it'
check "a second Ctrl-C offers to end the ranks" asks_to_end
keys y Enter
check "y ends them" shows 'restart starts new ones'
kill -CONT "$stopped" 2>/dev/null
check "... all of them" all_gone $ranks
clear_screen
line 'restart'
check "restart after that" shows 'new ranks'

# while the view has the screen: the prompt comes back by itself, and a signal that is none of its business does nothing
open 80 24 -n 2
check "a sixth prompt" shows 'ms >'
line 'tensor x[64,64] = ones; y = matmul x x'
line 'view'
check "a view" shows 'q quit'
kill -QUIT "$(front)"
keys + Tab
check "SIGQUIT leaves the view alone" shows 'queued at'
kill -9 "$(rank 0)"
check "a rank that dies under the view brings the prompt back" shows 'no ranks >'
check "... and is named" shows 'rank 0 died of signal 9'
line 'restart'
check "restart after the view" shows '2 new ranks'
line 'view'
check "a view again" shows 'q quit'
kill -9 "$(mpirun_of)"
check "mpirun's death too" shows 'mpirun died of signal 9'
clear_screen
line 'restart'
check "restart once more" shows '2 new ranks'
kill -QUIT "$(front)"
clear_screen
line 'print y[0,0]'
check "SIGQUIT at the prompt does nothing" shows 'y\[0,0\] = 64'
# a rank that stands still for a while, with nothing to do
stopped=$(rank 1)
kill -STOP "$stopped"
for look in 1 2 3 4 5 6 7 8 9 10; do nap; done
kill -CONT "$stopped"
clear_screen
line 'allreduce y; print y[0,0]'
check "a rank that stood still goes on" shows 'y\[0,0\] = 128'
# mpirun says that it was stopped, while nobody types: the prompt is there again below its words
clear_screen
stopped=$(mpirun_of)
kill -STOP "$stopped"
nap
kill -CONT "$stopped"
check "what mpirun says at the prompt is shown" shows 'Forwarding signal'
check "... and the prompt again below it" ends_with_prompt
