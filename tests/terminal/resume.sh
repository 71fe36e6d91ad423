# resume.sh -- the journal: undo, save, edit, resume, and a full disk
. tests/terminal/lib.sh

open 80 24 -n 2
check "a prompt" shows 'ms >'
line 'tensor x[4,4] = ones'
line 'y = add x x'
line 'y = add y y'
line 'undo'
line 'print y[0,0]'
check "undo takes back the last line" shows '\] y\[0,0\] = 2'
line 'tensor part[4] = 3; tensor none[0]'
check "a line is refused in its middle" shows 'sizes are 1 or more'
check "... and what came before is told to have run" shows 'the statements before it have run, and stay'
clear_screen
line 'tensor none[0]'
check "a line of one statement that is refused" shows 'sizes are 1 or more'
refute "... has not run in part" shows 'has run'
line 'journal save lines.rsh'
check "journal save" shows 'in lines.rsh'
check "what is saved is a script" sh -c "grep -q '^y = add x x' $folder/lines.rsh && ! grep -q 'add y y' $folder/lines.rsh"
line 'undo 99'
check "undo knows how many lines there are" shows 'lines were typed'
line 'journal save /nowhere/lines.rsh'
check "a folder that is not there" shows '/nowhere/lines.rsh cannot be written'
line 'quit'
check "quit" left

open 80 24 --resume
check "resume opens the last session" shows 'lines run again'
line 'peek y[0,0]'
check "... with its data" shows 'y\[0,0\] = 2'
line 'peek part[0]'
check "... and what a refused line had done before" shows 'part\[0\] = 3'
line 'reset'
line 'journal'
check "reset empties the world" shows 'nothing was typed since'

clear_screen
line 'tensor a[4] = 1; save a f.npy'
line 'tensor b[4] = load f.npy'
check "a file is saved and loaded" test -f "$folder/f.npy"
printf 'let s = 1\n' > "$folder/s.rsh"
printf 'let t = 1\n' > "$folder/t.rsh"
line 'source s.rsh; source t.rsh'
line 'print s+t'
check "scripts are sourced" shows 's+t = 2'
cp "$folder/s.rsh" "$folder/u.rsh"
line 'source u.rsh'
line 'quit'
check "quit again" left
(cd "$folder" && "$RANKSH" -n 1 -c 'tensor a[4] = 2; save a f.npy')
printf 'let t = 4\n' > "$folder/t.rsh"
rm "$folder/u.rsh"
open 80 24 --resume
check "resume says which file is another one now" shows 'reads has changed: f.npy'
check "... also of a script that was sourced" shows 'reads has changed: t.rsh'
check "... and which line is refused now" shows 'source u.rsh., run again, is refused: u.rsh'
check "... which is not counted" shows 'resumed: 9 lines run again'
line 'print s+t'
check "... which runs as it is now" shows 's+t = 5'
line 'peek b[0]'
check "... and goes by what is there" shows 'b\[0\] = 2'
line 'let once = b[0]'
line 'quit'
check "quit behind a file that was another one" left
(cd "$folder" && "$RANKSH" -n 1 -c 'tensor a[4] = 3; save a f.npy')
open 80 24 --resume
check "a value of it that is another one now is told" shows 'let once = b\[0\]., run again: b\[0\] of rank 0 was 2 and is 3 now'
line 'restart'
check "new ranks" shows 'new ranks\?; [0-9]* lines run again'
told_by_new() { screen | sed '1,/> restart/d' | grep -q 'not what it was\|is 3 now'; }
refute "... tell no change again" told_by_new
line 'quit'
check "quit behind new ranks" left
open 80 24 --resume
check "a session opened again" shows 'resumed: [0-9]* lines run again'
refute "... tells none either" shows 'not what it was\|is 3 now'

# values that steered a line, in a journal that somebody has edited: one that is another now, one that cannot be read
open 80 24 -n 2
check "a prompt for values" shows 'ms >'
line 'tensor v[4] = rank+1'
line 'let p = v[0]; let q = v[1]'
line 'let r = v[2]'
line 'quit'
check "quit behind values" left
journal=$(ls "$state"/ranksh/journal-* | tail -1)
sed -i 's/v\[0\]\\t1 2/v[0]\\t5 6/; s/v\[2\]\\t1 2/v[2]\\tone/' "$journal"
open 80 24 --resume
check "resume goes by the journal's value, and says so" showed 'let q = v.1.`, run again: v.0. of rank 0 was 5 and is 1 now'
check "... and that one cannot be read" showed "the journal's value of v.2. cannot be read"
check "... and opens the session" shows 'resumed: 3 lines run again'
line 'print p q r'
check "... with these values" shows '\[1\] p = 6'
check "... and those that are there" shows '^ *r = 2'
line 'quit'
check "quit once more" left

# what was undone is gone, and what it read is not asked for again; a line refused half-way has its place
open 80 24 -n 1
check "a prompt for undo" shows 'ms >'
printf 'let gone = 1\n' > "$folder/gone.rsh"
line 'let a = 1'
line 'source gone.rsh'
line 'undo'
line 'let b = 2; y = relu none'
check "a line refused half-way" shows "no tensor 'none'"
line 'explain off' # it is off already: nothing to take back
line 'undo'
rm "$folder/gone.rsh"
line 'let c = 3'
line 'restart'
check "restart runs what is left" shows '3 lines run again'
line 'print a+c'
check "... as it was last seen" shows 'a+c = 4'
refute "... and reads no file of a line that was undone" showed 'gone.rsh: No such\|reads has changed'
line 'print b'
check "... without what was undone" shows "variable 'b'\|tensor 'b'"
line 'undo 2'
line 'quit'
check "quit after undo" left
open 80 24 --resume
check "resume does the same" shows '2 lines run again'
line 'print a'
check "... with the first line" shows '\] a = 1'
line 'print c'
check "... and no more" shows "variable 'c'\|tensor 'c'"
line 'let d = 4'
line 'reset'
line 'let e = 5'
line 'let f = 6'
line 'undo 2'
line 'let g = 7'
line 'restart'
check "an empty world in between" shows 'lines run again'
line 'print g'
check "... is there again" shows '\] g = 7'
line 'undo 3'
check "... with as many lines as there were" shows 'undo 3: 2 lines'
line 'lesson 1.2'
line 'restart'
check "a task that was open is open again, and is named" shows 'task 1.2 is open; .task. shows it'
line 'lesson off'
line 'quit'
check "quit behind a lesson" left
open 80 24 --resume
check "resume behind a lesson" shows 'lines run again'
settle
refute "... names no task, as none is open" showed 'is open; .task. shows it'

printf '#!/bin/sh\necho "say \\"edited\\"" > "$1"\n' > "$folder/editor"
chmod +x "$folder/editor"
ENVIRONMENT="VISUAL=$folder/editor" open 80 24 -n 1
check "a prompt for edit" shows 'ms >'
line 'edit new.rsh'
check "edit opens the editor" shows 'source new.rsh runs it'
line 'source new.rsh'
check "... and source runs what was written" shows 'edited$'
# a line that does not end when it runs again, as its file is another one now
printf 'repeat 1000000000 { let a = 1 }\n' > "$folder/new.rsh"
line 'restart'
check "lines that run again say what Ctrl-C does" shows 'again .*Ctrl-C twice: end the ranks?'
keys C-c
check "the first one is ignored" shows 'Ctrl-C is ignored'
check "the second one asks" asks_to_end
keys y Enter
check "... and ends the ranks" shows 'no ranks >'
ENVIRONMENT=

open 80 24 --dry -n 3 --machine dgx-h100
check "a prompt on another machine" shows 'ms >'
line 'tensor x[4]; sync'
line 'quit'
check "quit there" left
open 80 200 --resume
check "it is resumed" shows 'resumed: 1 line run'
line 'machine'
check "... on that machine" showed '^ *nccl_generation  *2 '
line 'print world+0'
check "... with its ranks" shows 'world+0 = 3'

# names with blanks are in quotes, for the system's shell
open 120 24 -n 1 --journal "'a day''s journal'"
line 'let a = 1'
line 'journal save "two words.rsh"'
check "journal save names the line that runs it" shows '1 line in two words.rsh; `ranksh .two words.rsh.. runs them'
line 'quit'
check "the farewell has a journal's name in quotes" shows "ranksh --resume --journal 'a days journal'. opens this again"
open 120 24 -n 1 --journal "'a day''s journal'"
check "so has the refusal of a journal that is there" shows "ranksh --resume --journal 'a days journal'. opens its"
open 120 24 -n 1 --resume --journal "'a day''s journal'"
line 'print a+0'
check "... and the line opens it" shows 'a+0 = 1'

ENVIRONMENT="XDG_STATE_HOME=/proc/nowhere" open 80 24 -n 1
check "no place for the journal: said" shows 'cannot make'
line 'say "on it goes"'
check "... and the session goes on" shows 'on it goes$'
ENVIRONMENT=

if unshare -rm true 2>/dev/null; then
	mkdir -p "$folder/small"
	printf 'mount -t tmpfs -o size=4k none %s/small && exec env XDG_STATE_HOME=%s/small %s -n 1\n' "$folder" "$folder" "$RANKSH" > "$folder/full.sh"
	open_command 100 24 "exec unshare -rm sh $folder/full.sh"
	check "a small disk: a prompt" shows 'ms >'
	long=$(printf '%01500d' 0)
	for i in 1 2 3 4; do line "let a$i = 1 # $long"; done
	check "a full disk is said" showed 'cannot be written'
	tm clear-history
	line 'say "and on it goes"'
	check "... and the session goes on with it" shows 'and on it goes$'
else
	echo "skipped: a full disk (no namespaces here)"
fi
