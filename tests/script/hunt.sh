#!/bin/sh
# hunt.sh -- `hunt` makes one line of a program wrong, and the same seed chooses the same line.
# Every correct repair is accepted, however it is written; an incorrect one is reported.
# tests/hunt/run covers all strategies.
. tests/script/lib.sh
cd "$work" || exit 1
# hunts LINE...: what a session of $ranks ranks says to the lines; the exit status in $status
ranks=2
hunts() { printf '%s\n' "$@" > lines.rsh; within 120 "$RANKSH" -n $ranks lines.rsh > out 2>&1; status=$?; }
says() { check "$1" grep -qF -- "$1" out; }

small='model mlp layers=3 hidden=16 batch=16'
hunts "$small" 'hunt ddp 2 seed=5' 'hunt' 'run 2' 'hunt give up'
cp out first
check "a hunt that is given up is no failure" [ "$status" = 0 ]
check "it names the file" grep -q '^   a line of strategies/.*rsh is wrong: level 2, seed 5' out
check "it shows the lines" grep -q '^   1  # ' out
hunts "$small" 'hunt ddp 2 seed=5' 'hunt' 'run 2' 'hunt give up'
check "the same seed has the same line" same first out
line=$(sed -n 's/^   \(fix [0-9]\)/\1/p' first)
hunts "$small" 'hunt ddp 2 seed=5' "$line" 'run 2' 'verify'
check "the line as it was is right: status $status" [ "$status" = 0 ]
says "right, with 1 attempt. What was wrong:"
says "as one rank after 2 iterations"
hunts "$small" 'hunt ddp 2 seed=5' 'fix 1 # nothing' 'hunt'
check "one that mends nothing fails a script: status $status" [ "$status" = 1 ]
says "not yet   the program begins again with this line"
says "tried: fix 1 # nothing"

# the lines of `help hunt` and `help fix`
hunts "$small" 'hunt ddp seed=5' 'hunt' 'hunt give up'
check "help's lines run: status $status" [ "$status" = 0 ]
hunts 'help hunt' 'help fix'
says "hunt give up"
says "fix N LINE"

# a script, in which the wrong line can be said beforehand
cat > sum.rsh <<'END'
tensor g[64] h[64] = rank + 1
stream comm
## Each pass
for i in 0:4 {
  g += h
  record made;  wait made on comm
  allreduce g op=avg on comm
  record meant on comm;  wait meant
}
END
hunts 'hunt sum.rsh all'
cp out all
check "a script has some" [ "$(grep -c '^ *[0-9]*  level' all)" -ge 12 ]
change=$(sed -n 's/^ *\([0-9]*\)  level .*sum.rsh:7  an average became a sum.*/\1/p' all)
hunts "hunt sum.rsh change=$change" 'fix 7 on comm { allreduce g op=avg }'
check "another mending is right too: status $status" [ "$status" = 0 ]
hunts "hunt sum.rsh change=$change" 'fix 7   allreduce g op=max on comm'
says "the numbers   not yet"
hunts "hunt sum.rsh change=$change" 'fix 7   allreduce g op=avg on comm;  sync;  sync;  spin 1ms'
says "the numbers   right"
says "time          not yet"
hunts "hunt sum.rsh change=$change" 'fix 6 ' 'fix 7   allreduce g op=avg on comm'
says "the order     not yet"
hunts "hunt sum.rsh change=$change" 'fix 7   allreduce g op=avg on comm;  @0 allreduce h'
says "they hang"
hunts "hunt sum.rsh change=$change" 'fix 7 for k in 0:1000000000 { let j = k }'
says "they take more than 64 times the steps of right lines"
says "not yet   the program begins again as it was"

# what is refused, by one rank too
ranks=1
refused() { hunts "$1"; check "$1: status $status" [ "$status" = 2 ]; says "$2"; }
refused 'hunt dpd' "no strategy 'dpd'; did you mean 'ddp'?"
refused 'hunt none.rsh' "none.rsh: No such file or directory"
refused 'hunt ddp 4' "hunt: 4: a whole number from 1 to 3 was expected"
refused 'hunt ddp seed=0' "hunt seed=: a whole number from 1 to 1000000000 was expected"
refused 'hunt ddp change=99999' "ddp has changes 1 to"
refused 'hunt ddp bukket=3' "strategy ddp has no option 'bukket'; did you mean 'bucket'?"
refused 'hunt sum.rsh bucket=3' "a script has no options"
refused 'hunt' "no hunt is open: \`hunt ddp\` plants a bug in one line of that strategy"
refused 'fix 3 x' "no hunt is open"
refused 'hunt give' "write: hunt give up"
echo 'tensor x[4' > open.rsh
refused 'hunt open.rsh' "open.rsh:1: ']' is still missing"
printf 'tensor x[4]\n@1 recv x from=0\n' > hangs.rsh
ranks=2
hunts 'hunt hangs.rsh'
ranks=1
says "hunt: hangs.rsh hangs as it is"
echo 'tensor x[4]' > little.rsh
refused 'hunt little.rsh' "of all 0 changes none is of that level, with this model and machine"
hunts 'hunt ddp seed=5' 'fix 9999 x'
says "no 9999"
hunts 'hunt ddp seed=5' 'fix x'
says "fix 'x': the number of a line of strategies/"
"$RANKSH" --dry -n 4 -c 'hunt ddp' > out 2>&1
says "hunt finds a wrong line by its numbers, and --dry has none"

# undo and steps: the hunt is the program's
printf '%s\n' 'tensor x[4]' 'hunt ddp 2 seed=5' 'fix 1 # nothing' 'run 1' 'undo' 'undo' 'hunt' 'undo' 'hunt' | one_process -n 1 > out
check "undo takes a mending back" [ "$(grep -c 'tried: fix' out)" = 0 ]
check "... and a hunt" grep -qF 'no hunt is open' out
