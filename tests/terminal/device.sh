# device.sh -- GPUs at the prompt: the first screen names them, and a session that was on GPUs
# reports if there are none now. NVIDIA's libraries are the stand-in's.
. tests/terminal/lib.sh
standin=$(dirname "$(realpath "$RANKSH")")/standin
[ -e "$standin/libcuda.so.1" ] || standin=$(dirname "$RANKSH")/build/standin

ENVIRONMENT="RANKSH_DEVICE=auto RANKSH_CUDA=$standin"
open 100 24 -n 2
check "the first screen names the GPU" shows '2 ranks share Stand-in GPU, .* and take turns (no MPS): times show it$'
line 'let a = 3'
line 'machine this'
line 'quit'
check "quit" left
open 100 24 --resume
check "resumed on it" shows '^cuda: 2 ranks share Stand-in GPU'
check "... as it was" shows 'resumed: 2 lines run again'
line 'quit'
check "quit again" left

ENVIRONMENT="RANKSH_DEVICE=auto RANKSH_CUDA=$folder"
open 100 24 --resume
check "resumed where there is none" shows 'this session was on GPUs (cuda: 2 ranks share Stand-in GPU'
check "... and which line is refused there" shows 'machine this., run again, is refused'
line 'print a'
check "... the others have run" shows 'a = 3'
line 'quit'
check "quit there" left

# a wait for a device that takes its time: said, let go by Ctrl-C, and in nobody's way then
ENVIRONMENT="RANKSH_DEVICE=cuda RANKSH_CUDA=$standin RANKSH_STANDIN=clock=wall"
open 100 40 -n 2
line 'tensor x[2] = 2; print x'
check "a prompt on GPUs" shows 'x = 2 2'
line 'spin 900s'
line 'sync'
check "what a wait hangs on" shows 'waiting for spin (line 2) on rank 0: [0-9.]* s; Ctrl-C gives the prompt back'
keys C-c
check "Ctrl-C" shows '^interrupted'
clear_screen
line 'peek x'
check "a look waits no more" shows 'x = 2 2'
line 'reset'
line 'tensor z[2] = 5; print z'
check "reset ends it" shows 'z = 5 5'
clear_screen
line 'spin 900s; sync'
check "another one" shows 'waiting for spin'
keys C-c
clear_screen
line 'let b = 1'
line 'undo'
check "undo waits for it again" shows 'waiting for spin'
keys C-c
check "Ctrl-C while undo waits for it again" shows 'no longer wait for GPUs'
line 'let b = 8'
line 'print b'
check "... and the session goes on" shows 'b = 8$'
line 'quit'
check "quit leaves it behind" left

mkdir "$folder/none"
ln -s "$standin"/*.so.* "$folder/none"
ENVIRONMENT="RANKSH_DEVICE=auto RANKSH_CUDA=$folder/none"
open 100 24 -n 2
line 'let a = 7'
check "a session on a GPU" shows 'ms > let a = 7'
rm "$folder"/none/libcublas.so.*
line 'restart'
check "which new ranks do not find" shows 'no GPU can be used any more: new ranks are simulated'
line 'print a'
check "... and they go on without" shows '^\[0,1\] a = 7'
line 'quit'
check "quit from there" left
open 100 24 -n 2
check "the first screen says why it is simulated" shows 'simulated machine "classroom"; no GPU is used, though there is one:'
line 'quit'
check "quit at last" left
