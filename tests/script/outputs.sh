#!/bin/sh
# outputs.sh -- foreign files stay: a line that writes a file replaces one of its own kind or an
# empty one, and any other only with `force`. A line that a message suggests runs as typed,
# whatever the file's name.
. tests/script/lib.sh
cd "$work" || exit 1
serial='model mlp layers=2 hidden=8 batch=8; strategy serial; run 1'
trained='model mlp layers=2 hidden=8 batch=8; strategy pipeline=2 micro=2; run 1'
# lines BEFORE LINE...: runs LINE after BEFORE at a prompt of two ranks in one process; its output
# in `out`; true if no line was refused
lines() {
	printf '%s\n' "$@" | one_process --dry -n 2 | sed 's/\\"/"/g' > out
	! grep -q '"status":"\(file\|argument\|syntax\|name\)"' out
}
# dry, one BEFORE LINE: the same as a script, of two ranks without data, of one with data
dry() { "$RANKSH" --dry -n 2 -c "$1
$2" > out 2>&1; }
one() { "$RANKSH" -n 1 -c "$1
$2" > out 2>&1; }
runs() { "$RANKSH" "$@" > out 2>&1; }
suggested() { sed -n 's/.*: `\(.*force\)` overwrites it.*/\1/p' out | head -1; }

# kept HOW BEFORE LINE FILE IS
kept() {
	how=$1 before=$2 line=$3 file=$4
	printf 'of others\nline 2\n' > "$file"
	cp "$file" others
	$how "$before" "$line"
	check "\`$line\`: a file of others stays" sh -c "grep -qF '$file exists and is not a $5' out && cmp -s '$file' others"
	again=$(suggested)
	$how "$before" "$again"
	check "... and \`$again\` writes it" sh -c "! cmp -s '$file' others && [ -s '$file' ] && ! grep -q 'exists and is not\|: .*: no ' out"
	cp "$file" written
	check "... twice without the word" $how "$before" "$line"
	check "... and with the same text" cmp -s "$file" written
	: > "$file"
	$how "$before" "$line"
	check "... and over an empty file" cmp -s "$file" written
	rm -f "$file" target
	ln -s target "$file"
	$how "$before" "$line"
	check "... a link is followed by force alone" sh -c "grep -q 'is a symbolic link: .* force. writes through it' out && [ ! -e target ]"
	rm "$file"
	mkdir "$file"
	$how "$before" "$again"
	check "... and a folder is nothing to write over" sh -c "grep -q 'is not a regular file' out && [ -d '$file' ]"
	rmdir "$file"
}
kept one 'tensor x[4] = ones' 'save x[0:2] "a\"b\$ c;d.npy"' 'a"b$ c;d.npy' 'whole .npy file of a tensor'
for format in svg html csv txt json; do
	kept dry 'spin 1ms; mark two; spin 2ms' "export \"two words.$format\" two width=60" "two words.$format" 'file of `export`'
done
kept one "$serial" 'plot loss "two words.svg"' 'two words.svg' 'file of `plot`'
kept dry "$trained" 'program save "two words.rsh"' 'two words.rsh' 'file of `program save`'
kept dry "$trained" 'program save "two words.rsh" source' 'two words.rsh' 'file of `program save`'
kept dry "$trained" 'program schedule "two words.csv"' 'two words.csv' 'file with exactly this schedule'
kept dry 'source calibrate; measure 64k' 'calibrate "two words.machine"' 'two words.machine' 'file of `calibrate`'
kept lines 'spin 1ms' 'journal save "two words.rsh"' 'two words.rsh' 'file of `journal save`'

# what was written before is read back: the first line is a comment of its format
dry "$trained" 'program save p.rsh; program save s.rsh source; source calibrate; measure 64k; calibrate m.machine'
check "a saved program runs" runs --dry -n 2 p.rsh
check "... and its source" runs --dry -n 2 -c 'program s.rsh; run 1'
check "... and a calibrated machine" runs --dry -n 2 -c 'machine ./m.machine; spin 1us'
# one kind's file is no other's
one "$serial" 'plot loss a.svg'
one "$serial" 'export a.svg'
check "a picture of \`plot\` is no \`export\`" grep -q 'a.svg exists and is not a file of .export' out

printf '   must stay\n   0 host\n' > mine.txt
dry 'spin 1ms' 'export mine.txt'
check "a text whose first word only begins as a unit is no \`export\`" grep -q 'mine.txt exists and is not a file of .export' out

# a folder of files
kineto() { dry 'spin 1ms; sync' "$1"; }
kineto 'export kineto "two words"'
check "export kineto: its own files are replaced" kineto 'export kineto "two words"'
for file in rank1.pt.trace.json rank0.pt.trace.json.part; do
	printf '{\n"schemaVersion":1,\n"deviceProperties":[]}' > others
	cp others "two words/$file"
	kineto '@0-1 export kineto "two words"'
	check "... and $file of PyTorch stays" sh -c "grep -qF 'two words/$file exists and is not a file of \`export kineto\`: \`@0,1 export kineto \"two words\" force\`' out && cmp -s others 'two words/$file'"
	check "... but for force" kineto "$(suggested)"
done
mkdir ck
echo 'of others' > 'ck/my net-1.json'
one "$serial" 'checkpoint to="ck/my net"'
check "checkpoint: the suggested line has the prefix in quotes" grep -qF '`checkpoint to="ck/my net" force` overwrites it' out
one "$serial" "$(suggested)"
check "... and runs" grep -q 'my net-1.json: iteration 1' out
echo 'of others' > 'ck/my net-1.json'
one 'model mlp layers=2 hidden=8 batch=8; strategy serial; checkpoint every=1 to="ck/my net"' 'run 1'
check "... also that of every=" grep -qF '`checkpoint every=1 to="ck/my net" force` overwrites it' out

# the file is looked at before anything happens
echo 'of others' > note.txt
prompt() { printf '%s\n' "$@" | one_process -n 1 > out; }
prompt 'tensor x[4] = ones' 'save x note.txt' 'say "at $(time)"'
check "save: what is refused has not waited" sh -c "grep -q 'note.txt exists' out && ! grep -q 'have run, and stay' out"
prompt 'tensor x[4] = ones' 'say "at $(time)"'
grep -o '"at [^"]*"' out > before_it
prompt 'tensor x[4] = ones' 'save x note.txt' 'say "at $(time)"'
check "... and time has not gone on" sh -c "grep -o '\"at [^\"]*\"' out | cmp -s - before_it"
prompt 'model mlp layers=2 hidden=8 batch=8' 'strategy serial' 'run 1' 'checkpoint to="ck/my net"' 'say "at $(time)"'
check "nor has a checkpoint" sh -c "grep -q 'my net-1.json exists' out && ! grep -q 'have run, and stay' out"

# lines that a program's steps did are saved so that they run
printf '## one\nlet f = "of $rank.npy"\ntensor x[4] = ones\nsave x $f\n' > words.rsh
one 'program words.rsh; step' 'program save steps.rsh'
check "a file's name with a blank is in quotes in a saved program" grep -qx 'save x "of 0.npy"' steps.rsh
check "... which runs" runs -n 1 steps.rsh

# other lines that messages suggest
lines 'spin 1ms' 'journal save "a b.rsh"'
check "journal save: its line for the system's shell" grep -qF "\`ranksh 'a b.rsh'\` runs them" out
one '' 'lesson new "c d.rsh"'
check "lesson new: both lines" grep -qF "\`lesson \"c d.rsh\"\` opens it, \`ranksh --check-lessons 'c d.rsh'\`" out
one 'source calibrate; measure 64k' 'calibrate "a b.machine"'
check "calibrate: the machine" sh -c "grep -qF '\`machine \"./a b.machine\"\`' out"
check "... which runs" runs -n 1 -c 'machine "./a b.machine"'
one '' 'calibrate "a b"'
check "... and the file that it wants" grep -qF 'calibrate "a b.machine"' out
one "$serial" 'plot loss "a b"'
check "plot: the same" grep -qF 'plot loss "a b.svg"' out
one 'mark two' 'diff two "a b.rsh"'
check "diff" grep -qF '`journal save "a b.rsh"`' out
one "$serial" 'strategy serial; checkpoint every=1 to="ck/of mine"; strategy serial'
check "a checkpoint that ends is named as it was typed" grep -qF 'checkpoint every=1 to="ck/of mine" has ended' out
# the log has which checkpoint it was
cp -r ck 'c$k'
printf '%s\n' 'model mlp layers=2 hidden=8 batch=8' 'strategy serial' 'run 1' 'checkpoint to="c\$k/n"' 'resume from="c\$k/n"' 'spin 1us' undo 'say "it is at $(rank)"' |
	one_process -n 1 > out
check "resume from a path with a sign of the language, and undo" sh -c "grep -q 'it is at' out && ! grep -q 'is refused\|no variable' out"
