# class.sh -- progress from session to session; a class: its files, two learners with one name, a
# folder that disappears, is full or read-only; the live board
. tests/terminal/lib.sh
mkdir "$folder/lab"
# attempt TEXT: a check in a file of the class has it
attempt() { lab | grep '"what":"check","task":"1.1"' | grep -qF "$1"; }
lab() { cat "$folder"/lab/*.jsonl; }
quit() { line 'quit'; until_true dead_pane; }

# ---- without a class
open 80 24 -n 1
check "a prompt" shows 'ms >'
line 'lesson 1'
check "a lesson" shows 'lesson 1, task 1/3'
line 'solution run'
line 'check'
check "a task is solved" shows 'right '
line 'quit'
check "quit" left
check "it is kept" grep -q '^solved 1.1 20' "$state/ranksh/progress"
printf 'solved 1.3 2025\nsolved 9\nsolv\nsolved 2.1' >> "$state/ranksh/progress"
open 80 24 -n 1
check "a new session" shows 'ms >'
line 'lessons'
check "... has the ticks, but of half a line" shows 'lesson 1  *✓·✓ .*20 min'
check "... and what is next" shows 'next: lesson 1.2'
refute "... and none of half a line" shows '✓···'
line 'lesson 1; next'
check "the next task" shows 'task 2/3'
line 'solution run'
line 'check'
check "... is solved" shows 'right '
line 'restart'
check "new ranks" shows 'new rank'
line 'lessons'
check "... know it as well" shows 'lesson 1  *✓✓✓ '
quit
check "a line behind half a one is whole" [ "$(tail -1 "$state/ranksh/progress" | cut -c1-12)" = 'solved 1.2 2' ]

# ---- a class
open 100 30 -n 1 --class lab --as ada
check "a class says who one is" shows 'class lab, you are ada$'
line 'lessons'
check "what was solved elsewhere is not solved here" shows 'lesson 1  *··· '
line 'lesson 1'
check "its lesson" shows 'task 1/3'
line 'skip'
line 'y1 = matmul x w'
line 'y2 = matmul y1 nobody'
line 'check'
check "a wrong attempt" shows 'not yet'
check "... is in its file, with what is wrong" attempt '"words":"y3 is not x w w w'
check "... and the lines" attempt '"lines":"skip\ny1 = matmul x w\ny2 = matmul y1 nobody\n","typed":3,"at":"20'
"$RANKSH" --overview "$folder/lab" --once > "$folder/board"
check "... and on the board" grep -q '^ ada  *0  1.1 ···  *0  *1  y3 is not x w w w' "$folder/board"
line 'undo'
line 'solution run'
line 'check'
check "a right one" shows 'right '
settle
lines=$(lab | wc -l)
line 'restart'
check "lines run again" shows 'run again'
check "... are not told anew" [ "$(lab | wc -l)" = "$lines" ]
quit
check "the end says how to come back to the class" showed 'ranksh --resume --class lab --as ada. opens this again'
check "that one has left is told" sh -c "tail -1 $folder/lab/ada.*.jsonl | grep -q leave"

open 100 30 -n 1 --class lab --as ada
check "the same learner again" shows 'you are ada$'
line 'lessons'
check "... has solved what he had" shows 'lesson 1  *✓·· '
refute "... and is nobody else" shows 'another learner'
quit
check "a file each" [ "$(ls "$folder/lab" | wc -l)" = 2 ]
mkdir "$folder/other"
ENVIRONMENT="XDG_STATE_HOME=$folder/other" open 100 30 -n 1 --class lab --as ada
check "another one of that name is told" shows 'another learner has the name ada in this class'
line 'lesson 1'
check "... and learns" shows 'task 1/3'
settle
"$RANKSH" --overview "$folder/lab" --once > "$folder/board"
check "... beside her" [ "$(grep -c '^ ada' "$folder/board")" = 2 ]
check "... as the second" grep -q '^ ada (2)  *0  1.1' "$folder/board"
mv "$folder/lab" "$folder/gone"
rm "$folder"/gone/ada*
line 'check'
check "a file that was taken away is told" shows 'cannot be written any more: it was taken away'
line 'hint'
check "... and the lesson goes on" shows 'right behind each other\|matmul\|without'
line 'hint'
settle
refute "... told once" [ "$(screens | grep -c 'any more')" != 1 ]
quit
ENVIRONMENT=

if unshare -rm true 2>/dev/null; then
	mkdir -p "$folder/small" "$folder/still"
	printf 'mount -t tmpfs -o size=8k none %s/small && mount -t tmpfs -o ro none %s/still && cd %s && exec env XDG_STATE_HOME=%s %s -n 1 --class $1\n' \
		"$folder" "$folder" "$folder" "$state" "$RANKSH" > "$folder/full.sh"
	open_command 100 24 "exec unshare -rm sh $folder/full.sh still"
	check "a read-only folder is told" shows 'folder still cannot be written: Read-only'
	line 'lesson 1'
	check "... and the lesson goes on" shows 'task 1/3'
	quit
	open_command 100 24 "exec unshare -rm sh $folder/full.sh small"
	check "a small disk" shows 'ms >'
	line 'lesson 1'
	long=$(printf '%03000d' 0)
	for i in 1 2 3 4; do line "let a$i = 1 # $long"; line check; done
	check "a full disk is told" showed 'cannot be written any more: No space'
	tm clear-history
	line 'check'
	check "... and the lesson goes on with it" shows 'not yet'
	quit
else
	echo "skipped: a full and a read-only folder (no namespaces here)"
fi

# ---- the board, while they learn
mkdir "$folder/live"
say() { printf '%s\n' "$1" >> "$folder/live/bob.1.jsonl"; }
say '{"ranksh":"0.1","class":1,"name":"bob","id":"B"}'
open 80 24 --overview live
check "the board" shows ' live .*1 learner: 1 at work'
check "... has a learner" shows '^ bob '
refute "... who does nothing yet" shows ' 1\.1 '
say '{"what":"open","task":"1.1","words":"One","seconds":5}'
check "a task that is opened appears" shows '^ bob  *0  1.1 ···'
for s in 1 2 3; do say "{\"what\":\"check\",\"task\":\"1.1\",\"words\":\"y is not x\",\"seconds\":$s}"; done
check "who is stuck is told" shows '^ bob  *0  1.1 ··· .* 3  stuck  y is not x'
check "... and what is wrong" shows ' 1  *1  *3  1.1   y is not x'
say '{"what":"check","task":"1.1","words":"right","seconds":9}'
check "... until it is right" shows '^ bob  *1  1.1 ✓··'
for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38; do
	printf '{"class":1,"name":"learner %s","id":"%s"}\n{"what":"open","task":"1.1"}\n' $i $i > "$folder/live/l$i.jsonl"
done
check "more than there is room for" shows 'more below'
keys End
check "... are scrolled to" shows '^ learner 38 '
tm resize-window -x 100 -y 50
check "a larger screen has all" shows '^ bob '
mv "$folder/live" "$folder/away"
check "a folder that is gone is told" shows 'live cannot be read: No such file'
mv "$folder/away" "$folder/live"
check "... and comes back" shows 'who  *solved'
keys q
check "q leaves" left 0
open 80 24 --overview live
check "the board again" shows '^ bob '
keys C-c
check "Ctrl-C leaves" left 0
