#!/bin/sh
# escapes.sh -- no text from outside controls the terminal: ESC, OSC, BEL, DEL and C1, as a byte
# and as UTF-8, arrive on every input path and are printed as '?'
. tests/script/lib.sh
cd "$work" || exit 1
XDG_DATA_HOME=$work/data
export XDG_DATA_HOME
evil=$(printf 'e\033[2J\033]0;t\007\233\302\2332J\177\033[31m\033[38;5;75me')
words=$(printf 'e\033[2J\033]0;t\007\302\2332J\177\033[31m\033[38;5;75me') # a line is valid UTF-8

# clean NAME: `out` is UTF-8 with newlines and tabs as its only control characters, and part of
# the evil word is there
clean() {
	check "$1" sh -c 'grep -aq "e?\[2J" out'
	check "... without a control character" sh -c '! LC_ALL=C grep -aqP "[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]" out && iconv -f UTF-8 -t UTF-8 out > rest'
	rm -f out
}
# lines LINE...: each as a script of one process and of two
lines() {
	what=$1
	shift
	printf '%s\n' "$@" > script.rsh
	for n in 1 2; do
		within 20 "$RANKSH" -n $n script.rsh > out 2>&1 < /dev/null
		clean "$what, $n ranks"
	done
	within 20 "$RANKSH" -n 2 < script.rsh > out 2>&1
	clean "$what, down a pipe"
}
# accepted NAME LINE...: adds lines that are not refused to a script, which has all of them
accepted() {
	echo "$1" >> names
	printf 'say "--- %s"\n' "$1" >> accepted.rsh
	shift
	printf '%s\n' "$@" >> accepted.rsh
}
# parts WAY: what the script printed, for each name
parts() {
	while read -r accepted; do
		part "$accepted"
		clean "$accepted, $1"
	done < names
}
lines 'a refused word' "$words x"
lines 'a file to source' "source \"$words\""
lines 'a file to load' "tensor x[4] = load \"$words.npy\""
lines 'a file to save, in a folder that is not there' "tensor x[4] = ones; save x \"$words/x.npy\""
lines 'a file to export' "export \"$words\""
accepted 'say' "say \"$words\""
accepted 'a text in a variable' "let a = \"$words\"; print a; say \"\$a\""
accepted 'a mark' "mark \"$words\"; spin 1us; stats; timeline \"$words\""
accepted 'expect' "expect error \"$words\" { spin }"
lines 'model' "model \"$words\""
lines 'strategy' "strategy ddp \"$words\""
lines 'machine' "machine \"$words\""
lines 'an option' "spin 1ms $words=1"
lines 'a lesson' "lesson \"./$words.rsh\""
lines 'a checkpoint' "strategy ddp; resume from=\"$words\""
printf '## %s\n# %s\nspin 1us\n' "$words" "$words" > program.rsh
accepted 'the title of a step' 'program program.rsh' 'program' 'step'
for n in 1 2; do
	within 20 "$RANKSH" -n $n accepted.rsh > said 2>&1 < /dev/null
	parts "$n ranks"
done
within 20 "$RANKSH" -n 2 < accepted.rsh > said 2>&1
parts "down a pipe"
printf '%s x\n' "$words" > "$evil.rsh"
within 20 "$RANKSH" -n 2 "$evil.rsh" > out 2>&1
clean "a script's name"
within 20 "$RANKSH" -n 2 "nowhere$evil.rsh" > out 2>&1
clean "the name of a script that is not there"
within 20 "$RANKSH" -n 2 -c "$words x" > out 2>&1
clean "-c"
within 20 "$RANKSH" "--$evil" > out 2>&1
clean "an option of the command line"
within 20 "$RANKSH" --machine "$evil" -n 1 -c 'spin 1us' > out 2>&1
clean "--machine"
within 20 "$RANKSH" --follow "$evil" > out 2>&1 < /dev/null
clean "--follow"
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': 'e$(printf '\033')[2J', 'fortran_order': False, 'shape': (4,), }" > descr.npy
within 20 "$RANKSH" -n 1 -c 'tensor x[4] = load descr.npy' > out 2>&1
clean "the descr of an .npy file"

# lessons of others
lesson() {
	printf '%s\n' "# lesson: $words" "# learned: $words" "## $words" "# $words" '#: start' "tensor x[4] = ones; mark task" '#: check' \
		"expect count(spin) == 1   # $words" '#: hint' "# $words" '#: solution' "spin 1ms   # $words" '#: transfer' "# $words" > "$1"
}
lesson evil.rsh
printf 'lesson ./evil.rsh\ntask start\nhint\nhint\nhint\ncheck\nsolution\nspin 1ms\ncheck\nlesson off\n' > script.rsh
within 60 "$RANKSH" -n 2 script.rsh > out 2>&1
clean "a lesson"
within 60 "$RANKSH" -n 2 < script.rsh > out 2>&1
clean "... down a pipe"
within 60 "$RANKSH" --check-lessons evil.rsh > out 2>&1
clean "--check-lessons"
sed -i 's/== 1/== 2/' evil.rsh
within 60 "$RANKSH" --check-lessons evil.rsh > out 2>&1
clean "... of a lesson that is wrong"
printf 'spin 1us; spin 1us; spin 1us\n' > handed.rsh
within 60 "$RANKSH" --grade evil.rsh handed.rsh > out 2>&1
clean "--grade: the lesson's remark"
printf '%s x\n' "$words" > handed.rsh
within 60 "$RANKSH" --grade 1.1 handed.rsh > out 2>&1
clean "--grade: a learner's word"
printf 'tensor a[4] = load "%s.npy"\n' "$words" > handed.rsh
within 60 "$RANKSH" --grade 1.1 handed.rsh > out 2>&1
clean "--grade: a learner's path"
mkdir -p "$XDG_DATA_HOME/ranksh/lessons"
lesson "$XDG_DATA_HOME/ranksh/lessons/$evil.rsh"
within 20 "$RANKSH" -n 1 -c lessons > out 2>&1
clean "one's own lessons"

# a class, and a session that is followed
mkdir class
printf '{"ranksh":"0.1","class":1,"name":"%s","id":"i","at":"t"}\n{"what":"check","task":"1.1","words":"%s","seconds":3}\n' 'e\u001b[2J\u009b' 'e\u001b[2J\u009b' > class/a.jsonl
for how in --once '--once --csv'; do
	within 20 "$RANKSH" --overview class $how > out 2>&1
	clean "the board, $how"
done
printf '{"ranksh":"0.1","n":1,"dry":true,"machine":"classroom"}\n{"line":"say \\"e\\u001b[2J\\u009b\\""}\n{"line":"e\\u001b[2J x"}\n' | within 60 "$RANKSH" --follow - > out 2>&1
clean "a session that is followed"
