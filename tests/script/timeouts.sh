#!/bin/sh
# timeouts.sh -- a group's timeout when no rank types the missing line: at the prompt, after undo,
# with the ranks' lines in other orders, with --dry, and at the end of a script
. tests/script/lib.sh
cd "$work" || exit 1

# ---- at the prompt: the sync comes back by name, and the group goes on ----
cat > typed <<'END'
group g 0-3 timeout=2ms
tensor x[4] = rank
@0 allreduce x in g
@0 sync
allreduce x in g; sync
expect x[0] == 6
undo
allreduce x in g; sync; say "again $(x[1])"
undo 2
stuck
quit
END
wire 4 60
check "answered" test "$answered" = 11
timeouts() { grep -c 'timeout: allreduce#1 in g (line 3) has waited 2.00 ms for ranks 1-3' replies; }
check "told once, and not by a replay" test "$(timeouts)" = 1
check "the clock is the timeout's" grep -q '"prompt":"2.02 ms > "' replies
check "the group is numbered anew" test "$(grep -c '"status":"ok"' replies)" = 10
check "numbers after an undo" grep -q 'again 24' replies
check "books alike" sh -c '! grep -q "a bug of ranksh" replies errors'
check "nobody is stuck while a timeout runs" grep -q 'no rank waits for another' replies

# ---- a script's `sync` of all ranks is answered as at the prompt: a rank without a line there
# never calls ----
cat > sync.rsh <<'END'
group g 0-3 timeout=2ms
tensor x[8] = rank
@0-2 allreduce x in g
sync
tensor y[4] = rank
allreduce y in g
expect y[0] == 6
END
for run in '' --dry; do
	"$RANKSH" $run -n 4 sync.rsh > out 2>&1
	check "a sync in a script ends it $run" test $? = 1
	check "... and the next line finds the group anew $run" sh -c "grep -q 'allreduce#1 in g (line 3) has waited 2.00 ms for rank 3' out && [ \$(grep -c timeout out) = 1 ]"
	check "... at the time of the prompt $run" sh -c "! grep -q false out"
done

"$RANKSH" -n 1 -c 'tensor x[4]; journal save lines.rsh' > out 2>&1
check "a script's lines are not the journal's: said, and nothing written" sh -c 'grep -q "are in its own file" out && [ ! -e lines.rsh ]'

# ---- whose line comes first means nothing, with data and without ----
cat > one.rsh <<'END'
group g 0-3 timeout=1ms
tensor x[64] y[64] = rank
@2 spin 4ms
@0 { allreduce x in g; spin 10us; allreduce y in g }
@1 { spin 300us; allreduce x in g; allreduce y in g }
@2 { allreduce x in g; allreduce y in g }
@3 { spin 600us; allreduce x in g; allreduce y in g }
sync
allreduce y in g
sync
timeline
print x y
END
awk '/^@0 [{]/ { first = $0; next } { print } /^@3/ { print first }' one.rsh > two.rsh
awk '/^@1 [{]/ { first = $0; next } { print } /^@3/ { print first }' one.rsh > three.rsh
for run in one two three; do
	"$RANKSH" -n 4 $run.rsh 2>&1 | sed 's/(line [0-9]*)//' > $run.out
	"$RANKSH" --dry -n 4 $run.rsh 2>&1 | sed 's/(line [0-9]*)//' > $run.dry
done
check "told once" test "$(grep -c 'timeout: allreduce#1' one.out)" = 1
check "rank 0 later" same one.out two.out
check "rank 1 later" same one.out three.out
grep '|\|timeout' one.out > shown
grep '|\|timeout' one.dry > out
check "--dry shows the same" same shown out
check "--dry, other order" same one.dry three.dry

# ---- the end of a script: timeouts that can fire do fire, and a rank that waits in a group
# without one is stuck ----
printf '%s\n' 'group g 0-3 timeout=2ms' 'tensor x[4] = rank' '@0 allreduce x in g' '@0 sync' > end.rsh
"$RANKSH" -n 4 end.rsh > out 2>&1
status=$?
check "the end tells" grep -q 'timeout: allreduce#1 in g (line 3) has waited 2.00 ms for ranks 1-3' out
check "and the script fails" test $status = 1
# expected_as WORDS STATUS: the timeout is expected in these words
expected_as() {
	sed "s/^@0 sync/expect error \"$1\" { @0 sync }/" end.rsh > expects.rsh
	"$RANKSH" -n 4 expects.rsh > out 2>&1
	check "expected as $1: status $2" test $? = "$2"
}
expected_as "allreduce#1 in g (line 3) has waited 2.00 ms" 0
expected_as "allreduce#2" 1
check "both are shown" grep -q 'ended: *timeout: allreduce#1 in g' out
echo '@0 barrier' >> end.rsh
"$RANKSH" -n 4 end.rsh > out 2>&1
check "stuck behind a timeout" test $? = 3
check "both are told" sh -c 'grep -q "timeout: allreduce#1" out && grep -q "stuck: rank 0 waits for a line on ranks 1-3" out'
