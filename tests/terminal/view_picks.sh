# view_picks.sh -- the view's cursor: along lanes, to the operation that it waited for, to a name,
# to an iteration; by mouse; in ASCII and without colour
. tests/terminal/lib.sh

slow='tensor h[256,256] pinned = randn; tensor x[256,256] w[256,256] = randn; stream io compute comm; copy h -> x on io; wait io on compute; y = matmul x w on compute; @2 slow 2x; z = matmul x w on compute; wait compute on comm; allreduce z on comm; sync'
open 80 24 -n 4 --dry
check "a prompt" shows 'ms >'
line "$slow"
line 'view'
check "view opens" shows '? keys'
keys '?'
check "? tells the keys" shows 'the operation to blame for it'
keys '?'
check "... and goes" shows 'now 8.52\|s waited'
keys /
tm send-keys -l 'ALLRED'
keys Enter
check "/ finds a name" shows '^allreduce z   rank 0, comm   took 1.50 ms'
keys .
check ". says that there is no other" shows 'the only one with .* in its name on rank 0'
check "... and says for whom it waited" shows 'waited 2.00 ms for allreduce z of rank 2, comm (peer)'
check "... with an arrow from there" shows '○'
keys N
check "N goes to the wait before it" shows '▼\|▲'
keys b
check "b goes to whom that is blamed on, in the row of its own" shows '^allreduce z   rank 2, comm'
keys b
check "... and on" shows '^matmul z   rank 2, compute   took 4.00 ms'
keys b
check "a key that can do nothing says why" shows 'no operation is to blame: matmul z waited for no other'
keys BSpace BSpace BSpace
check "backspace goes back" shows '^allreduce z   rank 0, comm'
keys Up
check "up goes to the lane above" shows '^matmul z   rank 0, compute'
keys Left
check "left to the operation before" shows '^matmul y   rank 0, compute'
keys ]
check "there are no iterations here" shows 'there are no iterations'
keys c
check "c goes along the critical path" shows 'critical path: '
check "... which is drawn" shows 'in full: the critical path'
keys c c C p
check "... and no more, by p" shows 's waited'
keys B
check "big letters" shows '▌'
keys B m
check "the mouse can be given away" shows 'text can be selected'
keys m
# a click (X10: button, column, row) on the fourth row of the picture
click() { tm send-keys -l "$(printf '\033[M %s\033[M#%s' "$1" "$1")"; }
click '=%'
check "a click picks" shows '^copy x   rank 0, io'
for size in '200 60' '1 1' '3 2' '40 1' '1 40' '20 6' '100 30'; do
	# shellcheck disable=SC2086
	tm resize-window -x ${size% *} -y ${size#* }
	keys Tab + B '?' '?' B -
done
check "a terminal that shrinks to nothing under its keys is whole again" shows '? keys'
keys q
check "q goes back to the prompt" ends_with_prompt
tm resize-window -x 60 -y 30
line 'view'
check "a second view opens" shows '? keys'
tm resize-window -x 100 -y 30
check "... and follows the terminal's size, too" shows '|  s waited'
keys q
check "... and goes" ends_with_prompt
line 'replay 1ms 3ms'
check "replay plays a window" shows 'replay at .*/s'
keys Space Left
check "... space stops it" shows 'stopped\|the end'
keys Space Space Home Left '>' '<'
keys r
check "... r ends it, in the view" shows '? keys'
keys q
check "... and q leaves" ends_with_prompt

ENVIRONMENT='LC_ALL=C NO_COLOR=1'
open 80 24 -n 4 --dry
check "ASCII: a prompt" shows 'ms >'
line 'model mlp layers=2; strategy ddp; run 3; sync'
check "ASCII: it has run" shows 'iteration 3'
line 'view'
check "ASCII: view opens" shows '? keys'
keys ]
check "ASCII: to the first iteration" shows 'iteration 1 of 3'
check "ASCII: a map, and bars" shows '##'
keys ]
check "ASCII: to the next one" shows 'iteration 2 of 3'
keys Tab
check "ASCII: the cursor is seen without colour" shows '>\[\|>X'
keys B
check "ASCII: no big letters, in words" shows 'big letters need a UTF-8 locale'
keys q
check "ASCII: the prompt again" ends_with_prompt
