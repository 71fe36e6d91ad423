#!/bin/sh
# follow.sh -- following a journal without a terminal: which parts are shown, how the output
# grows, and files that are no journal, or no journal any more
. tests/script/lib.sh
XDG_STATE_HOME=$work
export XDG_STATE_HOME
cd "$work" || exit 1
# run STATUS ARGUMENTS...: writes both outputs to `out`; with another exit status, a text that no
# check can find
run() {
	wanted=$1
	shift
	within 60 "$RANKSH" "$@" > out 2>&1
	got=$?
	[ $got = "$wanted" ] || echo "STATUS $got, NOT $wanted: $(tr a-z A-Z < out)" > out
}
says() { grep -q -e "$1" out; }
# the journal that is written on, in one process and without data
head='{"ranksh":"'$("$RANKSH" --version | cut -d' ' -f2)'","n":2,"machine":"classroom","dry":true}'
begin() { { echo "$head"; [ $# = 0 ] || printf '%s\n' "$@"; } > journal; }

begin '{"line":"tensor x[4]"}' '{"look":"mem"}' '{"line":"spin 1ms"}' '{"look":"timelin","refused":"no command '"'timelin'"'"}' \
	'{"line":"repeat 2 {\nspin 2ms\n}","stop":3}' '{"keep":2,"typed":"undo"}' '{"line":"spin 5ms; sync","stamp":7000000}' '{"look":"timeline","stamp":20000000}' \
	'{"of":"a later ranksh"}' '{"look":"print time+0","stamp":30000000,"refused":"no"}' '{"look":"say \"a\u001b[2Jb\""}' '{"look":"a\u009b2J","refused":"b\u001b[2J"}'
run 0 --follow - < journal
check "a line is shown with its prompt" says '^0.00 ms > spin 1ms$'
check "a block with its prompts" says '^\.\.\. > spin 2ms$'
check "what was looked at" says 'ranks 0,1'
check "what was refused, and is not tried" says "^no command 'timelin'$"
check "undo takes the same lines back" says '^   taken back: repeat 2 {'
check "the stamp of then" says '^12\.[0-9]* ms > timeline$'
check "... of a line that was refused, too" says '^30.*ms > say'
check "no escape reaches a terminal" sh -c '! grep -q "$(printf "\033")" out'
begin '{"line":"spin 1ms"}' '{"line":"spin 2ms"}' '{"keep":1}' '{"look":"timeline"}'
run 0 --follow - < journal
check "a journal that does not say what was typed: new ranks" says 'new ranks; 1 line run again'
check "... with the lines that stand" says '^0.02 ms > timeline'
begin '{"line":"let a = 1","values":"gone\t1\n"}' '{"line":"source none.rsh"}' '{"look":"print a+1"}'
run 0 --follow - < journal
check "a line that is refused here and was not is told, and the next one follows" says '`source none.rsh`, run again, is refused'
echo 'let b = 1' > b.rsh
begin '{"line":"source b.rsh","outside":"b.rsh\t0000000000000000\n"}'
run 0 --follow - < journal
check "a file that is another one is told" says 'reads has changed: b.rsh'
begin '{"line":"tensor x[4] = ones; save x saved.npy"}'
sed -i 's/true/false/; s/"n":2/"n":1/' journal
run 0 --follow - < journal
check "what is followed writes no file" [ ! -e saved.npy ]

# A task's question is shown with its choices, but only the followed session asks for the answer.
begin '{"line":"lesson 5"}'
sed -i 's/true/false/; s/"n":2/"n":4/' journal
run 0 --follow - < journal
check "a task's guess has its choices" says '^ *a [0-9.]* .s   b [0-9.]* .s   c '
check "... and asks for none" sh -c '! grep -q "answer with" out'
begin '{"line":"lesson 6"}'
sed -i 's/true/false/; s/"n":2/"n":4/' journal
run 0 --follow - < journal
check "... nor for a figure" sh -c 'grep -q "First guess: how many" out && ! grep -q "answer with" out'

begin '{"line":"spin 1ms"}'
run 2 --follow nowhere
check "no such file" says 'cannot read nowhere: No such file'
run 2 --follow .
check "a folder" says '\. is a folder'
mkfifo waits
run 2 --follow waits
check "a pipe that has a name is not waited for" says 'waits is not a regular file; a pipe is .* --follow -'
echo 'spin 1ms' > script.rsh
run 2 --follow script.rsh
check "a file that is no journal" says 'script.rsh is not a journal of ranksh'
run 2 --follow - < /dev/null
check "a pipe without one" says 'the pipe is not a journal'
run 2 -n 4 --follow journal
check "another number of ranks" says 'journal is a session of 2 ranks, not of 4'
run 2 --machine dgx-h100 --follow journal
check "another machine" says 'is a session on classroom, not on dgx-h100'
run 2 --follow journal -c sync
check "lines beside it" says '^ranksh: --follow opens a prompt: it cannot be combined with a file or lines'
run 2 --follow journal --resume
check "--resume beside it" says '^ranksh: --follow and --resume cannot be combined'
run 2 --journal new < /dev/null
check "--journal without a terminal" says '^ranksh: --journal records a prompt'
sed 's/true/false/' journal > data
run 2 --dry --follow data
check "--dry of a session with data" says 'data is a session with data, and --dry has none'
sed 's/"ranksh":"[^"]*"/"ranksh":"9.9"/' journal > later
run 2 --follow later
check "another version" says 'later was written by ranksh 9.9, but this is '
sed 's/"n":2/"n":99999/' journal > many
run 2 --follow many
check "ranks that nobody has" says 'many is not a journal of ranksh'
begin '{"line":"spin 1ms"}' 'spin 2ms' '{"line":"spin 3ms"}'
run 2 --follow - < journal
check "a line that is not JSON is told with its number" says 'line 3 of the pipe cannot be read: it is not JSON'
check "... behind those before it" says '> spin 1ms$'
begin "$head"
run 2 --follow - < journal
check "a second session" says 'line 2 of the pipe begins another session'
{ echo "$head"; printf '{"line":"spin'; } > journal
run 2 --follow - < journal
check "a pipe that ends within a line" says 'the pipe has ended in the middle of line 2'

# ---- it grows ----
# waits for TEXT in what the follower has said
said() {
	for look in $(seq $((600 * ${SLOW:-1}))); do
		grep -q -e "$1" out && return
		timeout 0.05 tail -f /dev/null
	done
	return 1
}
# follows: the journal in the background; ended WORDS: it ends with status 2 and says so
follows() {
	rm -f status
	: > out
	{ within 60 "$RANKSH" --follow journal > out 2>&1; echo $? > status; } &
}
ended() { said "$1" && wait && [ "$(cat status)" = 2 ]; }
begin '{"line":"spin 1ms"}'
follows
check "what is there is shown" said '> spin 1ms$'
printf '{"line":"spin 2ms"}\n{"line":"spi' >> journal
check "... and what comes" said '> spin 2ms$'
check "half a line waits" sh -c '! grep -q "3ms" out'
printf 'n 3ms"}\n' >> journal
check "... for the rest" said '> spin 3ms$'
begin
check "a file that has become shorter ends it" ended 'journal has become shorter'
follows
echo '{"line":"spin 4ms"}' >> journal
check "another one is followed" said '> spin 4ms$'
echo "$head" > other
mv other journal
check "a file in its place ends it" ended 'journal is another file now'
follows
echo '{"line":"spin 5ms"}' >> journal
check "and again" said '> spin 5ms$'
rm journal
check "a file that is gone ends it" ended 'journal no longer exists'
