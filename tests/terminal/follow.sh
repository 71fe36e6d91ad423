# follow.sh -- a session is followed by its journal: three followers see what the presenter sees,
# and one at a terminal looks, forks and rejoins
. tests/terminal/lib.sh
journal=$folder/journal
followers=
# the sockets of the two terminals; on NAME: what is typed and seen is there
presenter= laptop=
on() { eval "socket=\$$1"; }
trap 'kill $followers 2>/dev/null; clean' EXIT
# beside ARGUMENTS...: a second terminal, and the first one stays
beside() {
	socket=none
	open 80 24 "$@"
	laptop=$socket
}
heard() { for i in 1 2 3; do grep -q "^$1" "$folder/out$i" || return 1; done; }
# what was typed before its prompt was there stands on the screen twice; a terminal shows no blanks at a line's end
seen() { sed 's/ *$//' | grep -v -e '^$' -e '^say "settled' | sed -n '/> say "settled '$from'"/,/^settled '$settled'$/p' | $1; }
timelines() { awk '/ > / { on = / > timeline$/; if (on) print "> timeline"; next } on'; }
# alike FILTER: each follower's text, from the settled line `from` to the last, is the presenter's
alike() {
	tm capture-pane -p -S -2000 | seen "$1" > "$folder/presenter"
	for i in 1 2 3; do
		seen "$1" < "$folder/out$i" > "$folder/follower$i"
		[ -s "$folder/presenter" ] && cmp -s "$folder/presenter" "$folder/follower$i" || return 1
	done
}
# types the lines of the input, each with a timeline behind it
types() {
	from=$((settled + 1))
	settle
	while read -r typed; do
		line "$typed"
		settle
		line timeline
		settle
	done
}

open 80 24 -n 2 --journal "$journal"
presenter=$socket
check "a prompt" shows 'ms > *$'
for i in 1 2 3; do
	(cd "$folder" && exec "$RANKSH" --follow "$journal" > "out$i" 2>&1) &
	followers="$followers $!"
done
types <<'END'
tensor x[4,4] = rank+1
stream io
y = add x x on io
@0 wait_event
repeat 2 { spin 1ms on io }
undo
allreduce x; sync
let a = x[0,0]; spin $(a)ms
pace 20ms
spin 30ms on io; sync
@1 spin 5ms
undo
spin 20ms; sync
undo 2
pace off
expect 1 > 2
END
check "three followers hear all of it" heard "settled $settled\$"
check "each prints what the presenter sees, byte by byte" alike cat
tm clear-history
types <<'END'
model mlp
strategy ddp
step
step 3
step back
run 2
END
check "a program is heard" heard "settled $settled\$"
check "... with the presenter's timelines" alike timelines
# a line that Ctrl-C has cut short
weigh
line 'repeat 100000000 { spin 1us }'
check "a long line queues" grown 5000
hold
check "... and is at work" shows 'repeat .* s .*stops it'
interrupt
go
check "... and cut short" shows 'interrupted'
line timeline
settle
check "followers end it where it ended" heard "settled $settled\$"
check "... in its middle" grep -q '"stop":[0-9][0-9]' "$journal"
line 'undo'
settle

# ---- at a terminal ----
beside --follow "$journal"
check "a laptop has the lines so far" shows 'you follow .*journal: [0-9]* lines so far'
check "... and its prompt says that it follows" shows '^follow .* ms > *$'
keys -l 'peek z'
on presenter
line 'tensor z[2] = 3'
settle
on laptop
check "what comes is shown with its prompt" shows '^[0-9.]* ms > tensor z\[2\] = 3$'
check "... and says what it says" shows "^settled $settled\$"
check "... and the line that is being typed stays" shows '^follow .* ms > peek z$'
keys Enter
check "looking is the laptop's own" shows '\] z = 3 3'
line 'tensor mine[2] = 1'
check "what would change the world is refused" shows 'you follow .*journal: `fork` gives you your own'
line 'fork'
check "fork" shows 'this world is yours from here on'
check "... its prompt says so" shows '^fork .* ms > *$'
line 'tensor mine[2] = 7'
line 'peek mine'
check "... and lines are one's own" shows '\] mine = 7 7'
on presenter
line 'tensor theirs[2] = 5'
settle
on laptop
line 'peek theirs'
check "... the presenter's are not read" shows "no tensor 'theirs'"
line 'undo'
check "undo of one's own" shows 'taken back: tensor mine'
line 'restart'
check "restart keeps one's own world" shows '2 new ranks; '
check "... on the fork" shows '^fork .* ms > *$'
line 'fork'
check "fork twice" shows 'this world is yours already'
tm clear-history
line 'rejoin'
check "rejoin" shows 'you follow .*journal: [0-9]* lines so far'
line 'peek theirs'
check "... the presenter's world is there" shows '\] theirs = 5 5'
line 'peek mine'
check "... and one's own is gone" shows "no tensor 'mine'"
kill -9 "$(rank 1)"
check "a follower's rank dies: a prompt" shows 'no ranks > *$'
check "... with what can be done" shows 'restart: new ranks follow'
on presenter
line 'tensor later[2] = 9'
settle
on laptop
line 'restart'
line 'peek later'
check "restart follows again, with what came meanwhile" shows '\] later = 9 9'
keys C-c
check "Ctrl-C forgets the line" shows '\^C'
on presenter
line 'spin 1ms'
settle
on laptop
check "... and following goes on" shows "^settled $settled\$"
kill $followers
followers=
# the laptop's rank 0 is stopped until the key is there, so that the line is long for it on any processor
hold
on presenter
line 'repeat 1000000 { let n = 1 }'
on laptop
check "a long line of the presenter's" shows 'repeat .* s .*Ctrl-C twice: end the ranks?'
interrupt
go
check "... leaves Ctrl-C aside" showed 'Ctrl-C is ignored here: a followed line'
check "... to its end" ends_with_prompt
on presenter
line 'undo'
settle
on laptop
check "... and goes with the presenter's undo" shows "^settled $settled\$"
line 'fork'
line 'let q = 41'
line 'quit'
check "quit" left
check "a fork has a journal of its own" showed '`ranksh --resume` opens this again'

# ---- a file that is spoiled, and mended ----
cp "$journal" "$folder/copy"
beside --follow "$folder/copy"
check "a copy is followed" shows '^follow .* ms > *$'
printf 'not a line\n' >> "$folder/copy"
check "a line that is not JSON ends it, with its number" showed 'line [0-9]* of .* cannot be read: it is not JSON'
check "... the world stays" shows '^ended .* ms > *$'
sed -i '/^not a line/d' "$folder/copy"
line 'peek later'
check "... and can be looked at" shows '\] later = 9 9'
line 'let q = 1'
check "... and not be changed" shows 'you follow .*copy'
line 'rejoin'
check "rejoin reads the file again" shows '^follow .* ms > *$'
tm kill-server

# ---- down a pipe: the keys are the terminal's ----
socket=none
open_command 80 24 "cd $folder && tail -n +1 -f $journal | XDG_STATE_HOME=$state $RANKSH --follow -"
laptop=$socket
check "a pipe is followed" shows '^follow .* ms > *$'
line 'peek later'
check "... and keys come from the terminal" shows '\] later = 9 9'
on presenter
line 'say "down the pipe"'
on laptop
check "... and lines down the pipe" shows '^down the pipe$'
pkill -P "$(front)" -x tail
check "a pipe that ends is said" shows 'the pipe has ended'
line 'fork'
line 'let q = 1+1; print q+0'
check "... and the world can be forked" shows '\] q+0 = 2'
line 'rejoin'
check "... and had again as it was" shows '^ended .* ms > *$'
line 'print q+0'
check "... which is not followed any more" shows 'you follow the pipe'
line 'quit'
on presenter
line 'quit'
check "the presenter is told how to come back" shows 'ranksh --resume --journal .*journal. opens this again'

open 80 24 --journal "$journal"
check "a journal that is there is not written over" shows 'the file exists'
check "... which is bad input" left 2
open 80 24 --resume --journal "$journal"
check "... and resumed by its name" shows 'resumed: [0-9]* lines'
line 'peek later'
check "... with its data" shows '\] later = 9 9'
