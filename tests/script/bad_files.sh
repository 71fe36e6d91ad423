#!/bin/sh
# bad_files.sh -- mistakes in files of strategies, models and programs are reported with file and
# line. The session does not change: everything that can be shown, the log, and the following
# steps are the same, byte for byte.
. tests/script/lib.sh
cd "$work" || exit 1

own_files

# looks: whatever can be looked at, a line each
looks() {
	for look in tensors 'timeline all' stalls stats streams events groups traffic races mem program journal machine; do echo "$look"; done
}
# before, behind: the lines of a session before a file is read, and behind that
before() {
	printf '%s\n' 'model line.rsh' 'strategy mean.rsh' 'step 2' 'stream s' 'tensor mine[4] = rank' 'let often = 3' 'def f { spin 1ms }' '@1 spin 1ms on s'
}
behind() {
	echo 'say "--- behind"'
	looks
	printf '%s\n' 'step 1' 'say "often $often"' f 'run 1' 'print w[0,0] mine[3]' sync
	looks
	printf '%s\n' 'strategy serial' 'step 2' 'timeline all' program 'undo 2' 'peek mine' program 'step back' # these two make the world again from the log
	looks
}
# seen: what a session of 4 ranks, without data, answers to the lines on standard input
seen() { one_process --dry -n 4; }
{ before; behind; } | seen | sed -n '/--- behind/,$p' > good
check "there is something to compare" [ "$(wc -l < good)" -gt 40 ]

: > all_lines
count=0
# bad LINE WORDS: the typed line is refused in these words
bad() {
	{ before; echo "$1"; behind; } | seen > replies
	sed -n '/--- behind/,$p' replies > out
	check "the session as it was: $2" same good out
	grep -F '"status":' replies | grep -vF '"status":"ok"' | head -1 > out
	check "refused: $2" grep -qF -- "$2" out
	echo "$1" >> all_lines
}
# bad_strategy TEXT LINE WORDS, bad_model, bad_program: the file with this text is refused when it
# is chosen, with its line LINE
bad_file() {
	count=$((count + 1))
	printf '%s\n' "$2" > own$count.rsh
	bad "$1 own$count.rsh" "own$count.rsh:$3: $4"
}
bad_strategy() { bad_file strategy "# own: for a test
$1" "$2" "$3"; }
bad_program() { bad_file program "$@"; }
# bad_model EXPRESSION LINE WORDS: line.rsh, changed by sed
bad_model() { bad_file model "$(sed "$1" line.rsh)" "$2" "$3"; }

bad_strategy 'def gradient_mad p { }' 2 "no override point 'gradient_mad' in the model; did you mean 'gradient_made'?"
bad_strategy 'def gradient_made p q { }' 2 "def gradient_made has 2 parameters, but the override point has 1"
bad_strategy 'option hidden=4 "columns"' 2 "option hidden: the model has an option with that name"
bad_strategy 'option often' 2 "option needs NAME=DEFAULT"
bad_strategy 'option often=1 lest=1 "times"' 2 "option: 'lest=1' was not expected"
bad_strategy 'option often=1' 2 "option often needs a sentence that describes it"
bad_strategy 'option often=0 least=1 "times"' 2 "the default: often=0: at least 1 was expected"
bad_strategy 'option often=batch//4-5 least=1 "times"' 2 "the default: often=-3: at least 1 was expected"
bad_strategy 'def setup { replaced;  spin oftn*1ms }' 2 "no variable 'oftn'"
bad_strategy '# axis dp
refuse batch % (size(dp)-1) != 0 "$batch rows in $(size(dp)-1) parts"' 3 "8 rows in 3 parts"
bad_strategy 'def gradient_made p { gradient_made p }' 2 "defs call each other deeper than 100"
for block in together "capture g" "expect error"; do
	bad_strategy "def setup { $block { ## within
spin 1ms } }" 2 "a step (\`##\`) cannot begin inside"
done
bad_strategy 'def within { ## a step
spin 1ms }
def setup { replaced;  together { within } }' 2 "a step cannot begin inside \`together\` or \`capture\`"
bad_strategy 'def gradient_made p { @0 { send dw to=1 } }' 2 "the iteration ends, and rank 0 still waits in"
bad_strategy 'def gradient_made p { @0-2 { allreduce dw } }' 2 "the iteration ends, and rank 0 still waits in"
bad_strategy 'def setup { replaced;  stream w }' 2 "'w' is already a tensor"
bad_strategy 'def gradient_made p { spn 1ms }' 2 "no command 'spn'; did you mean 'spin'?"
bad_strategy 'def setup { stream s
replaced
tensor x[4]' 5 "'}' is still missing: the block of line 2 is open"
bad_strategy 'def iteration { replaced;  reset }' 2 '`reset` empties the world'
bad_strategy 'def iteration { replaced;  step }' 2 "a program cannot run itself"
bad "strategy mean.rsh oftn=2" "strategy mean.rsh has no option 'oftn'; did you mean 'often'?"
bad "strategy mean.rsh often=0" "often=0: at least 1 was expected"
bad "strategy mean.rsh often=1.5" "often=1.5: a whole number was expected"
bad "strategy mean.rsh often=1 often=2" "'often' is given twice on this line"
bad "strategy mean.rsh=3" "mean.rsh=3: the sizes multiply to 3, but there are 4 ranks"
bad "strategy mean.rsh=2 + mean.rsh=2" "mean.rsh is given twice, and both work on the axis dp: give it once, as mean.rsh=4"
bad "strategy none.rsh" "none.rsh: No such file"

bad_model 's/^option hidden.*/option hidden/' 2 "option needs NAME=DEFAULT"
bad_model 's/=8 least=1 "columns"/=8 lest=1 "columns"/' 2 "option: 'lest=1' was not expected"
bad_model 's/^option hidden=8/option hidden=7/' 4 "hidden=7: an even number is required"
bad_model 's/rows = batch;/rows = bach;/' 6 "no variable 'bach'; did you mean 'batch'?"
bad_model 's/^def gradient_made.*/def gradient_made p { gradient_made p }/' 5 "defs call each other deeper than 100"
bad_model 's/^  ## the step/  together { ## the step\nspin 1ms }/' 17 "a step (\`##\`) cannot begin inside"
bad_model 's/^  gradient_made w/  gradient_mad w/' 16 "no command 'gradient_mad'"
bad_model 's/^  tensor w/  stream w;  tensor w/' 9 "'w' is already a stream: choose another name"
bad_model '$d' 19 "'}' is still missing: the block of line 13 is open"
bad_model 's/^  gradient_made w/  @0 { send w to=1 }/' 16 "send: to=1 on rank 0: in the group, the only rank is 0"
bad_model 's/^  sgd w dw/  sgd w dx/' 18 "no tensor 'dx'; did you mean 'dw'?"
bad "model line.rsh hiden=4" "model line.rsh has no option 'hiden'; did you mean 'hidden'?"
bad "model line.rsh hidden=7" "line.rsh:4: hidden=7: an even number is required"
bad "model line.rsh hidden=0" "hidden=0: at least 1 was expected"
bad "model none.rsh" "none.rsh: No such file"

bad_program 'for it in 0:1 {
spin 1ms
}
spin 2ms' 4 "no line may follow the iteration"
bad_program 'tensor x[4]
for it in 0:1 {
@0 send x to=1
}' 3 "the iteration ends, and rank 0 still waits in"
bad_program '## a
spin 1ms
spn 2ms' 3 "no command 'spn'"
bad_program 'def f { f }
for it in 0:1 { f }' 1 "defs call each other deeper than 100"

# with data on 4 ranks: all of them in one session
{ before; behind; } > typed
wire 4 120
sed -n '/--- behind/,$p' replies > good
{ before; cat all_lines; behind; } > typed
wire 4 120
sed -n '/--- behind/,$p' replies > out
check "with data, behind all of these: the session as it was" same good out
check "... and nothing else was said" [ "$(grep -c '"status":"ok"' replies)" = "$(($(wc -l < typed) - $(wc -l < all_lines)))" ]

# ---- foreign files stay: a file that such a line has written is replaced, any other only with
# `force`
mkdir others
cd others || exit 1
run() { "$RANKSH" -n "$1" -c "$2" > out 2>&1; status=$?; cp out ../out; }
run 1 'tensor x[4] = ones; save x a.npy; x += x; save x a.npy'
check "save writes its own file anew" [ $status = 0 ]
run 1 'tensor x[9] bf16 = 3; save x a.npy; tensor y[9] = load a.npy; expect y[8] == 3'
check "... of another run, of other shape, too" [ $status = 0 ]
head -c 140 a.npy > short.npy
{ cat a.npy; echo; } > long.npy
echo 'of others' > notes.txt
ln -s a.npy link.npy
ln -s nowhere.npy dangling.npy
cp -a . ../before
for other in short.npy long.npy notes.txt; do
	run 1 "tensor x[4] = ones; save x $other"
	check "save: $other stays" sh -c "[ $status = 2 ] && grep -q '^$other exists and is not a whole .npy file of a tensor: .save x $other force. overwrites it' out && cmp -s $other ../before/$other"
	run 1 "tensor x[4] = ones; save x $other force"
	check "... but for force" sh -c "[ $status = 0 ] && grep -aq NUMPY $other"
done
run 3 'tensor x[4] = ones; @2 save x a$rank.npy force; @1-2 save x a$rank.npy force; x += x'
check "... of some of the ranks" [ $status = 0 ]
run 3 'export kineto folder; tensor x[4]; export kineto folder force; tensor y[4]'
check "export of a folder: what follows is the same on all ranks" [ $status = 0 ]
for other in dangling.npy link.npy; do
	run 1 "tensor x[4] = ones; save x $other"
	check "save: through $other nothing is written" sh -c "[ $status = 2 ] && grep -q '^$other is a symbolic link: .save x $other force' out && cmp -s a.npy ../before/a.npy && [ ! -e nowhere.npy ]"
	run 1 "tensor x[4] = ones; save x $other force; tensor y[4] = load $other"
	check "... but for force" [ $status = 0 ]
done
check "... and it stays a link" [ -h link.npy ]
ln -s nowhere.svg dangling.svg
run 1 'spin 1us; export dangling.svg'
check "export: a link that leads nowhere is there" sh -c "[ $status = 2 ] && grep -q 'dangling.svg is a symbolic link: .export dangling.svg force' out && [ -h dangling.svg ]"
trains='model mlp layers=3 hidden=8 batch=4; strategy ddp; run 1; checkpoint to=ck/m'
run 2 "$trains; checkpoint to=ck/m"
check "checkpoint writes its own files anew" [ $status = 0 ]
run 2 "$trains"
check "... of another run, too" [ $status = 0 ]
echo 'of others' > ck/m-1.17.npy
cp ck/m-1.json manifest
run 2 "$trains"
check "... and takes away no shard that is none" sh -c "[ $status = 0 ] && grep -q others ck/m-1.17.npy"
for other in m-1.1.npy m-1.0.npy.new m-1.json m-1.json.new; do
	echo 'of others' > ck/$other
	cp -r ck ../ck
	run 2 "$trains"
	check "checkpoint: $other stays, and all beside it" sh -c "[ $status = 2 ] && grep -q '^ck/$other exists and is .*: .checkpoint to=ck/m force. overwrites it' out && diff -r ck ../ck"
	run 2 "$trains force"
	check "... but for force" [ "$status$(cat ck/* | grep -ac 'of others')" = 01 ]
	rm -r ../ck
done
mkfifo ck/m-1.0.npy.new
run 2 "$trains force"
check "checkpoint: a pipe stays also then" sh -c "[ $status = 2 ] && grep -q 'm-1.0.npy.new is not a regular file' out && [ -p ck/m-1.0.npy.new ]"

# ---- a program that writes files is walked through without writing any, and writes when it runs
printf '## makes\ntensor x[4] = rank\n## writes\nsave x played$rank.npy\nexport played.svg\n' > writes.rsh
run 2 'program writes.rsh; step'
check "a program with \`save\` is loaded, and writes nothing before its step" sh -c "[ $status = 0 ] && grep -q '2  writes' out && [ ! -e played0.npy ] && [ ! -e played.svg ]"
run 2 'program writes.rsh; step 2'
check "... and then its file" sh -c "[ $status = 0 ] && grep -aq NUMPY played0.npy && grep -aq NUMPY played1.npy && [ -s played.svg ]"
printf '## makes\ntensor x[4] = rank\n## writes\nsave y played$rank.npy\n' > wrong.rsh
run 2 'program wrong.rsh'
check "... and is refused for a mistake in that line" sh -c "[ $status = 2 ] && grep -q 'wrong.rsh:4: .*no tensor .y.' out"
printf '## draws\nspin 1us\nplot loss played.png\n' > wrong.rsh
run 2 'program wrong.rsh'
check "so is one with \`plot\`" sh -c "[ $status = 2 ] && grep -q 'wrong.rsh:3: plot writes a picture' out"
sed -i 's/png/svg.svg/' wrong.rsh
run 2 'program wrong.rsh'
check "... which has its losses only when it is played" [ $status = 0 ]

# ---- a lesson's own lines write no file: neither when it opens, nor in a def that the learner
# calls, nor with force, nor as its solution
echo 'save x notes.txt force' > sourced.rsh
printf '## a step\nspin 1us\nexport program.svg force\n' > program.rsh
lesson() { # STARTER SOLUTION
	printf '%s\n' '# lesson: Others' '## One' '#: start' 'def later { save x notes.txt force }' 'tensor x[4] = ones' 'mark task' "$1" '#: check' \
		'expect count(spin) == 1   # one' '#: hint' '# one' '#: solution' "spin 1ms; $2" > lesson.rsh
}
for line in 'save x notes.txt force' 'export n.svg force' 'export kineto n' 'checkpoint to=n force' 'checkpoint every=1 to=n' 'strategy serial; program save notes.txt' \
	'strategy pipeline; program schedule n.csv' 'strategy serial; run 1; plot loss n.svg' 'spin 1us; calibrate n.machine' 'lesson new n.rsh' later 'source sourced.rsh' \
	'program program.rsh; step'; do
	lesson "$line" ''
	ls > ../before_it
	run 1 'lesson ./lesson.rsh'
	ls > ../behind_it
	check "a starter's \`$line\` is refused" sh -c "[ $status = 2 ] && grep -q 'is not written: a lesson.s own lines may read files, but not write them' out && cmp -s ../before_it ../behind_it && grep -aq NUMPY notes.txt"
	"$RANKSH" -n 1 --check-lessons lesson.rsh > out 2>&1
	check "... and --check-lessons says so" sh -c "[ $? != 0 ] && grep -q 'a lesson.s own lines may read files, but not write them' out"
done
lesson '' later
run 1 'lesson ./lesson.rsh; solution run'
check "its solution does not write" sh -c "[ $status = 2 ] && grep -q 'not write them' out"
"$RANKSH" -n 1 --check-lessons lesson.rsh > out 2>&1
check "... which --check-lessons says, too" grep -q 'not write them' out
run 1 'lesson ./lesson.rsh; later'
check "nor does a def of the starter that the learner calls" sh -c "[ $status = 2 ] && grep -q 'not write them' out"
lesson 'program program.rsh' ''
run 1 'lesson ./lesson.rsh; step'
check "nor a program that the starter began" sh -c "[ $status = 2 ] && grep -q 'not write them' out && [ ! -e program.svg ]"
lesson '' ''
run 1 'lesson ./lesson.rsh; save x mine.npy; lesson off; tensor x[4] = ones; save x mine.npy; source sourced.rsh'
check "the learner's own lines write, in the task and behind it" sh -c "[ $status = 0 ] && [ -s mine.npy ]"
cd "$work" || exit 1
