#!/bin/sh
# answers.sh -- an answer that takes long to compute still has a text for each rank
. tests/script/lib.sh

cat > "$work/say.rsh" <<'EOF'
stream a
repeat 20000 { spin 1us on a }
@(rank % 2 == 0) spin 1ms on a
sync
say "$(busy(a)) $(stall(launch))"
EOF
within 60 "$RANKSH" --dry -n 32 "$work/say.rsh" > "$work/out" 2>&1
check "one text for the even ranks, one for the odd ones" [ "$(wc -l < "$work/out")" = 2 ]
check "... and all 32 have one" [ "$(cut -d' ' -f1 "$work/out" | tr -cd ',' | wc -c)" = 30 ]

sed 's/^say .*/expect stall(launch) > 2/' "$work/say.rsh" > "$work/expect.rsh"
within 60 "$RANKSH" --dry -n 32 "$work/expect.rsh" > "$work/out" 2>&1
check "a false expectation says the values of all 32" [ "$(grep '^\[' "$work/out" | cut -d' ' -f1 | tr -cd ',' | wc -c)" = 30 ]

# Rank 2 has no part in the second allreduce, and no further line, so no event of it can come in
# between.
cat > "$work/end.rsh" <<'EOF'
group ends 0,2 1,3
group three 0-1,3
tensor g[2] = rank
allreduce g in ends
@0,1,3 { allreduce g in three; print g[0] }
EOF
"$RANKSH" -n 4 "$work/end.rsh" > "$work/out" 2>&1
check "at the end of a script all its prints speak" [ "$(grep -c 'g\[0\] = 10' "$work/out")" = 1 ]
