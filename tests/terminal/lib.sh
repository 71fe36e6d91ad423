# lib.sh -- a terminal in tmux, and functions that wait for text on it, never for time alone. Each
# check prints "ok NAME" or "FAIL NAME" with the screen.
RANKSH=${RANKSH:-$(pwd)/ranksh}
. tests/environment
socket=ranksh-0
opened=0
missed=0
state=$(mktemp -d)
folder=$(mktemp -d)
XDG_STATE_HOME=$state
XDG_DATA_HOME=$state
TMUX_TMPDIR=$(mktemp -d)
RANKSH_DEVICE=${RANKSH_DEVICE:-sim}
export XDG_STATE_HOME XDG_DATA_HOME RANKSH RANKSH_DEVICE TMUX_TMPDIR
PATIENCE=${PATIENCE:-$((30 * ${SLOW:-1}))}

tm() { tmux -L "$socket" -f /dev/null "$@" 2>/dev/null; }
# every terminal that the test opened goes, whichever it was at last
clean() {
	for end in "$TMUX_TMPDIR"/tmux-*/*; do tmux -S "$end" kill-server 2>/dev/null; done
	nap
	rm -rf "$state" "$folder" "$TMUX_TMPDIR" 2>/dev/null
}
trap clean EXIT

# a little while between two looks
nap() { timeout 0.05 tail -f /dev/null; true; }

# open WIDTH HEIGHT ARGUMENTS...: ranksh in a fresh terminal. ENVIRONMENT: NAME=VALUE words for it.
open() {
	width=$1 height=$2
	shift 2
	open_command "$width" "$height" "cd $folder && exec env XDG_STATE_HOME=$state ${ENVIRONMENT:-} $RANKSH $*"
}
# a server of its own each time: one that is just leaving would take the new session with it
open_command() {
	tm kill-server
	opened=$((opened + 1))
	socket=ranksh-$opened
	tm new-session -d -x "$1" -y "$2" "$3" \; set-option -g remain-on-exit on
}
screens() { tm capture-pane -p -S -1000; }
front() { tm display-message -p '#{pane_pid}'; }
screen() { tm capture-pane -p; }
keys() { tm send-keys "$@"; }
# types a line and Enter
line() { tm send-keys -l "$1" \; send-keys Enter; }

# until_true COMMAND...: returns true as soon as the command is; false after 20 * PATIENCE looks. On an idle machine these take PATIENCE
# seconds, and under load each look takes longer.
until_true() {
	looks=$((20 * PATIENCE))
	until "$@"; do
		looks=$((looks - 1))
		[ $looks -gt 0 ] || { missed=$((missed + 1)); return 1; }
		[ "$missed" -lt 3 ] || return 1         # nothing works here: no more patience
		nap
	done
}
shows() { screen | grep -q -e "$1"; }
showed() { screens | grep -q -e "$1"; }
ends_with_prompt() { screen | grep -v '^ *$' | tail -1 | grep -q '> *$'; }
gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
all_gone() { for pid in "$@"; do gone "$pid" || return 1; done; }
dead_pane() { [ "$(tm display-message -p '#{pane_dead}')" = 1 ]; }
# left [STATUS]: it has ended with that exit status, 0. On a busy machine tmux sometimes never learns the status: then that it has ended must do.
left() { case $(tm display-message -p '#{pane_dead} #{pane_dead_status}') in "1 ${1:-0}" | '1 ') true ;; *) false ;; esac; }
# a rank of the front end is there
has_rank() { [ -n "$(rank "$1")" ]; }
# waits until what was typed before is done: at the prompt, a text comes behind it
settled=0
settle() {
	settled=$((settled + 1))
	line "say \"settled $settled\""
	until_true showed "settled $settled *$" && until_true ends_with_prompt
}

# Clears the screen and waits until only the prompt is shown, so that later checks see new output only.
alone() { [ "$(screen | grep -cv '^ *$')" = 1 ] && ends_with_prompt; }
clear_screen() {
	keys C-l
	until_true alone || check "the screen is clear" alone
}

# check NAME COMMAND...: the command must become true
check() {
	name=$1
	shift
	if until_true "$@"; then
		echo "ok $name"
	else
		echo "FAIL $name"
		screen | sed 's/^/    | /'
		tm display-message -p '    ended: #{pane_dead}, status #{pane_dead_status}, signal #{pane_dead_signal}'
	fi
}
# refute NAME COMMAND...: the command must be false, now that all is there that it could be about (settle, or a check before it)
refute() {
	name=$1
	shift
	if "$@"; then echo "FAIL $name"; screen | sed 's/^/    | /'; else echo "ok $name"; fi
}

# processes below one, itself left out
below() {
	for child in $(pgrep -P "$1"); do
		echo "$child"
		below "$child"
	done
}
# the process of rank R of the front end
rank() {
	for pid in $(below "$(front)"); do
		tr '\0' '\n' < "/proc/$pid/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$pid"
	done | head -1
}
# mpirun becomes prterun in Open MPI 5
mpirun_of() { pgrep -P "$(front)" -x 'mpirun|prterun'; }
# The process that answers the front end: rank 0, or the one process of --dry
root() { rank 0 | grep . || pgrep -P "$(front)" -x ranksh; }
# hold: stops it until `go`. A line typed meanwhile does not end before `go`, on any processor.
hold() {
	held=$(root)
	kill -STOP "$held" || check "there is a process to hold" false
}
go() { kill -CONT "$held"; }
# grown KB: it has grown by so much since `weigh`
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$weighed/status"; }
weigh() { weighed=$(root) && empty=$(resident); }
grown() { [ "$(resident)" -gt $((empty + $1)) ]; }
# interrupt: presses Ctrl-C while the line of progress is shown. Returns when the front end has taken it: it looks for signals each
# time that it has painted the line, and the line is two seconds older.
progress() { screen | sed -n 's/.*  \([0-9]*\) s   (Ctrl-C .*/\1/p' | tail -1; }
progressed() { at_now=$(progress); [ "${at_now:-0}" -gt "$1" ]; }
interrupt() {
	until_true progressed 0 || check "a line of progress" false
	at=$(progress)
	keys C-c
	until_true progressed $((at + 1)) || check "progress after Ctrl-C" false
}
# presses Ctrl-C until the front end asks whether to end the ranks. That takes two SIGINTs within 2 s, and those pending together count as one.
asked() { screen | grep -v '^ *$' | tail -1 | grep -q 'not stopped yet; end them.*/N\] *$'; }
asks_to_end() { asked || { keys C-c; nap; nap; false; }; }
