# crash.sh -- after keys and sizes that make readline crash, and after fatal signals, the terminal
# is as it was before
. tests/terminal/lib.sh

# a key that begins a sequence ends a search
printf 'set isearch-terminators "\\C-j"\n' > "$folder/inputrc"
searches() {
	ENVIRONMENT="INPUTRC=$1"
	shift
	open 80 24 -n 1
	check "a prompt" shows 'ms >'
	line 'say "one"'
	settle
	for sequence in "$@"; do
		keys C-r
		keys -l 'e"'
		check "Ctrl-R: a line is found" shows "e\"': say \"one\""
		keys $sequence
		keys C-e C-u
		settle
		refute "Ctrl-R $sequence: the prompt is there" dead_pane
	done
}
searches "$folder/inputrc" M-x Up
searches /dev/null 'C-x x' 'C-x C-u' M-x
ENVIRONMENT=
clear_screen
keys C-r
keys -l 'e"'
check "a line is found" shows "e\"': say \"one\""
keys C-x C-e
check "a sequence without a function leaves the line that was found" shows '> say "one" *$'
keys Enter
check "... which runs" shows '^one'

has_root() { [ -n "$(root)" ]; }
# small WIDTH TERM: a terminal of one row, in which a line is typed and deleted; afterwards it is large again
small() {
	open_command 80 24 'exec sleep 1000'
	tm set-option -g status off \; resize-window -x "$1" -y 1
	tm respawn-pane -k "cd $folder && exec env TERM=$2 XDG_STATE_HOME=$state $RANKSH -n 1"
	check "$1 columns, 1 row, $2: a start" has_root
	keys -l 'say "abcdefgh"'
	keys C-u
	keys -l 'say "abcdefgh"'
	keys BSpace BSpace C-a C-e M-b C-u
	tm resize-window -x 80 -y 24
	settle
	refute "$1 columns, 1 row, $2: the prompt is there" dead_pane
}
small 2 xterm
small 2 dumb

# dies SIGNAL COMMAND...: in a shell's terminal, after the command the front end is killed with that signal
modes() { tm send-keys "stty -a | tr ' ;' '\n' | grep -x -e '-*icanon' -e '-*echo' -e '-*isig' | xargs" Enter; }
front_end() { pgrep -P "$(front)"; }
dies() {
	number=$1
	shift
	open_command 80 24 "cd $folder && PS1='shell> ' exec sh -i"
	check "a shell" shows 'shell>'
	line "XDG_STATE_HOME=$state $RANKSH -n 1"
	check "a prompt" shows 'ms >'
	"$@"
	kill -"$number" "$(front_end)"
	check "signal $number $*: the shell is there" shows 'shell> *$'
	line 'echo "status $?"'
	check "signal $number $*: of which it died" showed "^status $((128 + number))"
	modes
	check "signal $number $*: the terminal is as before" shows '^isig icanon echo *$'
}
in_view() {
	line 'spin 1ms; sync; view'
	check "a view" shows 'q quit'
}
half_a_line() {
	keys -l 'say "half'
	check "half a line" shows 'say "half *$'
}
for fatal in 6 8 11; do dies $fatal half_a_line; done
dies 11 in_view
check "the view is gone" shows 'ms >'
