#!/bin/sh
# checkpoint.sh -- checkpoint and resume: whole checkpoints, also under other strategies and
# numbers of ranks. Torn, foreign and missing ones are refused and change nothing.
. tests/script/lib.sh
cd "$work" || exit 1
gpt="model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32"

# ---- what one strategy has saved, another goes on with, as if one rank had trained all of it ----
cat > saves.rsh <<END
$gpt
strategy ddp=2 + tp=2
checkpoint every=2 to=ck/f32
run 4
$gpt dtype=bf16
checkpoint off
strategy zero=4 stage=2 offload=host
run 2
checkpoint to=ck/half
$gpt tied=on
strategy pipeline=2 schedule=zb-h1 micro=2 + zero=2 stage=2
run 2
checkpoint to=ck/stack
$gpt dtype=f16 loss_scale=dynamic init_scale=64 growth_interval=2
strategy ddp
run 3
checkpoint to=ck/scaled
END
cat > resumes.rsh <<END
$gpt
strategy zero=4 stage=3
resume from=ck/f32-2
verify iterations=4
expect races == 0
strategy pipeline
resume from=ck/f32
verify iterations=5
$gpt dtype=bf16
strategy tp
resume from=ck/half
verify iterations=4
$gpt tied=on
strategy fsdp=2 + tp=2 sequence=on
resume from=ck/stack
run 1
checkpoint to=ck/stack
strategy ddp=2 + pipeline=2 micro=2
resume from=ck/stack
verify iterations=4
for s in zero fsdp {
	$gpt dtype=f16 loss_scale=dynamic init_scale=64 growth_interval=2
	strategy \$s
	resume from=ck/scaled
	run 1
	expect scaler[0] == 256 and scaler[2] == 4
	verify iterations=5
}
$gpt dtype=bf16
strategy zero stage=1
resume from=ck/half.json
END
sed -i s/half.json/half-2.json/ resumes.rsh
cat > fewer.rsh <<END
$gpt dtype=bf16
strategy zero stage=1
resume from=ck/half
verify iterations=4
strategy serial
resume from=ck/half
verify iterations=4
END
for run in "4 saves" "4 resumes" "2 fewer"; do
	within 100 "$RANKSH" -n "${run% *}" "${run#* }.rsh" > out 2>&1
	status=$?
	check "${run#* } on ${run% *} ranks" test $status = 0
done
check "the manifest names model and iteration" grep -q '"iteration":4,"model":"gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32"' ck/f32-4.json
check "a part that several ranks hold is written once" test "$(grep -c '"of":"table"' ck/f32-4.json)" = 6 # of 3: in parameters, and of shards one
python=$(command -v python3) || python=
[ -z "$python" ] || check "a shard is a .npy of f32" "$python" -c "
import struct; b = open('ck/f32-4.0.npy', 'rb').read(); assert b[:6] == b'\x93NUMPY' and b\"'<f4'\" in b[:128]"

# ---- an unbroken training and a resumed one give the same losses ----
"$RANKSH" -n 2 -c "$gpt; strategy ddp; run 4; say \"loss \$(loss[0])\"" 2>&1 | grep '^\[0\] loss' > unbroken
"$RANKSH" -n 2 -c "$gpt; strategy ddp; run 2; checkpoint to=ck/two; strategy ddp; resume from=ck/two; run 2; say \"loss \$(loss[0])\"" 2>&1 | grep '^\[0\] loss' > out
check "resumed as unbroken, to the last digit" same unbroken out

# ---- if verify's one rank must have other numbers, it gives the reason and does not fail; the
# distance is that of a parameter, not of Adam's state ----
"$RANKSH" -n 4 -c "$gpt; strategy gossip; run 2; checkpoint to=ck/gossip; strategy ddp; resume from=ck/gossip; run 1; checkpoint to=ck/on; strategy tp; resume from=ck/on; verify" > out 2>&1
check "a checkpoint of gossip: no failure" test $? = 0
check "... and why" grep -q 'are expected: up to the checkpoint, each rank has its own parameters$' out
check "... and how far a parameter is" grep -q "largest difference is [0-9.]* of a parameter's change, in [a-z0-9]* (" out
for parts in "experts=2 + tp=2" "experts=4"; do
	"$RANKSH" -n 4 -c "$gpt experts=4; strategy experts; run 1; checkpoint to=ck/experts; strategy $parts; resume from=ck/experts; verify iterations=2" > out 2>&1
	case $parts in
	*tp*) check "experts in another number of parts: why" grep -q 'are expected: up to the checkpoint, the batch was trained in 4 parts: an expert' out ;;
	*) check "... and in the same as one rank" grep -q 'as one rank after 2' out ;;
	esac
done

# ---- a path of 509 bytes: `resume` adds the iteration ----
long=$(printf '%0200d/%0200d/%0104d/ck' 0 0 0)
mkdir -p "${long%/ck}"
"$RANKSH" -n 1 -c "model mlp layers=2 hidden=8 batch=8; strategy ddp; run 1; checkpoint to=$long; resume from=$long" > out 2>&1
check "a long path: resumed" test $? = 0

# ---- an incomplete checkpoint, or another model's, is reported, and the running training
# continues as before ----
"$RANKSH" -n 2 -c "$gpt; strategy ddp; run 3; say \"loss \$(loss[0])\"" 2>&1 | grep '^\[0\] loss' > untouched
# refused NAME FROM WORDS [MODEL]: adds a training to the session, which resumes from there in vain. The checks follow the session
refused() {
	printf '%s|%s\n' "$1" "${4:-}" >> attempts
	printf 'say "--- %s"\n%s\nstrategy ddp\nrun 2\nexpect error "%s" { resume from=%s }\nrun 1\nsay "loss $(loss[0])"\n' "$1" "${4:-$gpt}" "$3" "$2" >> refused.rsh
}
# damage: a copy of the checkpoints, in the folder $bad
count=0
damage() { count=$((count + 1)) bad=bad$count; cp -r ck $bad; }
refused "none" ck/none "there is no checkpoint ck/none: neither ck/none.json nor ck/none-ITERATION.json is there"
damage; rm $bad/f32-4.5.npy
refused "a shard is missing" $bad/f32 "$bad/f32-4.5.npy cannot be opened"
damage; echo '{' > $bad/f32-4.json
refused "the latest is torn" $bad/f32 "it is not JSON; the one before is $bad/f32-2"
damage; printf X | dd of=$bad/f32-4.5.npy bs=1 seek=200 conv=notrunc 2> dd
refused "a shard has changed" $bad/f32 "$bad/f32-4.5.npy has changed since it was written"
damage; head -c 300 ck/f32-4.5.npy > $bad/f32-4.5.npy
refused "a shard is cut short" $bad/f32 "$bad/f32-4.5.npy is cut short"
damage; head -c 2000 ck/f32-4.json > $bad/f32-4.json
refused "a manifest is cut short" $bad/f32 "$bad/f32-4.json is not a complete checkpoint: it is not JSON"
damage; grep -v 'f32-4.7.npy' ck/f32-4.json > $bad/f32-4.json
refused "a shard is not named" $bad/f32 "not a complete checkpoint: no shard has"
damage; sed 's/"rows":32/"rows":16/' ck/f32-4.json > $bad/f32-4.json
refused "a manifest says another shape" $bad/f32 "is \[16,16\] there and \[32,16\] here"
# invalid NAME EDIT WORDS: the manifest with this edit of sed
invalid() { damage; sed "$2" ck/f32-4.json > $bad/f32-4.json; refused "$1" $bad/f32 "not a complete checkpoint: $3"; }
invalid "a manifest's digest is no number" 's/"digest":"../"digest":"0x/' "a shard has no name, file or digest"
invalid "a manifest's rank is missing" 's/"rank":1,//' "the rank of f32-4."
invalid "a manifest's rank is too large" 's/"rank":1,/"rank":4294967296,/' "the rank of f32-4."
invalid "a manifest's state is a number" 's/"as":"m"/"as":1/' "a parameter has no name or shape"
invalid "a manifest's parts are a fraction" 's/"parts":[0-9]*/"parts":0.5/' "its parts or loses are invalid"
invalid "a manifest's name is too long" "s/\"of\":\"/&$(printf %048d 0)/" "the name of a parameter is too long"
echo '{"line":1}' > $bad/foreign-1.json
refused "a foreign file" $bad/foreign "it has no mark of a checkpoint"
refused "another model" ck/f32 "was saved from gpt" "model mlp layers=2 hidden=8 batch=8"
refused "another optimizer" ck/f32 "has optimizer=adam, but this model has optimizer=sgd: " "$gpt optimizer=sgd"
"$RANKSH" -n 2 refused.rsh > said 2>&1
while IFS='|' read -r attempt model; do
	part "$attempt"
	check "$attempt: refused" sh -c "grep -q '^\[0\] loss' out && ! grep -q ': false: expect' out"
	[ "$model" ] || { grep '^\[0\] loss' out > goes_on; check "$attempt: nothing has changed" same untouched goes_on; }
done < attempts
"$RANKSH" -n 2 -c "$gpt optimizer=sgd; strategy ddp; run 1; checkpoint to=ck/sgd; $gpt; strategy ddp; resume from=ck/sgd" > out 2>&1
check "... and the other way round" grep -q "ck/sgd-1.json has optimizer=sgd, but this model has optimizer=adam" out
"$RANKSH" -n 1 -c "resume from=ck/f32" > out 2>&1
check "resume without a strategy" grep -qF '`model` and `strategy` first' out
"$RANKSH" -n 1 -c "strategy ddp; step 4; checkpoint to=ck/x" > out 2>&1
check "within an iteration" grep -q "it is written between two iterations" out
"$RANKSH" --dry -n 2 -c "strategy ddp; run 1; checkpoint to=ck/x" > out 2>&1
check "a dry run" grep -q "a dry run has no data" out
# a place that cannot be written to: training goes on, and the script fails in the end
echo file > nofolder
"$RANKSH" -n 2 -c "$gpt; strategy ddp; checkpoint every=1 to=nofolder/x; run 3; say \"loss \$(loss[0])\"" > out 2>&1
status=$?
check "a checkpoint that cannot be written is told" grep -q "no checkpoint after iteration 3: nofolder/x-3.0.npy.new cannot be written" out
check "... and the exit status is 1" test $status = 1
grep '^\[0\] loss' out > goes_on
check "... and training goes on" same untouched goes_on

# A checkpoint that fails half way leaves the previous one; the next one replaces it completely,
# even with fewer shards.
cksum ck/two-2* > sums
mkdir ck/two-2.7.npy.new
"$RANKSH" -n 2 -c "$gpt; strategy zero; run 2; checkpoint to=ck/two" > out 2>&1
check "a checkpoint that fails half way is told" grep -q "ck/two-2.7.npy.new is not a regular file" out
rmdir ck/two-2.7.npy.new
cksum ck/two-2* > out
check "... and the one before stays as it was, with nothing beside it" same sums out
"$RANKSH" -n 2 -c "$gpt; strategy zero; run 2; checkpoint to=ck/two; strategy ddp; run 2; checkpoint to=ck/two; resume from=ck/two-2; verify iterations=1" > out 2>&1
check "a checkpoint takes the place of one of more shards" grep -q "as one rank after" out
check "... of which none is left" test "$(ls ck/two-2*.npy | wc -l)" = "$(grep -c '"file":' ck/two-2.json)"

# ---- every= ends with its program; a program that a refused strategy, resume or undo leaves in
# place is still saved ----
"$RANKSH" -n 2 -c "checkpoint every=1 to=ck/mine; $gpt; strategy ddp; run 1; expect error { strategy tp=2 + ddp=3 }; resume from=ck/mine; run 1; strategy zero; run 1" > out 2>&1
check "a checkpoint of every=1 is told to end with its program" grep -q "checkpoint every=1 to=ck/mine has ended, with the program before" out
check "and has done so" test "$(cat ck/mine-*.json | grep -c '"rank":1')" = 0 # of zero's shards rank 1 has a half
check "resumed it goes on" test -f ck/mine-2.json
printf '%s\n' "$gpt" "strategy ddp" "checkpoint every=1 to=ck/back" "strategy zero" "undo" "run 1" | one_process -n 1 > out
check "undone it is there again" test -f ck/back-1.json

# ---- replayed lines write nothing: after undo and step back the checkpoint is the same ----
# seen LINE...: a session of one process that is given these lines, and what can be seen of it then
seen() { printf '%s\n' "$@" 'say "--- looks"' timeline tensors 'peek loss' 'peek table[0]' | one_process -n 1 | sed -n '/--- looks/,$p' | sed 's/,"log":.*//'; }
"$RANKSH" -n 1 -c "$gpt; strategy zero; run 1; checkpoint to=ck/one" > out 2>&1
seen "$gpt" "strategy zero" "resume from=ck/one" "run 1" > before
seen "$gpt" "strategy zero" "resume from=ck/one" "checkpoint every=1 to=ck/again" "run 1" "undo" "undo" "run 1" > out
check "undo behind a resume" same before out
cksum ck/one* > sums
seen "$gpt" "strategy zero" "run 1" "checkpoint to=ck/one" > before
cksum ck/one* > out
check "the same checkpoint again has the same bytes" same sums out
seen "$gpt" "strategy zero" "run 1" "checkpoint to=ck/other" "run 1" "undo" > out
check "undo leaves the state as it was" same before out
# a newer one with that prefix has been written since
printf '%s\n' "$gpt" "strategy zero" "run 1" "checkpoint to=ck/more" "resume from=ck/more" "run 1" "checkpoint to=ck/more" "run 1" "undo" "run 1" | one_process -n 1 > out
check "undo goes on from the same checkpoint as before" test "$(grep -c 'iteration 3   loss' out)" = 2
