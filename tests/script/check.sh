#!/bin/sh
# check.sh -- `check` in sandboxes: which attempts pass, which fail, and the words of the report;
# lessons with mistakes; submitted lines
. tests/script/lib.sh
cd "$work" || exit 1

# a task for any M and 2 to 8 ranks: each rank sums its M parts, and all ranks their sums
cat > sum.rsh <<'END'
# lesson: Sums
# minutes: 5
# ranks: 2 4 8
# learned: A sum of sums is a sum.
## All parts, all ranks
# Task: for any M, t = the sum of all x[m] of all ranks.
#: start
let M = 8
def share_of m { p = relu x[m] }
stream comm
tensor x[M,8k] = randn seed=rank
tensor t[8k] = zeros
barrier;  mark task
#: reference
tensor r[8k] = zeros
for m in 0:M { r += scale x[m] 1 }
allreduce r
#: vary M=2:9 ranks=2,4,8
#: predict how many messages does each rank take part in? = count(allreduce)
#: choice each part travelled by itself
for m in 0:M { allreduce x[m] }
#: check
expect count(allreduce) <= 1   # one message does
expect close(t, r)   # t is not the sum of all
expect hostwait <= best(hostwait) + 1us   # the host waits where nothing is needed yet
expect time <= 1.3 * best(time)   # it takes longer than it need
#: hint
# add first, then exchange
#: solution
for m in 0:M { t += scale x[m] 1 }
allreduce t
#: right
repeat 1 { for k in 0:M { t += scale x[k] 1 } };  g = reducescatter t;  t = allgather g;  sync;  timeline
#: wrong
for m in 0:M { allreduce x[m] };  for m in 0:M { t += scale x[m] 1 }
#: wrong
for m in 0:M { t += scale x[m] 1 }
#: naive
for m in 0:M { t += scale x[m] 1;  spin 1ms }
allreduce t
#: wrong
for m in 0:M { t += scale x[m] 1;  sync }
allreduce t
#: ask which is the last line of the solution? = "allreduce"
#: transfer
# torch.distributed.all_reduce(t)
END
"$RANKSH" --check-lessons sum.rsh > out 2>&1
check "a lesson that keeps its promises" grep -q '^ok sum.rsh task 1' out

# ---- lines handed in: STATUS WORDS LINES
graded() {
	printf '%s\n' "$4" > lines
	"$RANKSH" --grade sum.rsh lines > out 2>&1
	got=$?
	check "$1: status $2" [ $got = "$2" ]
	check "... $3" grep -q -- "$3" out
}
graded "right" 0 'also with other data, M = 2, M = 7, 2 ranks and 8 ranks' 'for m in 0:M { t += scale x[m] 1 }; allreduce t'
graded "a literal" 1 'not with M = 2: your line 1 has 8' 'for m in 0:8 { t += scale x[m] 1 }
allreduce t'
graded "a number of ranks" 1 'not with 2 ranks: your line 2 has 4' 'for m in 0:M { t += scale x[m] 1 }
if 4 == world { allreduce t }'
graded "time is compared with the best" 1 'the best known is [0-9.]* us; [a-z]' 'for m in 0:M { t += scale x[m] 1; spin 1ms }; allreduce t'
graded "a host that waits is named" 1 'the host waits .* in .sync. (line 2)' 'for m in 0:M { t += scale x[m] 1 }
sync
allreduce t'
graded "steering" 1 'your line 1: .set. is not allowed in a task' 'set launch=0us'
graded "steering in a block" 1 'slow. is not allowed' 'repeat 2 { @1 slow 1x }'
graded "a bus of one's own" 1 'your line 2: .rate=. is not allowed' 'tensor h[64k] pinned
copy h -> t rate=1TB/s'
graded "one rank alone" 1 't is not the sum' '@0 for m in 0:M { t += scale x[m] 1 }
allreduce t'
graded "... by an if" 1 't is not the sum' '@0 if M > 0 { for m in 0:M { t += scale x[m] 1 } }; allreduce t'
graded "a line over several" 0 'right' 'for m in 0:M { t += scale x[m] 1 }; allreduce t[0:
8k]'
graded "a collective taken apart" 1 'unroll. shows the steps of a collective' 'allreduce t unroll'
graded "the task's own variable" 1 'M is the task.s own' 'let M = 0'
graded "... within a def" 1 'M is the task.s own' 'def cheat { let M = 0 }; cheat'
graded "the task's own def" 1 'share_of is the task.s own: give your def another' 'def share_of m { }'
graded "another world" 1 'would make another world' 'model mlp'
sed 's/^#: start$/#: start unseen/' sum.rsh > unseen.rsh
sed 's/^#: start$/#: start unsean/' sum.rsh > unsean.rsh
"$RANKSH" -n 2 -c 'lesson ./unseen.rsh; task start; skip; t = allreduce t; lesson ./unsean.rsh' > out 2>&1
check "a starter that is not to be seen" sh -c 'grep -q "All parts, all ranks" out && [ "$(grep -c "find out which" out)" = 2 ] && ! grep -q "let M" out'
check "a word that is none behind start" grep -q "start unsean': only .unseen. may follow .start" out
graded "... of a hunt before" 1 'would make another world' 'fix 1 x'
graded "a file" 1 'files cannot be read here' 'source nothing.rsh'
graded "a file of numbers" 1 'files cannot be read here' 'tensor y[4] = load nothing.npy'
graded "the reference is nowhere" 1 'no tensor .r.' 'copy r -> t; allreduce t'
graded "an end that never comes" 1 'without end' 'repeat 1000000000 { let i = 1 }'
graded "a circle" 1 'stuck' 'if rank == 0 { recv t from=1 } else { allreduce t }'
graded "no host memory" 1 'no room for 4 GB of host memory' 'tensor big[1G] host = randn'
graded "... nor pinned" 1 'no room for 8 GB of host memory' 'tensor big[2G] pinned = 1'
graded "... nor for texts" 1 'no room for 512 kB of host' 'let a = "xxxxxxxx"; repeat 16 { let a = "$a$a" }; for i in 0:1000000 { let b = "$i$a" }'
graded "a text without end" 1 'is too long' 'let a = "xxxxxxxx"; repeat 40 { let a = "$a$a" }'
graded "... nor a disk" 1 'the disk is full' 'tensor big[512M] disk'
graded "no memory" 1 'no room for' 'tensor big[64k,64k] = randn'
graded "numbers of one rank, and \`use\` of it at the end" 1 '1.*differ by' "for m in 0:M { t += scale x[m] 1 }; allreduce t; @1 fill t 0
use @0"
graded "a \`use\` that is left so" 0 'right' 'for m in 0:M { t += scale x[m] 1 }; allreduce t; use @0'
for word in 'let r = 1' 'stream r' 'event r' 'group r by 0' 'def r { sync }' 'tensor r[3] = 1' 'stream probe_of_the_check'; do
	graded "a name of the reference: $word" 0 'also with other data' "$word; for m in 0:M { t += scale x[m] 1 }; allreduce t"
done
graded "commands of the session, in a block too" 0 'also with other data' 'predict b
def c { check; timeline; quit }
for m in 0:M { t += scale x[m] 1 }; allreduce t; if 1 { check }; c
view; journal; lesson off'
graded "two digits are not enough" 1 't is not the sum' 'for m in 0:M { t += scale x[m] 1 }
u = cast t to=bf16; free t; t = cast u to=bf16; allreduce t'
graded "nothing" 1 'one message does\|t is not the sum' '# nothing'
graded "what cannot be read" 1 'your line 2' 'for m in 0:M { t += scale x[m] 1 }
allreduce ((t'
graded "an answer in a file" 1 't is not the sum' 'save t t.npy; allreduce t'
check "... and nothing is written" [ ! -e t.npy ]
"$RANKSH" --grade 99.1 lines > out 2>&1
check "no such lesson" grep -q 'no lesson 99' out
"$RANKSH" --grade 1.99 lines > out 2>&1
check "no such task" grep -q 'lesson 1 has tasks 1 to' out
printf 'y1 = matmul x w\ny2 = matmul y1 w\ny3 = matmul y2 w\n' > three
"$RANKSH" --grade 1 three > out 2>&1
check "a lesson's first task" [ $? = 0 ]
"$RANKSH" -n 3 --grade sum.rsh lines > out 2>&1
check "a number of ranks it is not for" grep -q 'needs 2, 4 or 8 ranks, and there are 3' out
"$RANKSH" --grade 1.1 > out 2>&1
check "no lines" grep -q -- '--grade 1.1 needs a file' out

# ---- of two tensors that are compared the one that is not written
cat > two.rsh <<'END'
# lesson: Two
## Two tensors
#: start
tensor x[64k] = randn
tensor a[64k] b[64k]
mark task
#: reference
ra = relu x;  rb = relu x
#: check
expect close(a, ra)   # a is not relu x
expect close(b[0:64], rb[0:64])   # b is not relu x
#: hint
# relu
#: solution
a = relu x;  b = relu x
END
echo 'a = relu x;  c = relu x;  copy c[0:64] -> b[0:64]' > lines
"$RANKSH" --grade two.rsh lines > out 2>&1
check "the gate of what is not written fails" grep -q 'not yet *b is not relu x' out
check "... with the reason" grep -q 'b is not written, in whole or in part' out

# ---- in a script, and down a pipe
solved='for m in 0:M { t += scale x[m] 1 }; allreduce t'
"$RANKSH" -n 2 -c "lesson ./sum.rsh
$solved
check" > out 2>&1
check "a check that is right: status 0" [ $? = 0 ]
check "... it shows what is to be carried over" grep -q 'torch.distributed' out
check "... and what was learned" grep -q 'A sum of sums is a sum' out
"$RANKSH" -n 2 -c 'lesson ./sum.rsh
allreduce t
check' > out 2>&1
check "one that is not: status 1" [ $? = 1 ]
printf 'lesson ./sum.rsh\nallreduce t\ncheck\n' | "$RANKSH" -n 2 > out 2>&1
check "... down a pipe too" [ $? = 1 ]
"$RANKSH" -n 2 > said 2>&1 <<END
say "--- before it"
lesson ./sum.rsh
$solved; check
say "--- again"
lesson ./sum.rsh
allreduce t
again
$solved
check
say "--- solution"
lesson ./sum.rsh; solution run; check
say "--- behind it"
lesson ./sum.rsh; lesson off; reset; let M = 3; set launch=1us
say "accepted"
lesson ./sum.rsh; reset
END
# right: the check in `out` passed, with which a script ends with status 0
right() { grep -q '^   right   this was the last task' out && ! grep -q 'not yet' out; }
part "before it"
check "lines before it on its own line count" right
part again
check "again starts again" right
printf 'lesson ./sum.rsh\nshare_of 0\nprint p[0]\n' > uses.rsh
"$RANKSH" -n 2 uses.rsh > out 2>&1
check "a file uses a def of the starter" [ $? = 0 ]
"$RANKSH" -n 2 < uses.rsh > piped 2>&1
check "... as lines down a pipe do" same piped out
printf 'lesson ./sum.rsh\nnobody 0\n' > uses.rsh
"$RANKSH" -n 2 uses.rsh > out 2>&1
check "... and a word that it does not bring is refused at its line" grep -q "^uses.rsh:2: no command 'nobody'" out
part solution
check "the solution is right" right
"$RANKSH" --dry -n 2 -c 'lesson ./sum.rsh' > out 2>&1
check "without data there is no lesson" grep -q 'start ranksh without it' out
part "behind it"
check "steering is refused where it is typed" sh -c "sed '1,/^accepted/d' out | grep -q 'again. restarts the task'"
check "... and not behind the lesson" grep -qx accepted out
"$RANKSH" -n 2 -c 'lesson ./sum.rsh; copy x[0] -> t on comm; t = relu t' > out 2>&1
check "a race is named, and not cured" sh -c "grep -q 'race: .*writes t' out && ! grep -q 'puts them in order' out"

# ---- lessons that are wrong: WORDS SED
wrong() {
	sed "$2" sum.rsh > wrong.rsh
	"$RANKSH" -n 2 --check-lessons wrong.rsh > out 2>&1
	got=$?
	check "a lesson of which $1" grep -q -- "$1" out
	check "... status 1" [ $got = 1 ]
}
wrong 'the solution fails.*close(t, r)' '/^#: solution/,/^#: right/s/^allreduce t$/sync/'
wrong 'the right attempt of line [0-9]* fails' 's/g = reducescatter t;/g = reducescatter t op=max;/'
wrong 'the wrong attempt of line [0-9]* passes' 's/^for m in 0:M { allreduce x\[m\] };.*/for m in 0:M { t += scale x[m] 1 };  allreduce t/'
wrong 'the wrong attempt of line [0-9]* does not run' 's/^for m .*;  sync }$/no such line/'
wrong 'the wrong attempt of line [0-9]* does not run: no command .spinn' 's/spin 1ms/spinn 1ms/'
wrong 'is never the first gate to fail' 's/^expect hostwait/expect races == 0   # order\nexpect hostwait/'
wrong 'is not 15 % more than' 's/;  spin 1ms//'
wrong 'is a choice less than 15 %' '/^#: choice/,/^#: check/s/^for m .*/allreduce t/'
wrong 'the prediction' 's/= count(allreduce)$/= count(nothing, nowhere)/'
wrong 'naive\|wrong attempt of line [0-9]* does not run' '/^#: naive/,/^#: wrong/s/^allreduce t$/allr t/'
wrong 'the solution of .* does not end' '/^#: solution/a repeat 1000000000 { let i = 1 }'
wrong 'the starter of\|the lesson is wrong' 's/^stream comm/stream comm comm/'
wrong 'the solution fails at .expect ((t' 's/^expect hostwait.*/expect ((t/'
wrong 'has no .#: hint' '/^#: hint/d'
wrong 'a copy of total' 's/^tensor t\[8k\] = zeros/&;  tensor total[8k] = zeros;  for k in 0:M { total += scale x[k] 1 };  allreduce total/;/^#: naive/,/^allreduce t$/d;/^expect time/d'
sed 's/^tensor r\[8k\] = zeros$/no such line/' sum.rsh > wrong.rsh
"$RANKSH" --grade wrong.rsh lines > out 2>&1
check "lines for a lesson whose reference is refused: status 2" [ $? = 2 ]
check "... it is the lesson that is wrong" grep -q 'the lesson is wrong: the reference of the task' out
"$RANKSH" --check-lessons nowhere.rsh > out 2>&1
check "a file that is not there" grep -q 'cannot read nowhere.rsh' out

# a learner who meets one goes on
sed '/^#: reference/,/^#: vary/s/^allreduce r/allr r/' sum.rsh > wrong.rsh
printf 'lesson ./wrong.rsh\nskip\nallreduce t\ncheck\n' | "$RANKSH" -n 2 > out 2>&1
check "a check of a lesson that is wrong: a line refused" [ $? = 2 ]
check "... in words" grep -q 'the lesson is wrong: the reference of' out

# ---- hints, the words of a check, and the question behind it
cat > lines <<'END'
lesson sum.rsh
for m in 0:M {
  t += scale x[m]  2
}
hint; hint; hint
again
hint; hint; hint
free t
check
again
for m in 0:M { t += scale x[m] 1 }; allreduce t
check
answer io; answer bus
say twice
answer ring
answer allreduce
END
"$RANKSH" -n 4 lines > out 2>&1
check "a hint names the line within a block" grep -q 'look at your line 3: `t += scale x\[m\] 2`' out
check "... shows that line" grep -q 'one way: t += scale x\[m\] 1$' out
check "... or the whole block" sh -c "grep -A1 'one way:$' out | grep -q '^   for m in 0:M { t += scale x\[m\] 1 }$'"
check "a tensor that is gone is not called by the reference's" grep -q "^ *no tensor 't'$" out
awk '/starts again/ { again++ } again == 1' out > once
check "wrong numbers are had in no right time" sh -c "grep -q 'the numbers *not yet' once && ! grep -q 'time *right' once"
check "a wrong answer" sh -c "sed '/twice/,\$d' out | grep -c 'not correct: look once more' | grep -q 2"
check "... the third is told" sh -c "sed '1,/twice/d' out | head -1 | grep -q 'not so: it is allreduce'"
check "the right one" grep -q 'right: .next. goes on' out
graded "the root of a wait is no launch" 1 'the host waits .* in .sync' 'for m in 0:M { t += scale x[m] 1; sync }; allreduce t'

# ---- a file is the starter's to read
printf 'let from_file = 1\n' > starter.rsh
sed 's/^stream comm$/stream comm;  source starter.rsh/' sum.rsh > reads.rsh
printf 'for m in 0:M { t += scale x[m] from_file }; allreduce t' > lines
"$RANKSH" --grade reads.rsh lines > out 2>&1
check "the starter may read a file" grep -q 'also with other data' out

# ---- one's own lessons
mkdir -p data/ranksh/lessons
cp sum.rsh data/ranksh/lessons/mine.rsh
printf 'nothing\n' > data/ranksh/lessons/broken.rsh
XDG_DATA_HOME=$work/data "$RANKSH" -n 2 > said 2>&1 <<'END'
say "--- lists"
lessons; lesson mine
say "--- new"
lesson off; lesson new made.rsh; lesson ./made.rsh
say "--- again"
lesson off; lesson new made.rsh
END
part lists
check "lessons of one's own are listed" grep -q 'lesson mine *Sums' out
check "... one that is wrong with its words" grep -q 'lesson broken.*a lesson begins with' out
check "... and opened by name" grep -q 'task 1/1 *All parts' out
part new
check "a new one" grep -q 'Three multiplications' out
"$RANKSH" --check-lessons made.rsh > out 2>&1
check "... is a lesson" grep -q '^ok' out
part again
check "... and overwrites nothing" grep -q 'exists already' out
