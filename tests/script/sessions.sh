#!/bin/sh
# sessions.sh -- a session is a replay of its log (docs/guide/sessions.md): undo restores the
# state before the line, new ranks that receive the log's lines have the state of the old ones,
# and looks take no part
. tests/script/lib.sh
cd "$work" || exit 1

dry=--dry # of one rank also without it: then there are data
also= # a line behind the others, with Ctrl-C while it runs
# until_said TEXT [TIMES]: waits until `replies` has TEXT so many times, at most the seconds that
# any step here takes
until_said() { for look in $(seq $((200 * ${SLOW:-1}))); do [ "$(grep -c "$1" replies)" -ge "${2:-1}" ] && break; timeout 0.05 tail -f /dev/null; done; }
interrupt='\036{"do":"interrupt"}\n'
# state RANKS [silent]: runs a session with the lines of standard input, and prints its visible
# state; silent: as new ranks receive a log, with Ctrl-C after each line
state() {
	while IFS= read -r line; do
		[ -z "${2:-}" ] || printf '\036{"do":"run","silent":true,"text":"%s"}\n'"$interrupt" "$(printf '%s' "$line" | sed 's/["\\]/\\&/g')"
		[ -n "${2:-}" ] || printf '%s\n' "$line"
	done > typed
	: > replies
	{
		cat typed
		[ -z "$also" ] || {
			until_said '"is":"done"' "$(wc -l < typed)"
			printf '%s\n'"$interrupt" "$also"
		}
		for look in 'say "--- looks"' tensors 'timeline all' stalls stats roofline streams events groups traffic races 'peek c8' 'peek loss'; do echo "$look"; done
	} | one_process $dry -n "$1" > replies
	sed -n '/--- looks/,$p' replies | sed 's/,"log":.*//'
}
# undone NAME RANKS LINE < LINES: LINE and undo leave the state after LINES
undone() {
	cat > lines
	state "$2" < lines > before
	{ cat lines; echo "$3"; echo undo; } > more
	state "$2" < more > out
	check "$1" same before out
}
# what the replies say of the log comes to these lines (which have no quotes in them)
log() {
	sed -n 's/.*"log":{"add":\[\(.*\)\],"keep":\([0-9]*\)}.*/\2 \1/p' replies | awk '{
		count = $1
		while (match($0, /"line":"[^"]*"/)) { line[count++] = substr($0, RSTART + 8, RLENGTH - 9); $0 = substr($0, RSTART + RLENGTH) }
	} END { for (i = 0; i < count - 1; i++) print line[i] }' # the last is that of the looks
}
# replayed NAME RANKS < LINES: the lines typed, and those of their log given to new ranks
replayed() {
	state "$2" > before
	log > lines
	state "$2" silent < lines > out
	check "$1" same before out
}

# a line that turns a switch is one of the lines, where they run again as well
printf '%s\n' 'explain on' 'timeline on' 'spin 1us' whatif | one_process --dry -n 2 > out
check "what is shown with each line changes no line's number in a world of its own" grep -q 'run again: 2 operations, each at the same time' out

# All ranks of a line receive their answers together: rank 0's stream is empty, but its device's
# work until then is final.
undone "a sync of several ranks is run again as it was typed" 3 'record e on s' <<'END'
tensor t3[8,4] t4[8,4] = rank
stream s
@2 send t4 to=1; @1 recv t4 from=2 on s
@0 copy t4 -> t4
sync s
END
undone "... also after an undo" 8 'spin 1us' <<'END'
tensor t7[4,4] t8[4,4] f16 = rank
together { allreduce t8; allreduce t8 }
barrier
undo
copy t8 -> t8
@(rank % 2 == 0) sync
END
# rank 1's line brings the answer that rank 0 is owed; its copy joins its link no earlier than that
replayed "an answer that was owed is owed again before the next line" 2 <<'END'
tensor x[512,512] w[512,512] = rank
tensor h[512,512] pinned = 1
stream s
@0 allreduce x; @0 sync
@1 allreduce x
@1 copy h -> w on s
END
replayed "a line behind an undo" 4 <<'END'
tensor t1[16,16] = ones; tensor t2[64] f16 = zeros; stream s3 blocking
for i in 0:world { wait default on s3; @3 y7 = matmul t1 t1 on default; y8 = scatter t2 on s3 }
record e on default
@2-3 sync
mark m
undo
spin 1us
END
replayed "what waits in a circle, and a group that is made behind it" 2 <<'END'
tensor x[4] z[4] = ones
stream s
@0 reduce x root=1 on s; @0 allreduce z
@1 send x to=0; @0 recv x from=1
@1 sync
group g 0
END
replayed "names of refused lines move no tensor in the list" 2 <<'END'
copy a -> b
tensor b[4] a[4]
END
replayed "... nor what is nearest to a word" 2 <<'END'
copy b8 -> a8
tensor a8[4] b8[4]
END
replayed "... nor a row of a table, of kernels that took as long" 2 <<'END'
sgd a8 b8 lr=0.1
tensor a8[8,8] b8[8,8] = ones
a8 += exp a8
sgd a8 b8 lr=0.1
END
printf 'wait F72 on F71\nphase F71\nspin 1us\nphase F72\nspin 1us\nphase off\nwhy F73\n' | one_process --dry -n 1 > out
check "... nor which of two operations a word means" grep -q "did you mean 'F71'" out
undone "set changes no transfer that was queued before it" 2 'spin 1us' <<'END'
tensor t[8,4] = rank
sendrecv t -> t to=(rank+1)%world from=(rank-1)%world
set link_rate=1GB/s
END
# what outlives a world is what it was before the line, too
undone "slow goes with its line, in a world behind another" 2 'slow 5x' <<'END'
@1 slow 3x
tensor x[4] = 1
reset
spin 1ms
END
printf '@1 slow 3x\ntensor x[4] = 1\nreset\nslow 5x; pace 1s\nundo\nmachine\n' | one_process --dry -n 2 > out
check "... and machine says who is slow" grep -q 'nslow: rank 1 3x.nmachines' out
printf 'slow 3x\ntour\nmachine\n' | one_process -n 2 > out
check "... but in a lesson and the tour nobody is" sh -c 'grep -q "nmachines: classroom" out && ! grep -q "nslow:" out'
# the second allreduce begins when the matmul is over
printf 'stream s t\ntensor x[512,512] w[256,256]\nallreduce x on s\ny = matmul w w on t\n' > lines
{ cat lines; echo 'allreduce x on s; set collective_sms=50%'; } | state 2 > before
{ cat lines; echo 'set collective_sms=50%; allreduce x on s'; } | state 2 > out
check "set changes no collective that was queued before it" same before out
dry=
replayed "a run that step back has cut reads no loss that its steps do not read" 1 <<'END'
model mlp layers=2 hidden=128 batch=256
strategy zero
run 2
step back
END
undone "a line that is refused for what it read keeps what that has fixed" 1 'spin 1us' <<'END'
tensor x[512,512] w[512,512] = 1
y = matmul x w
expect norm(y) < a
END
replayed "... nor does a line with a loop around it" 1 <<'END'
model mlp layers=1 hidden=8 batch=4
strategy serial
repeat 3 { run 1; spin 1us }
step back 2
END
replayed "a verify that plays nothing, behind steps that step back has cut at the end of an iteration" 1 <<'END'
model mlp layers=1 hidden=8 batch=4
strategy serial
step 10
step back 2
verify
END
# what the host reads before it is there, and what that steers
early='tensor x[512,512] = 3
tensor h[512,512] k[512,512] pinned = 0
stream io
copy x -> h on io
let a = h[0,0]
if a == 0 { copy h -> k }
print k[1,0]
save h early.npy'
undone "the races of the host's reads, behind an undo" 1 'sync; print h' <<END
$early
END
check "... each with its line" sh -c "grep -o 'before line [0-9]*\|line [0-9]* puts' before | tr -dc '0-9\n' | sort -n | tr '\n' ' ' | grep -q '^5 7 8 \$'"
replayed "... and for new ranks" 1 <<END
$early
END
dry=--dry
# Ctrl-C in lines that run again leaves them whole; `a` tells how far the loop came
loop='let a = 0
repeat 100000 { let a = a+1 }
host a*1us'
replayed "Ctrl-C does not cut short what new ranks are given" 1 <<END
$loop
END
# not_cut LINE < LINES: Ctrl-C in LINE, which runs the lines before it again, is reported and has
# no effect
not_cut() {
	cat > lines
	{ cat lines; echo "$1"; } | state 1 > before
	also=$1
	state 1 < lines > out
	also=
	check "Ctrl-C does not cut \`$1\` short" same before out
	check "... and it is said" grep -q 'Ctrl-C is ignored' replies
}
not_cut undo <<END
$loop
spin 1us
END
dry=
not_cut 'step back 5' <<'END'
model mlp layers=2 hidden=8 batch=4
strategy serial
run 60
END
dry=--dry
# rank 0 alone has a prompt, and makes no communicator for it
{
	printf '\036{"do":"hello","width":120,"height":24}\nsay there; group g 0-1; repeat 1 { spin 1us }; repeat 1000000000 { let a = 1 }\n'
	until_said there
	printf "$interrupt"'barrier in g\n'
	until_said '"waits":0,"clock":[1-9]'
} | within 20 mpirun --oversubscribe -n 2 "$RANKSH" --wire > replies 2> errors
check "rank 0 has a prompt behind a group that Ctrl-C has left without work, and the group works" grep -q '"waits":0,"clock":[1-9]' replies
# piped NAME RANKS < LINES: lines that arrive slowly through a pipe, each after the previous one
# is done, have the same effects as a file
piped() {
	{ cat; printf '%s\n' 'say "--- looks"' 'timeline all' stalls stats traffic streams events; } > script.rsh
	"$RANKSH" --dry -n "$2" script.rsh | sed -n '/--- looks/,$p' > before
	: > got
	number=0
	while IFS= read -r line; do
		number=$((number + 1))
		printf '%s\nsay "line %s"\n' "$line" $number
		for look in $(seq $((400 * ${SLOW:-1}))); do
			grep -qx "line $number" got && break
			timeout 0.05 tail -f /dev/null
		done
	done < script.rsh | "$RANKSH" --dry -n "$2" > got
	sed -n '/--- looks/,$p' got | grep -v '^line ' > out
	check "$1" same before out
}
piped "slowly down a pipe: transfers and collectives keep the machine that they were queued on" 3 <<'END'
tensor t[512,512] w[512,512] = rank
stream s
sendrecv t -> t to=(rank+1)%world from=(rank-1)%world
y = matmul w w on s
set link_rate=1GB/s
allreduce w
@1 slow 3x
z = matmul w w on s
set collective_sms=50%
barrier
END
piped "... and answers are owed where the script asks" 4 <<'END'
tensor a[64,64] = rank
stream s
@0 host 3ms
@0 send a to=1 on s; @1 recv a from=0 on s
@1 query s
@2-3 allreduce a on s
y = matmul a a
@0-1 allreduce a on s
print count(matmul)
sync
END
# taken NAME LINE: undo after LINE takes the line before it back
taken() {
	printf 'tensor x[4]\n' | state 2 > before
	printf 'tensor x[4]\nspin 1us\n%s\nundo\n' "$2" | state 2 > out
	check "$1" same before out
}
for look in mem machine strategy help lessons lesson timeline; do taken "\`$look\` looks: undo takes the line before it" "$look"; done
# logged NAME LINE: the line is in the log
logged() {
	printf '%s\n' "$2" | one_process --dry -n 2 > out
	check "$1" grep -q "\"add\":\[{\"line\":\"$2\"" out
}
for line in 'timeline on' 'explain on' 'machine dgx-h100' 'mem trim'; do logged "\`$line\` is kept for new ranks" "$line"; done
# Statements that ran before a refused statement persist, so they are in the log, whether pasted,
# from a file or in a def.
while read -r setting; do
	printf '%s\nnonsense\n' "$setting" > lasting.rsh
	printf '\036{"do":"run","text":"%s\\nnonsense"}\nsource lasting.rsh\ndef f { %s; nonsense }\nf\n' "$setting" "$setting" | one_process --dry -n 2 > out
	for line in "$setting.nnonsense" 'source lasting.rsh' f; do
		check "\`$setting\` before a refused statement is kept: $line" grep -q "\"add\":\[{\"line\":\"$line\"" out
	done
done <<'END'
loader on
checkpoint every=1 to=saved
explain on
timeline on
pace 1s
model mlp layers=1 hidden=8 batch=4
data synthetic count=64
stage F=2ms B=2ms W=2ms
set launch=5us
machine dgx-h100
@1 slow 3x
phase F1
use @0
END
printf 'loader workers=2 decode=200us\nnonsense\n' > lasting.rsh
replayed "... and new ranks have it" 2 <<'END'
source lasting.rsh
model mlp layers=1 hidden=8 batch=4
strategy ddp
run 1
END
for line in 'stream s; split on' 'loader on; view' 'stream s; edit f.rsh' 'event e; restart'; do logged "\`$line\`: what asks for the terminal takes nothing out of the log" "$line"; done
printf 'tensor x[4]; split on\nloader on; view\n' > lines
state 1 silent < lines > out
check "... and asks for nothing when it runs again" sh -c '! grep -q "\"wish\"" replies'
printf 'tensor x[4]; quit; tensor y[4]\n' | one_process --dry -n 1 > out
check "a line that ends the session is kept up to there" grep -q '"add":\[{"line":"tensor x\[4\]; "}\]' out
for line in 'timeline; nonsense' 'view; nonsense' quit 'if 1 { tensor x[4]; quit }'; do
	printf '%s\n' "$line" | one_process --dry -n 1 > out
	check "\`$line\` is not" sh -c '! grep -q "\"add\":.{" out'
done
# The loss of an iteration that is run step by step is not final yet, and a look does not make it
# final.
dry=
printf 'model mlp layers=2 hidden=128 batch=256\nstrategy zero\nrun 1\nstep back\nstep\n' > lines
state 1 < lines > before
{ cat lines; echo stats; } | state 1 > out
check "stats reads no loss that is not there yet" same before out
# Races of a script's earlier lines are reported before the next world begins, as with a slow
# pipe.
for next in reset 'strategy ddp'; do
	"$RANKSH" -n 1 -c "stream s; tensor x[4] = ones; y = relu x on s; copy x -> x; $next" > out 2>&1
	check "\`$next\` in a script: the races before it are told" grep -q 'race: `relu` on s reads x' out
done
# the race of x is decided when rank 1 receives, and found before that of y by who asks only then
dry=--dry
printf 'stream s t\ntensor x[4] y[4] z[4] = ones\n@0 send z to=1 on s\n@0 x = relu x on s\n@0 x = gelu x\n@0 y = relu y on t\n@0 y = gelu y\n' > lines
{ cat lines; echo '@1 recv z from=0'; } | state 2 > before
{ cat lines; echo races; echo '@1 recv z from=0'; } | state 2 > out
check "races stand in program order, whenever they were found" same before out
# The matmul and the copy race in t1 and in t2; a late `races` knows the race of t1 by the
# allgather already.
cat > lines <<'EOF'
tensor t1[4,4] t2[4,4] bf16 = rank
stream s9
@1-3 sendrecv t1 -> t1 to=(rank+1)%world from=(rank-1)%world
copy t2 -> t1 on s9
y15 = allgather t1 on default
@2 t2 = matmul t1 t1
EOF
last='sendrecv t2 -> t2 to=(rank+1)%world from=(rank-1)%world on s9'
{ cat lines; echo "$last"; } | state 4 > before
{ sed 's/$/\nraces/' lines; echo "$last"; } | state 4 > out
check "a pair of operations races once for each pair of names, whenever it is found" same before out
# drawn SEED: random lines for a session of 3 ranks, the same on any computer; every other one is
# marked as a look, or is refused
drawn() {
	awk -v state="$1" '
	function draw(n) { state = state * 16807 % 2147483647; return int(state / 7) % n }
	function of(words, w) { return w[1 + draw(split(words, w, "|"))] }
	function fill(line) {
		while (match(line, /%[ktosg]/)) {
			kind = substr(line, RSTART + 1, 1)
			word = kind == "k" ? draw(3) : kind == "t" ? of("x|y|z|x[0:2]") : kind == "o" ? of("| on s| on t") : kind == "s" ? of("s|t|default") : of("| in g| in h")
			line = substr(line, 1, RSTART - 1) word substr(line, RSTART + 2)
		}
		return line
	}
	BEGIN {
		print "tensor x[4] y[4] z[4] = rank"; print "stream s t"; print "group g 0-1 timeout=2ms"; print "group h 1-2"
		for (i = 0; i < 14; i++) {
			ranks = of("||@0 |@1 |@2 |@0-1 ")
			print ranks fill(of("x = relu %t[0:4]%o|y = exp z%o|z += y%o|allreduce %t%g%o|broadcast %t root=1%g%o|barrier%g|send %t to=%k%o|recv %t from=%k%o|" \
				"together { send x to=(rank+1)%world%o; recv z from=(rank+2)%world%o }|wait %s on %s|record e on %s|sync|sync %s|abort world|abort h|window y|close y|" \
				"put x -> y@%k%o|add x -> y@%k%o|spin 30us%o|mark two|set launch=5us|@1 slow 2x|undo|free z; tensor z[4] = ones"))
			print "? " fill(of("races|races|stats|stalls|roofline|traffic|stuck|mem|mem over|critical|timeline|why|at 50us|peek %t|whatif launch=2x|tensors|machine|" \
				"at off|@0 sgd x q lr=1|gelu q|tanhh x|help relu|z = sqrt q%o"))
		}
		print of("abort world|sync|spin 1us")
	}'
}
for seed in 11 37 62 89 119; do
	drawn $seed > drawn
	grep -v '^?' drawn | state 3 > before
	sed 's/^? //' drawn | state 3 > out
	check "looks and refused lines between the lines of session $seed change no report" same before out
done
# `peek` behind `at` goes by the session's times, under `pace` too
dry=
printf '%s\n' 'tensor x[4] = 1' '{"do":"run","silent":true,"text":"spin 1ms","stamp":5000000}' 'x = scale x 2' sync 'at 5.5ms' 'peek x' 'at 7ms' 'peek x' |
	sed "s/^{/$(printf '\036')&/" | one_process -n 1 | tr '\n' ' ' > out
check "peek behind at shows memory as it was, of lines that pace has put off" grep -q 'at 5.50 ms:.n.*x = 1 1 1 1.*at 7.00 ms:.n.*x = 2 2 2 2' out
# The end of a lesson restores what the session had before: machine, `slow`, loader, model and
# program.
cat > le.rsh <<'END'
# lesson: Le
## One
#: start
machine dgx-h100;  set launch=3ms;  slow 2x;  model mlp layers=1 hidden=8 batch=4;  explain on
strategy serial;  loader workers=2;  mark task
#: check
expect count(spin) == 1   # one
#: hint
# one
#: solution
spin 1ms
## Two
#: start
tensor t[4] = zeros
mark task
#: check
expect count(spin) == 1   # one
#: hint
# one
#: solution
spin 1ms
END
cat > session <<'END'
set launch=5us
slow 3x
loader decode=1ms
model mlp layers=2 hidden=16 batch=8
strategy serial accumulate=2
run 1
END
lesson='lesson ./le.rsh
spin 1ms
next
t = relu t
lesson off'
dry=
state 1 < session > before
{ sed '$d' session; echo "$lesson"; tail -1 session; } > lines
for look in machine loader explain; do echo "$look"; done > looks
state 1 < lines > out
check "behind a lesson the session is as it was" same before out
{ sed '$d' session; echo "$lesson"; cat looks; } | one_process -n 1 > out
check "... on the machine of before, as the lesson says" sh -c 'grep -q "launch  *5 us .*slow: rank 0 3x" out &&
	grep -q "an empty world, with the machine and the settings from before" out'
replayed "... for new ranks, too" 1 < lines
echo 'lesson ./le.rsh' | state 1 > before
{ cat session; echo 'lesson ./le.rsh'; } | state 1 > out
check "a task begins without the session's model and program" same before out
{ cat session; echo "$lesson"; } > more
undone "undo behind a lesson goes back to what the lesson gave back" 1 'tensor z[4] = ones' < more
{ cat session; echo 'lesson ./le.rsh'; echo 'tensor q[4]; lesson off; tensor z[4] = ones'; } > more
undone "... also where the line that closed it did more" 1 'z += z' < more
replayed "... which new ranks do, too" 1 < more
{ cat session; echo 'lesson ./le.rsh'; echo 'spin 1us'; } > more
replayed "\`lesson off\` where no lesson is open leaves the world" 1 <<'END'
tensor x[4] = ones
lesson off
y = relu x
END
undone "undo of a line that closed a lesson and did more opens the lesson again" 1 'lesson off; tensor z[4] = ones' < more
for close in 'lesson off' 'lesson off; spin 2ms'; do
	for opens in 'lesson ./le.rsh' 'spin 3ms; lesson ./le.rsh'; do
		{ cat session; echo "$opens"; echo 'spin 1ms'; echo "$close"; echo 'run 1'; } > more
		state 1 < more | grep -v '^{"is":"done"' > before
		{ cat more; echo 'journal save saved.rsh'; } | one_process -n 1 > out
		{ echo 'source saved.rsh'; } | state 1 | grep -v '^{"is":"done"' > out
		check "\`$opens\`, \`$close\`: journal save writes a script that makes this world" same before out
	done
done
# Recorded inputs of a line are in the log, and a replayed line uses them. steered RANKS < LINES:
# `replies`
steered() {
	sed "s/^{/$(printf '\036')&/" > typed
	wire "$1" 60
}
dry=
for n in 1 3; do
	steered $n <<'END'
tensor x[4] = rank+1.5; @0 save x f.npy
tensor z[4] = load f.npy
let a = z[0]+x[0]
repeat z[1] > 1 { spin 1us }; let t = time; let u = now
print z[0] t; expect sum(z) > 0; say "$(time)"
tensor y[4] = 7; @0 save y f.npy
spin 1us
undo
print a z[0]
END
	tr '\n' ' ' < replies > out
	rest=
	[ $n = 1 ] || rest=' 2.5 3.5'
	check "$n ranks: what steered a line is in the log" grep -q "\"line\":\"let a = z\[0\]+x\[0\]\",\"values\":\"z\[0\].t1.5.nx\[0\].t1.5$rest.n\"" out
	check "... of each line in the order of reading" grep -q '"values":"z\[1\].t1.5.ntime.t[0-9]*.n' out
	check "... the host's clock is one" grep -q 'time.t[0-9]*.nnow.t[0-9]*.n' out
	check "... and what is only shown is not" sh -c '! grep -q "\"line\":\"print[^}]*\"values\"" out'
	check "... undo goes by it, and says where it is another one now" \
		grep -q '`let a = z\[0\]+x\[0\]`, run again: z\[0\] of rank 0 was 1.5 and is 7 now.*; it uses the recorded value' out
	check "... the variable is as it was, the tensor as it is" grep -q 'a = 3.n *z\[0\] = 7' out
done
# A value that differs when its line runs again is reported once; the log has it next to the
# recorded one.
set -- 'model mlp layers=2 hidden=8 batch=4' 'strategy serial' 'run 2' 'if time > 1us { spin 1us; nonsense }' 'step 0'
printf '%s\n' "$@" | one_process -n 1 > out
check "a value that step back has made another one is told once" test "$(grep -o 'time of rank 0 was [0-9]* and is 0 now' out | wc -l)" = 1
values=$(sed -n 's/.*"line":"if time[^}]*}","values":"\([^"]*\)".*/\1/p' out | tail -1)
printf '%s\n' "$values" > values
check "... and is in the log beside what it was" grep -q '^time.t[1-9][0-9]*.t0.n$' values
printf '\036{"do":"run","silent":true,"text":"if time > 1us { spin 1us; nonsense }","values":"%s"}\n' "$values" | one_process -n 1 > out
check "... so that new ranks do not tell it again" sh -c '! grep -q "and is 0 now" out && grep -q "no command .nonsense" out'
steered 3 <<'END'
tensor x[4] i[3] i32 = rank+1
{"do":"run","silent":true,"text":"let a = x[1]; let b = norm(x)","values":"x[1]\t5 6 7\nnorm(x)\tnan\n"}
{"do":"run","silent":true,"text":"let c = x[0]; let d = sum(x)","values":"x[0]\t1 2 7x\nsum(x)\t9\n"}
{"do":"run","silent":true,"text":"let e = x[0]; let f = x[1]","values":"x[2]\t8\nx[1]\t9\n"}
{"do":"run","silent":true,"text":"let g = x[0]","values":"\t\t9\u0001"}
{"do":"run","silent":true,"text":"let g = x[0]","values":"x[0]"}
{"do":"run","silent":true,"text":"let g = x[0]","values":"\u001b[2Jgone\t1\n"}
print a b c d e f g
stream s; event p q; record p; spin 1ms on s; record q on s
{"do":"run","silent":true,"text":"let h = elapsed(p,q)","values":"elapsed(p,q)\t5000\n"}
print h
tensor r[6,4] = 1; tensor k[3] i32 = 2
{"do":"run","silent":true,"text":"y = alltoall r send=k recv=k","values":"send\t1e300\n"}
END
cp replies out
check "an edited journal: the values are taken" grep -q 'a = 5.n *b = nan' out
check "... a value that cannot be read is passed over, those behind it are not" grep -q "c = 1.n *d = 9.n" out
check "... and that is said" grep -q "journal's value of x\[0\] cannot be read" out
check "... where the line reads another thing, it goes by what is there" grep -q 'e = 1.n *f = 1.n' out
check "... and that is said too" grep -q 'it reads x\[0\] instead of x\[2\]' out
check "... but not of a value that has lost its numbers" sh -c '[ "$(grep -c "values cannot be read from x.0. on" out)" = 2 ] && ! grep -q "instead of x.0.:" out'
check "... and of what it read no control characters are shown" grep -q "instead of  .2Jgone:" out
check "an event that had happened has happened" grep -q 'h = 5 us' out
check "numbers that are no counts are refused" grep -q "the journal's values of send= are no whole numbers" out
# The files on the disk decide how far a line runs: a replay runs it as far as it ran then, and
# writes no file that it did not write then.
echo mine > mine.txt
echo mine > mine.svg
dry=--dry
undone "what stands behind an export that was refused has not run" 2 'spin 1us' <<'END'
tensor x[4] = ones
y = add x x; export mine.svg; z = add x x
END
undone "... behind a folder that is not there" 2 'spin 1us' <<'END'
let a = 1; journal save nowhere/lines.rsh; tensor z[4] = ones
def d { lesson new nowhere/lesson.rsh; tensor y[4] = ones }
tensor x[4] = ones; d
END
dry=
undone "... behind a save over a file of others" 1 'spin 1us' <<'END'
tensor x[4] = ones
if 1 == 1 { save x mine.txt; tensor y[4] = ones }; tensor z[4] = ones
expect error "whole" { save x mine.txt; tensor w[4] = ones }
END
undone "... behind a checkpoint" 1 'spin 1us' <<'END'
model mlp hidden=8 layers=2 batch=8
strategy serial
run 1
checkpoint to=nowhere/../mine.txt/c; tensor z[4] = ones
END
printf '%s\n' 'lesson new first.rsh; tensor z[4] = ones' 'spin 1us' undo | state 1 > out
check "... and what stands behind a file that is there since is made again" grep -q '\[0\] z \[4\]' out
# a script is in no log; its program's steps keep what they read
cat > steer.rsh <<'END'
## the first step
tensor z[4] = load g.npy
## the second
if z[0] < 3 { let seen = z[0]; tensor made[4] }
## the third
spin 1us
END
printf '%s\n' 'tensor x[4] = rank+1; @0 save x g.npy' 'program steer.rsh; step 2' 'tensor y[4] = 7; @0 save y g.npy' step 'step back' 'print made[0]' > script.rsh
mpirun --oversubscribe -n 3 "$RANKSH" script.rsh > out 2>&1
check "step back in a script goes by what its steps read" grep -q 'z\[0\] of rank 0 was 1 and is 7 now' out
check "... and is where it was" grep -q 'made\[0\] =' out
