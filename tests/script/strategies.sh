#!/bin/sh
# strategies.sh -- strategies from outside: the result of `verify` for the shell, saved scripts,
# steps back, options that are refused (bad_files.sh has files with mistakes)
. tests/script/lib.sh
small='model mlp layers=3 hidden=16 batch=8'
# failed: an `expect verify` in `out` is false, which makes the exit status 1
failed() { grep -q ": false: expect verify" "$work/out"; }

"$RANKSH" -n 2 -c "$small; strategy ddp broken=nosync; run 3; verify" > "$work/out" 2>&1
check "gradients that are not exchanged are found" [ $? = 1 ]
check "and said" grep -q "differs from one rank after 3 iterations: 3 of 3 tensors" "$work/out"

# With a small learning rate a wrong step is small relative to the parameter, but not to its
# change.
cat > "$work/models" <<'END'
mlp layers=8 hidden=16 batch=24 dtype=f16
mlp layers=3 hidden=13 batch=25 dtype=bf16 lr=1e-4
mlp layers=3 hidden=13 batch=25 dtype=f16 optimizer=adam lr=1e-5
gpt layers=2 hidden=24 heads=4 seq=7 batch=13 dtype=bf16 tied=on
gpt layers=1 hidden=16 heads=2 seq=8 batch=9 optimizer=sgd lr=1e-3
END
for n in 2 3; do
	sed 's/.*/say "--- &"\nmodel &; strategy ddp broken=nosync; expect verify iterations=4/' "$work/models" | "$RANKSH" -n $n > "$work/said" 2>&1
	while read -r model; do
		part "$model"
		check "not exchanged on $n ranks: $model" failed
		check "and said: $model" grep -q "differs from one rank after 4 iterations" "$work/out"
	done < "$work/models"
done
"$RANKSH" -n 2 > "$work/said" 2>&1 <<'END'
say "--- axis"
model gpt layers=1 hidden=16 heads=2 seq=8 batch=4 experts=2; strategy context=1 + ddp=2 broken=nosync; expect verify iterations=2
say "--- overflow"
model gpt layers=1 hidden=16 heads=2 seq=8 batch=4 dtype=f16 loss_scale=1e7; strategy ddp; expect verify iterations=3
END
part axis
check "an axis of one rank excuses nothing" failed
part overflow
check "f16 that overflows does not pass" failed
check "and why" grep -q "f16 ends at 65504, and loss_scale= may be too large" "$work/out"
scaled="model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 dtype=f16 loss_scale=dynamic"
"$RANKSH" -n 4 > "$work/said" 2>&1 <<END
say "--- untrained"
$scaled init_scale=1e30; strategy ddp; expect verify iterations=2
say "--- skipped"
$scaled init_scale=131072; strategy ddp; run 6; stats
say "--- other steps"
$scaled init_scale=16384; strategy ddp accumulate=2; expect verify iterations=1
END
part untrained
check "nothing trained is not as one rank" failed
check "but no verdict" grep -q "nothing was trained yet: the loss scale skipped every step so far (2)" "$work/out"
part skipped
check "run and stats tell the steps left out" [ "$(grep -c "^   loss scale 8192: 4 of 6 steps skipped, because gradients overflowed" "$work/out")" = 2 ]
part "other steps"
check "other steps left out do not pass" failed
check "but are not called different" grep -q "no verdict: loss_scale=dynamic skipped 0 of 1 step on one rank, and other steps on ranks .*; try a lower init_scale=" "$work/out"
check "a figure that is none is not shown" sh -c "! grep -qw inf '$work/out'"

# other numbers on purpose: how far, in a sentence; but what has no distance fails
while IFS='|' read -r status program words; do
	"$RANKSH" -n 4 -c "model mlp layers=2 hidden=16 batch=24 $program; verify iterations=3" > "$work/out" 2>&1
	check "$program: status $status" [ $? = "$status" ]
	check "$program: $words" grep -q "^   $words" "$work/out"
done <<'END'
0|; strategy gossip|other numbers than one rank's are expected: each rank has its own parameters$
0|; strategy ddp hook=topk delay=1|after 3 iterations the largest difference is 0.* of a parameter's change, in w2 (unchanged parameters: 1)$
1|lr=1e30; strategy gossip|differs from one rank after 3 iterations
1|lr=1e-30; strategy gossip|no verdict: nothing was trained: after 3 iterations all parameters of one rank are unchanged$
1|; strategy ddp hook=bf16; def update { }|no verdict: nothing was trained: after 3 iterations all parameters of the ranks are unchanged$
END

# what makes buckets smaller takes gradients of every type
for hook in f16 bf16 int8 topk; do
	for type in f32 bf16 f16; do echo "hook=$hook of $type"; done
done > "$work/hooks"
sed "s/\(.*\) of \(.*\)/say \"--- &\"\n$small dtype=\2; strategy ddp \1 k=10%; run 3; verify/" "$work/hooks" | "$RANKSH" -n 3 > "$work/said" 2>&1
while read -r hook; do
	part "$hook"
	check "$hook says how far it is" grep -q "after 3 iterations.* of a [a-z]*.s change" "$work/out"
done < "$work/hooks"

# picture FILE LINES...: what a session of 4 ranks draws at its end
picture() { "$RANKSH" -n 4 -c "$2; sync; timeline; print w1" 2> /dev/null | sed -n '/^ *ms /,$p' > "$1"; }
# a saved program is a script with the same timeline and numbers: what ran; or, saved as source, what it is
while IFS='|' read -r strategy shown; do
	model="mlp layers=4 hidden=16 batch=16"
	if [ "$strategy" = context ]; then model="gpt layers=2 hidden=16 heads=4 seq=8 batch=8"; fi
	shows="sync; say \"drew\"; $shown; timeline"
	"$RANKSH" -n 4 -c "model $model; strategy $strategy; program save $work/source.rsh source; run 2; step 3; program save $work/ran.rsh; $shows" 2> /dev/null |
		sed '0,/^drew$/d' > "$work/a"
	check "$strategy drew something" [ -s "$work/a" ]
	"$RANKSH" -n 4 > "$work/said" 2> /dev/null <<LINES
say "--- saved"
source $work/ran.rsh; $shows
reset
say "--- loaded"
program $work/ran.rsh; run 1; $shows
reset
say "--- from its source"
program $work/source.rsh; run 2; step 3; $shows
LINES
	for way in saved loaded "from its source"; do
		part "$way"
		sed '0,/^drew$/d' "$work/out" > "$work/b"
		check "$strategy $way is the same" same "$work/a" "$work/b"
	done
	check "$strategy from its source runs as a script" "$RANKSH" --dry -n 4 "$work/source.rsh"
done <<'END'
serial|@0 print w1
dataparallel|print w1
ddp|print w1
ddp overlap=off accumulate=2|print w1
zero stage=3 accumulate=2|print w3
fsdp offload=host wrap=layer|print w3
tp|print w1
pipeline schedule=zb-h1 micro=4|@0 print w1
pipeline schedule=1f1b micro=4 accumulate=2|@0 print w1
pipeline=2 schedule=zb-h1 clip=0.1 + zero=2 stage=2|@0,1 print w1
ddp=2 + fsdp=2 wrap=layer|print w3
context|print wq1
END

# ... with the lines typed between its steps: a def counts from the next step on, with its
# variables' values at that time
typed='def later t { spin t }; model mlp layers=3 hidden=16 batch=16; strategy ddp; let often = 1
def gradient_made p { replaced p;  for i in 0:often { later 50us } }; step 4; let often = 2; run 1
def gradient_made p { replaced p;  later (10us * (rank + 1)) }; let often = 5; run 1; step 3'
picture "$work/a" "$typed; program save $work/ran.rsh"
picture "$work/b" "source $work/ran.rsh"
check "defs typed at the prompt are saved" same "$work/a" "$work/b"
check "from the step on before which they were typed" [ "$(grep -c 'spin 50us' "$work/ran.rsh") $(grep -c '@3 spin 40us' "$work/ran.rsh")" = "21 3" ]
"$RANKSH" -n 4 -c "model mlp layers=3; strategy serial; def gradient_made p { replaced p;  spin 7ms }; step 1; run 1; program save $work/ran.rsh" > "$work/out" 2>&1
check "one typed before the first step counts" [ "$(grep -c 'spin 7ms' "$work/ran.rsh")" = 3 ]
# A user's def sees its own variables first, even if the program has one of that name; neither
# changes the other's.
"$RANKSH" -n 4 -c "$small; strategy ddp; let batch = 3; let mine = 2; def gradient_made p { replaced p;  let batch = batch + 1;  spin (batch*mine*hidden*1ms) }; run 1; program save $work/ran.rsh; say \"batch \$batch\"" > "$work/out" 2>&1
check "a def typed at the prompt sees its own variables first" [ "$(grep -o 'spin [0-9]*ms' "$work/ran.rsh" | tr '\n' ' ')" = "spin 128ms spin 160ms spin 192ms " ]
check "and changes its own" grep -qx "batch 6" "$work/out"
# A rank's colour is saved as a value: its expression may differ while the colour is the same.
printf '## groups\nmesh dp=2 tp=2\ngroup ends by (tp == 0) in dp\ntensor g[64] = rank\nfor it in 0:1 {\n## sum\nallreduce g in ends\n}\n' > "$work/split.rsh"
picture "$work/a" "program $work/split.rsh; run 2; program save $work/ran.rsh"
picture "$work/b" "source $work/ran.rsh"
check "groups by colour are saved" same "$work/a" "$work/b"
# what is no number, or no finite one, is saved as what makes it
"$RANKSH" -n 2 -c "$small; strategy ddp; let none = inf-inf; def gradient_made p { replaced p;  tensor no\$p[2] = none;  fill no\$p[0] -inf }; run 1; program save $work/none.rsh; print now1" > "$work/a" 2>&1
"$RANKSH" -n 2 -c "source $work/none.rsh; print now1" > "$work/b" 2>&1
check "what is not a number is saved" grep -q "now1 = -inf nan" "$work/b"
check "and the same again" [ "$(tail -1 "$work/a")" = "$(tail -1 "$work/b")" ]
check "without a blank before a line" grep -q "^on compute tensor now1" "$work/none.rsh"
printf '%s\n' '## only' 'tensor x[4] = ones' 'if x[0] > 0 { spin 1ms }' > "$work/asks.rsh"
"$RANKSH" -n 2 -c "program $work/asks.rsh; step 1; expect error \"the lines of this program depend on data\" { program save $work/no.rsh }" > "$work/out" 2>&1
check "what data decides is not saved as lines" [ $? = 0 ]
check "and nothing is written" [ ! -e "$work/no.rsh" ]

# the steps that are counted ahead are those that are played
while read -r program; do
	"$RANKSH" --dry -n 4 -c "model $program; run 1; step 1; run 1; program" > "$work/out" 2>&1
	counted=$(sed -n 's/.*then \([0-9]*\) per iteration.*/\1/p' "$work/out")
	check "$counted steps are played: $program" grep -q "^step 1/$counted of iteration 1 " "$work/out"
done <<'END'
mlp layers=5 hidden=16 batch=24 dtype=f16; strategy serial accumulate=3
mlp layers=5 hidden=16 batch=32 dropout=0.1; strategy dataparallel accumulate=2
mlp layers=5 hidden=16 batch=24; strategy ddp overlap=off hook=topk accumulate=2
gpt layers=2 hidden=16 heads=4 seq=8 batch=8 tied=on; strategy ddp hook=int8 bucket=1k
gpt layers=2 hidden=16 heads=4 seq=8 batch=8 dtype=bf16; strategy zero stage=2 offload=host accumulate=2
gpt layers=2 hidden=16 heads=4 seq=8 batch=8; strategy fsdp wrap=layer prefetch=2 reshard=off
gpt layers=2 hidden=16 heads=4 seq=8 batch=8; strategy tp sequence=on
gpt layers=8 hidden=16 heads=4 seq=8 batch=8 tied=on; strategy pipeline schedule=interleaved chunks=2 micro=4 accumulate=2
gpt layers=8 hidden=16 heads=4 seq=8 batch=8; strategy pipeline schedule=zb-h2 micro=8 recompute=full
mlp layers=4 hidden=16 batch=16; strategy local every=2
mlp layers=4 hidden=16 batch=16; strategy gossip every=2
mlp layers=4 hidden=16 batch=16; strategy ddp delay=1
mlp layers=4 hidden=16 batch=16; strategy ps shards=2
mlp layers=4 hidden=16 batch=16; strategy ps mode=async staleness=2 accumulate=2
gpt layers=2 hidden=16 heads=4 seq=8 batch=8; strategy ddp=2 + tp=2
gpt layers=2 hidden=16 heads=4 seq=8 batch=8 tied=on clip=1; strategy pipeline=2 schedule=zb-h2 + ddp=2 overlap=off
gpt layers=2 hidden=16 heads=4 seq=8 batch=8; strategy pipeline=2 accumulate=2 micro=2 + fsdp=2
gpt layers=2 hidden=16 heads=4 seq=8 batch=8; strategy context accumulate=2
gpt layers=2 hidden=16 heads=4 seq=8 batch=8; strategy context=2 kind=ulysses + tp=2
END

# a user's own model and strategy have all that those of the shell have
own_files
own="model $work/line.rsh hidden=16; strategy $work/mean.rsh"
"$RANKSH" -n 4 -c "$own; run 2; step 1; program; verify" > "$work/out" 2>&1
check "a user's own strategy trains as one rank" [ $? = 0 ]
check "and has steps" grep -q "step 1/2 of iteration 2   forward and backward" "$work/out"
"$RANKSH" --dry -n 4 -c "$own; step 1; step 1; step in" > "$work/out" 2>&1
check "step in shows what a call did" grep -q "allreduce dw op=avg in dp" "$work/out"
"$RANKSH" --dry -n 4 -c "model $work/line.rsh; strategy $work/mean.rsh help" > "$work/out" 2>&1
check "its head is its help" grep -q "often=1" "$work/out"
"$RANKSH" --dry -n 4 -c "strategy $work/mean.rsh source" > "$work/out" 2>&1
check "its source is the file" cmp -s "$work/out" "$work/mean.rsh"
"$RANKSH" --dry -n 4 -c "strategy ddp=2 + tp=2 help" > "$work/out" 2>&1
check "help of two tells both" [ "$(grep -c '^   [dt][dp]p* *[a-z]' "$work/out")" = 2 ]
check "and what each does beside the other" [ "$(grep -cE '^     (axis (dp|tp)|sends|options): ' "$work/out")" = 6 ]
check "but not what each costs alone" [ "$(grep -c '^     memory' "$work/out")" = 0 ]
sed 's/^# sends:.*/# sends: gradients,\n#   averaged, and nothing else\n#   later/' strategies/ddp.rsh > "$work/two.rsh"
"$RANKSH" --dry -n 4 -c "strategy $work/two.rsh=2 + tp=2 help" > "$work/out" 2>&1
check "sends goes on in indented lines" grep -qx '     sends: gradients, averaged, and nothing else later' "$work/out"
"$RANKSH" --dry -n 4 -c "strategy ddp + local help" > "$work/out" 2>&1
check "two of one axis have none" grep -q "both split the batch over dp" "$work/out"
# options that are for something that is not asked for
yes 'to be ' | head -200 > "$work/text"
"$RANKSH" --dry -n 4 -c "model gpt top=1; strategy ddp k=5% init_scale=8; strategy fsdp=2 wrap=model reshard=off + ddp=2 bucket=1k hook=topk k=5%
	data text $work/text; model gpt experts=2 top=1 vocab=9; strategy pipeline limit=2 capacity=2 schedule=zb-auto; strategy ddp delay=1 overlap=off" > "$work/out" 2>&1
grep 'has no effect' "$work/out" > "$work/idle"
cat > "$work/wanted" <<'END'
   top=1 has no effect without experts=
   init_scale=8 has no effect without loss_scale=dynamic
   k=5% has no effect without hook=topk
   reshard=off has no effect without wrap=block or layer
   bucket=1k has no effect beside fsdp
   top=1 has no effect without experts=
   vocab=9 has no effect: the text has 6
   overlap=off has no effect without delay=0
END
check "options without effect are told" same "$work/wanted" "$work/idle"
# Defs and options of a user's file that no line calls or reads, or that remove the effect of
# another file's, are reported. Names that another part, option or strategy would call are not.
cat > "$work/own.rsh" <<'END'
# own: does nothing for its gradients
# axis dp: share out the batch
option often=1 "no line reads often"
option seldom=1 "read in a def"
option kept=none of="none host" for="this that" "of one of its parts: $kept"
let here = kept_this == "host"
let replica = replica*size(dp)+dp;  let replicas = replicas*size(dp)
def reduce_gradients g { replaced g;  allreduce g op=avg in dp }   # reduce_gradients
def everywhere seen { replaced seen;  allreduce seen in dp }
def refresh { replaced }
def before_update { say "$seldom" }
def cut_batch { replaced }
def before_update { say "again $seldom" }
def setup { if seldom > 9 { def one { };  def one { } };  replaced }
END
printf '# last: its own update\n# axis ep\ndef cut_batch { }\ndef update { replaced }\n' > "$work/last.rsh"
printf '# chained: calls what was there\n# axis dp\ndef cut_batch { replaced }\ndef cut_batch { replaced }\n' > "$work/chained.rsh"
(cd "$work" && "$RANKSH" --dry -n 4 -c "$small; strategy own.rsh=2 often=3 seldom=2 kept=this:host + fsdp=2; strategy own.rsh=4 + last.rsh=1; strategy chained.rsh") > "$work/out" 2>&1
grep '^   [a-z]*\.rsh:[0-9]\|has no effect' "$work/out" > "$work/idle"
cat > "$work/wanted" <<'END'
   often=3 has no effect: nothing in own.rsh reads it
   own.rsh:13: def before_update replaces that of line 11 without a call of it (`replaced`)
   own.rsh:13: def before_update replaces that of line 11 without a call of it (`replaced`)
   last.rsh:3: def cut_batch replaces that of own.rsh:12 without a call of it (`replaced`)
   own.rsh:8: nothing in this program calls def reduce_gradients; parts that do: buckets flat late (`source buckets`)
END
sort "$work/idle" > "$work/idle_sorted"; sort "$work/wanted" > "$work/wanted_sorted"
check "defs and options of a file of one's own that have no effect are reported" same "$work/wanted_sorted" "$work/idle_sorted"
# a copy of ours has places that another model, or a strategy beside it, calls
for name in ddp pipeline; do cp "$(dirname "$0")/../../strategies/$name.rsh" "$work/copy_$name.rsh"; done
(cd "$work" && "$RANKSH" --dry -n 3 -c "$small; strategy copy_ddp.rsh; strategy copy_pipeline.rsh" && grep -v 'source buckets' copy_ddp.rsh > bare.rsh &&
	"$RANKSH" --dry -n 3 -c "$small; strategy bare.rsh") > "$work/out" 2>&1
check "a copy of ours is not reported, without the part that calls its places it is" \
	[ "$(grep -o '[a-z_]*\.rsh:[0-9]*: nothing .* def [a-z_]*' "$work/out" | sed 's/:.* / /' | tr '\n' ' ')" = "bare.rsh reduce_gradients bare.rsh reduce_memory " ]
"$RANKSH" --dry -n 4 -c "strategy ddp + zero source" > "$work/out" 2>&1
check "so does their source" [ "$(grep -c '^# \(ddp\|zero\): ' "$work/out")" = 2 ]
# a default out of a list of numbers is a number, as the value given is
sed 's/^option often=.*/option often=1 of="1 2" "how many times"/; s/in 0:often/in 0:often+0/' "$work/mean.rsh" > "$work/listed.rsh"
"$RANKSH" --dry -n 4 -c "model $work/line.rsh; strategy $work/listed.rsh; run 1; strategy $work/listed.rsh often=2; run 1" > "$work/out" 2>&1
check "an option of listed numbers is a number" [ $? = 0 ]
for of in 'of="off 1"' 'of="off" least=1'; do
	printf 'option often=1 %s "how many times"\nprint often\n' "$of" > "$work/off.rsh"
	"$RANKSH" -n 1 "$work/off.rsh" often=off > "$work/out" 2>&1
	check "a word of an option ($of) stands beside a default that is a number" grep -q 'often = off' "$work/out"
done
# ddp delay=1 has taken after its second step what ddp has after its first
for optimizer in sgd adam; do
	line="model mlp layers=2 hidden=16 batch=16 optimizer=$optimizer; strategy"
	printf '%s\n' 'say "--- now"' "$line ddp; run 1; sync; print w1 w2" 'say "--- later"' "$line ddp delay=1; run 2; sync; print w1 w2" | "$RANKSH" -n 4 > "$work/said" 2>&1
	part now; grep -A99 'w1 ' "$work/out" > "$work/a"
	part later; grep -A99 'w1 ' "$work/out" > "$work/b"
	check "delay=1 takes the gradients of the step before: $optimizer" same "$work/a" "$work/b"
done
# lines that end within an iteration, while ranks wait for its other steps
pipe="model mlp layers=2 hidden=8 batch=8; strategy pipeline micro=2"
for lines in "step 4" "run 1; step 2; strategy ddp source"; do
	"$RANKSH" -n 2 -c "$pipe; $lines" > "$work/out" 2>&1
	check "a script that ends within an iteration is refused: $lines" [ $? = 2 ]
	check "and says what to type: $lines" grep -q 'the script ends before step 3/5 of iteration [01], and ranks wait for it: `run 1` finishes the iteration' "$work/out"
	"$RANKSH" -n 2 -c "$pipe; $lines; run 1" > "$work/out" 2>&1
	check "which finishes it: $lines" [ $? = 0 ]
done
"$RANKSH" -n 2 -c "$pipe; step 3" > "$work/out" 2>&1
check "one for which no rank waits is not" [ $? = 0 ]
"$RANKSH" -n 2 -c "$pipe; run 1; @0 recv w1 from=1" > "$work/out" 2>&1
check "ranks that are stuck between iterations are" [ $? = 3 ]
# the lines of a step in PyTorch's words, names filled in
"$RANKSH" -n 2 -c "model mlp layers=2 hidden=8 batch=4; strategy ddp; explain on; step 12" > "$work/out" 2>&1
check "explain fills in a step's names" grep -q "PyTorch    z1_0 = x0_0 @ w1" "$work/out"
check "and says which sum" grep -q "dist.all_reduce(bucket1, op=dist.ReduceOp.AVG)" "$work/out"
# a saved source rounds as the strategy that it was, and a wrong one still differs
"$RANKSH" -n 4 -c "model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32; strategy ddp; program save $work/ddp.rsh source; program $work/ddp.rsh; run 5; verify" > "$work/out" 2>&1
check "a saved source is as one rank" grep -q "as one rank after 5 iterations: largest difference" "$work/out"
sed 's/^option broken=no /option broken=nosync /' "$work/ddp.rsh" > "$work/broken.rsh"
"$RANKSH" -n 4 -c "program $work/broken.rsh; run 2; verify
model mlp layers=2 hidden=8 batch=4; strategy ddp=2 + tp=2; program save $work/stack.rsh source; program $work/stack.rsh; run 1; verify" > "$work/out" 2>&1
check "a wrong one differs" grep -q "differs from one rank after 2 iterations" "$work/out"
# a program for a mesh of four has no run on one rank
check "verify says what one rank refuses" grep -q "the model on one rank: .*stack.rsh:[0-9]*: mesh: the sizes multiply to 4" "$work/out"
long=$work/a_name_of_a_model_that_is_longer_than_sixty_four_letters_as_paths_may_be.rsh
cp "$work/line.rsh" "$long"
check "a model's file may have a long name" "$RANKSH" -n 2 -c "model $long; strategy serial; run 1"
sed 's/op=avg/op=sum/' "$work/mean.rsh" > "$work/sum.rsh"
"$RANKSH" -n 4 -c "model $work/line.rsh; strategy $work/sum.rsh; verify" > "$work/out" 2>&1
check "verify finds what is wrong in a user's own" [ $? = 1 ]
# the loss alone is wrong, where training is right: twice, a sum over ranks, that of the last micro-batch
cat > "$work/wrong" <<'END'
def count_loss kernel y t m { replaced "$kernel" y t m;  loss = scale loss 2 }
def update { replaced;  allreduce loss in dp }
let micros = 2;  def count_loss kernel y t m { loss = $kernel y t }
END
number=0
while read -r wrong; do
	number=$((number + 1))
	printf '# wrong: its loss\n# axis dp\nlet replica = dp;  let replicas = size(dp)\ndef gradient_made p { if last { allreduce d$p op=avg in dp } }\n%s\n' "$wrong" > "$work/loss$number.rsh"
	printf '%s\n' "say \"--- $number\"" "$small; strategy $work/loss$number.rsh; expect verify iterations=2"
done < "$work/wrong" | "$RANKSH" -n 2 > "$work/said" 2>&1
number=0
while read -r wrong; do
	number=$((number + 1))
	part $number
	check "a wrong loss alone differs: $wrong" failed
	check "and both are said: $wrong" grep -q "differs from one rank after 2 iterations: the loss is [0-9.]*, and [0-9.]* on one rank; all tensors agree" "$work/out"
done < "$work/wrong"
# a loss that training has brought near zero is rounding
sed 's/goals\[batch,hidden\] = randn seed=2/goals[batch,hidden] = randn seed=2;  tensor v[hidden,hidden] = randn seed=3;  goals = matmul all v/; s/lr=0.1/lr=8*0.1/' "$work/line.rsh" > "$work/learns.rsh"
"$RANKSH" -n 4 -c "model $work/learns.rsh batch=64; strategy $work/mean.rsh; run 80; expect loss[0] < 1e-5; expect verify" > "$work/out" 2>&1
check "a loss of rounding is none that differs" [ $? = 0 ]
# a factor on all gradients does nothing to Adam's steps: it is found in what Adam keeps
"$RANKSH" -n 2 -c "model gpt layers=1 hidden=16 heads=2 seq=8 batch=4; strategy ddp bucket=1M; step 12; wait comm on compute; bucket1 = scale bucket1 4 on compute; step 1; verify" > "$work/out" 2>&1
check "verify finds a factor on gradients under Adam" grep -q "v .*off" "$work/out"
half="model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32 dtype=bf16 tied=on dropout=0.1; strategy ddp=2 + tp=2"
"$RANKSH" -n 4 -c "$half; verify iterations=2; model mlp layers=1 hidden=8 batch=4; strategy ddp; run 1" > "$work/out" 2>&1
check "what rank 0 trains otherwise leaves no names behind" [ $? = 0 ]
check "... and it was trained" grep -q "other rounding" "$work/out"

# step back and step 0 make the world again
"$RANKSH" -n 2 -c "$small; strategy ddp; step 9; sync; timeline" 2>&1 | sed -n '/^ *ms /,$p' > "$work/a"
printf '%s\n' "$small" "strategy ddp" "step 12" "step back 3" "sync" "timeline" | "$RANKSH" -n 2 2>&1 | sed -n '/^ *ms /,$p' > "$work/b"
check "step back" same "$work/a" "$work/b"
printf '%s\n' "$small" "strategy ddp" "run 2" "step 0" "step 9" "sync" "timeline" | "$RANKSH" -n 2 2>&1 | sed -n '/^ *ms /,$p' > "$work/b"
check "step 0" same "$work/a" "$work/b"

printf '%s\n' "set launch=7us; $small" "strategy ddp" "step 3" "step 0" "run 1" "sync" "timeline" | "$RANKSH" -n 2 2>&1 | sed -n '/^ *ms /,$p' > "$work/a"
"$RANKSH" -n 2 -c "set launch=7us; $small; strategy ddp; run 1; sync; timeline" 2>&1 | sed -n '/^ *ms /,$p' > "$work/b"
check "step 0 keeps what was set" cmp -s "$work/a" "$work/b"
check "and drew it" [ -s "$work/a" ]

# says LINES TEXT
says() { "$RANKSH" --dry -n 4 -c "$1" > "$work/out" 2>&1; check "$2" grep -qF "$2" "$work/out"; }
says "model gpt hidden=64 heads=5" "heads=5 does not divide hidden=64; the nearest that does is 4"
says "model gpt heads=128" "heads=128 does not divide hidden=64; the nearest that does is 64"
for word in batch hidden layers seq vocab heads; do
	says "model gpt $word=0" "$word=0: at least 1 was expected"
	says "model gpt $word=-3" "$word=-3: at least 1 was expected"
	says "model gpt $word=1.5" "$word=1.5: a whole number was expected"
	says "model gpt $word=1e12" "strategies/models/gpt.rsh:"
	check "$word=1e12 is named" grep -q "$word=1000000000000" "$work/out"
	says "model gpt $word=4 $word=5" "'$word' is given twice on this line"
	says "model gpt $word=5ms" "a plain number was expected, as in the default"
done
says "model gpt bacth=4" "model gpt has no option 'bacth'; did you mean 'batch'?"
says "model gpt hidden=1e9 heads=1" "a tensor of that size would be larger than 2^46 bytes"
says "model gpt batch=1e9 seq=1e9" "strategies/models/gpt.rsh:"
says "model mlp heads=2" "model mlp has no option 'heads' (options: layers hidden"
says "model gpt dropout=1" "dropout=1 is not a share from 0 to below 1"
says "model gpt lr=0" "lr=0 is not a number above 0"
says "stage F=2ms B=2ms W=1ms comm=5us; strategy pipeline" "pipeline: 1 setup step,"
says "model mlp batch=3; strategy ddp" "batch=3 in 4 parts leaves some without a row; use at least batch=4"
says "model mlp layers=3; strategy pipeline" "layers=3 on 4 stages: layers=4 fits, or fewer ranks"
says "model mlp layers=3; strategy pipeline chunks=2 schedule=interleaved" "layers=3 on 4 stages with 2 chunks each: layers=8 fits, or fewer ranks or chunks"
says "model mlp layers=4; strategy pipeline=2 + ddp=2; program" "forward of micro-batch 1 on stage 0, backward of 0 on stage 1"
check "two slots of the same works say whose" grep -q "forward of micro-batch 1 on stage 1, backward of 0 on stage 0" "$work/out"
says "model gpt; strategy pipeline schedule=interleaved" "chunks=2, or schedule=1f1b"
says "model gpt; strategy pipeline schedule=zb-h1; program" "forward of micro-batch 1 on stages 0-2, input gradients of 0 on stage 3"
"$RANKSH" -n 1 -c "strategy ps" > "$work/out" 2>&1
check "ps on one rank" grep -q "a worker and a server need 2 ranks" "$work/out"
says "strategy dpd" "no strategy 'dpd'; did you mean 'ddp'? (there are: context dataparallel ddp"
says "strategy ddp buckets=1k" "strategy ddp has no option 'buckets'; did you mean 'bucket'?"
says "strategy ddp overlap=maybe" "strategy ddp: 'overlap=maybe' is none of: on off"
says "strategy ddp accumulate=1.5" "accumulate=1.5: a whole number was expected"
says "strategy pipeline micro=2.5" "micro=2.5: a whole number was expected"
says "strategy ddp accumulate=1e12" "leaves some without a row"
says "strategy ddp hook=topk k=200%" "k=2 is not a share above 0 and at most 1"
says "strategy zero stage=1.5" "'stage=1.5' is none of: 1 2 3"
says "strategy ddp hook=topk k=0" "k=0 is not a share above 0 and at most 1"
says "step" "no program yet: \`strategy ddp\` writes one"
says "verify" "verify compares a strategy's training"
says "data text $work/none" "No such file"
: > "$work/empty"
says "data text $work/empty" "empty"
printf 'x' > "$work/one"
says "model gpt seq=64; data text $work/one; strategy ddp" "a sequence takes 64 tokens and one more; the data has 1: no seq fits: the text is too short"
printf 'short' > "$work/short"
says "model gpt seq=64; data text $work/short; strategy ddp" "a sequence takes 64 tokens and one more; the data has 5: seq=4 fits"
says "model mlp; data text $work/short; strategy ddp" "an mlp reads rows of numbers"
says "model mlp layers=4 hidden=4096 batch=8; strategy ddp; run 1" "of the setup, the parameters"
"$RANKSH" -n 2 -c "model mlp layers=4 hidden=4096 batch=8; strategy ddp; expect error \"no room for 64 MB\" { run 1 }; step 0; step 1; program" > "$work/out" 2>&1
check "a program that did not fit begins again" grep -q "> *2  the parameters" "$work/out"
