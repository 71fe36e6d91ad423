# split.sh -- split: live lanes above, the prompt below, for any size of terminal, together with
# everything else that uses the screen
. tests/terminal/lib.sh

above() { screen | head -"$1" | grep -q -e "$2"; }
full() { screen | head -4 | grep -o '█' | wc -l; }
grown() { test "$(full)" -gt "$before"; }
below() { screen | tail -"$1" | grep -q -e "$2"; }
open 80 24 -n 4 --dry
check "a prompt" shows 'ms >'
line 'split'
line 'stream io; spin 2ms on io; sync'
check "split: lanes above" above 4 'io .*█ spin █'
check "... the prompt below" ends_with_prompt
line 'spin 1ms; sync; timeline'
check "... and they live" above 4 'default .*█ spin █'
check "answers scroll below" below 10 'now 3.0'
line 'help kernels'
check "a long help waits for a key" shows 'q: enough'
keys q
line 'view'
check "the view has the whole screen" shows '? keys'
keys q
check "... and gives it back" above 4 'default .*█ spin █'
keys C-l
check "Ctrl-L clears what is below" above 4 'default .*█ spin █'
check "... with the prompt at the foot" ends_with_prompt
for size in '30 8' '1 1' '200 60' '40 12' '100 30'; do
	# shellcheck disable=SC2086
	tm resize-window -x ${size% *} -y ${size#* }
	line 'say "here"'
done
check "any size: lanes above" above 4 'default .*█ spin █'
check "... and the prompt below" ends_with_prompt
line 'pace 200ms; spin 600ms'
check "pace: what is queued is dimmed" above 4 '░'
tm send-keys -l 'say "typed"'
check "... it grows while one types" above 4 '█.*░'
check "... and the line stays" shows '> say "typed"$'
keys C-c
line 'sync'
before=$(full)
check "... and during sync" grown
keys C-c
check "Ctrl-C ends the watching" ends_with_prompt
line 'pace off; sync'
check "... nothing is dimmed then" sh -c '! tmux -L '"$socket"' capture-pane -p | head -4 | grep -q ░'
line 'model mlp; strategy ddp; run 2; pace 1s'
check "pace: of two iterations the one at work" above 2 '10 .*▼\|▼ .*10'
line 'pace off; sync'
check "... then the last" above 2 '60 .*100'
line 'split off'
check "split off: the lanes are gone" sh -c '! tmux -L '"$socket"' capture-pane -p | head -3 | grep -q "compute.*█"'
line 'split'
check "... and back" above 4 'compute .*█'
line 'quit'
check "quit leaves" left 0

ENVIRONMENT='LC_ALL=C NO_COLOR=1'
open 80 24 -n 4 --dry
check "ASCII: a prompt" shows 'ms >'
line 'split; spin 1ms; sync'
check "ASCII: lanes" above 4 'default .*# spin #'
line 'crash'
line 'quit'
check "... quit leaves" dead_pane
