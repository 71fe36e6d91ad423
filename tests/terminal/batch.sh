# batch.sh -- runs without a terminal: plain text and exit statuses, for every way in which lines
# come
. tests/terminal/lib.sh

# status NAME WANTED COMMAND...
status() {
	name=$1 wanted=$2
	shift 2
	"$@" > "$folder/out" 2> "$folder/err" < /dev/null
	got=$?
	if [ $got = "$wanted" ]; then echo "ok $name"; else echo "FAIL $name: status $got, not $wanted"; cat "$folder/out" "$folder/err"; fi
}
# said NAME TEXT FILE
said() { if grep -q -e "$2" "$folder/$3"; then echo "ok $1"; else echo "FAIL $1"; sed 's/^/    | /' "$folder/out" "$folder/err"; fi; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

status "-c" 0 "$RANKSH" -n 4 -c 'tensor x[2,2] = ones; print x[0,0]'
said "-c prints" '^\[0-3\] x\[0,0\] = 1$' out
printf 'tensor x[2,2] = ones\nprint x[0,0]\nif 1 {\nsay "in"\n}\n' > "$folder/a.rsh"
status "a file" 0 "$RANKSH" -n 4 "$folder/a.rsh"
cp "$folder/out" "$folder/file"
said "a file prints" '^in$\|\] in$' file
"$RANKSH" -n 4 < "$folder/a.rsh" > "$folder/out" 2> "$folder/err"
cmp -s "$folder/out" "$folder/file" && echo "ok lines down a pipe say the same" || echo "FAIL lines down a pipe say the same"
cat "$folder/a.rsh" | mpirun --oversubscribe -n 4 "$RANKSH" > "$folder/out" 2> "$folder/err"
cmp -s "$folder/out" "$folder/file" && echo "ok mpirun with lines says the same" || echo "FAIL mpirun with lines says the same"
seq 5000 | sed 's/.*/let number = &; print number/' > "$folder/long.rsh"
"$RANKSH" -n 2 < "$folder/long.rsh" > "$folder/out" 2>&1
seq 5000 | sed 's/^/[0,1] number = /' | cmp -s - "$folder/out" && echo "ok more lines than a pipe holds" || { echo "FAIL more lines than a pipe holds"; tail -3 "$folder/out"; }
mpirun --oversubscribe -n 4 "$RANKSH" "$folder/a.rsh" > "$folder/out" 2> "$folder/err" < /dev/null
cmp -s "$folder/out" "$folder/file" && echo "ok mpirun with a file says the same" || echo "FAIL mpirun with a file says the same"
"$RANKSH" -n 4 "$folder/a.rsh" > "$folder/out" 2>&1
if [ ! -s "$folder/out" ] || grep -q "$(printf '\033')" "$folder/out"; then echo "FAIL no escape codes"; else echo "ok no escape codes"; fi
[ -z "$(ls "$state")" ] && echo "ok no journal" || echo "FAIL no journal"
for n in 1 2; do
	env -u OPENBLAS_CORETYPE "$RANKSH" -n $n -c "a = randn [200,100] seed=1; b = randn [100,100] seed=2; y = matmul a b; save y $folder/y$n.npy" > "$folder/out" 2>&1
done
cmp -s "$folder/y1.npy" "$folder/y2.npy" && echo "ok one rank has the bits of several" || echo "FAIL one rank has the bits of several"
status "one rank" 0 "$RANKSH" -n 1 -c 'tensor x[2,2] = ones; print x[0,0]'
status "--dry" 0 "$RANKSH" --dry -n 512 -c 'tensor x[64,64] = ones; allreduce x; sync'

status "no lines, for the input is closed" 0 timeout $((10 * PATIENCE)) sh -c '"$0" -n 2 <&-' "$RANKSH"
status "the input is closed: one process" 0 timeout $((10 * PATIENCE)) sh -c '"$0" --dry -n 2 <&-' "$RANKSH"
status "the output is closed" 4 timeout $((10 * PATIENCE)) sh -c '"$0" -n 2 -c "say hello" >&-' "$RANKSH"

status "an expect that is false" 1 "$RANKSH" -n 2 -c 'expect 1 == 2'
status "a refused line" 2 "$RANKSH" -n 2 -c 'bogus'
said "... with a message" "no command 'bogus'" err
status "an open block" 2 "$RANKSH" -n 2 -c 'repeat 2 {'
status "a stuck end" 3 "$RANKSH" -n 2 -c 'tensor x[2] = ones; @0 recv x from=1; sync'
status "a job that dies" 4 "$RANKSH" -n 2 -c 'repeat 1000000000 { let a = 1 }' --limit 1s
said "... of its limit" 'limit' err
# a rank is killed while a run is at work: there is no output to wait for, so the rank itself is
"$RANKSH" -n 3 -c 'repeat 1000000000 { let a = 1 }' > "$folder/out" 2> "$folder/err" < /dev/null &
job=$!
rank_of_job() { for pid in $(below $job); do tr '\0' '\n' < "/proc/$pid/environ" 2>/dev/null | grep -qx OMPI_COMM_WORLD_RANK=1 && echo "$pid"; done | head -1; }
there() { [ -n "$(rank_of_job)" ]; }
until_true there
ranks=$(below $job)
kill -9 "$(rank_of_job)"
wait $job
[ $? = 4 ] && echo "ok a killed rank: status 4" || echo "FAIL a killed rank: status 4"
said "... and its name" 'rank 1 died of signal 9 (Killed)' err
until_true all_gone $ranks && echo "ok ... and nobody left" || echo "FAIL ... and nobody left"

status "an unknown option" 2 "$RANKSH" --dyr
said "... and the nearest" 'did you mean --dry' err
status "... under mpirun" 2 mpirun -n 2 --oversubscribe "$RANKSH" --dyr
[ "$(grep -c 'did you mean --dry' "$folder/err")" = 1 ] && echo "ok ... once" || { echo "FAIL ... once"; cat "$folder/err"; }
status "a class under mpirun" 2 mpirun -n 2 --oversubscribe "$RANKSH" --class "$folder"
said "... with what to type" 'class starts the ranks itself: `ranksh --class ... -n 2`' err
status "an unknown machine" 2 "$RANKSH" --machine clasroom -c 'sync'
said "... and the nearest machine" 'classroom' err
status "a file that is not there" 2 "$RANKSH" nowhere.rsh
status "too many ranks" 2 "$RANKSH" -n 99999 -c sync
status "a device that is none" 2 "$RANKSH" --device cdua -c sync
said "... and the nearest kind" 'did you mean cuda' err
status "a device that is not there" 2 "$RANKSH" --device cuda -c 'say "runs"'
said "... and why" '^ranksh: --device cuda: ' err
mkdir "$folder/none"
status "... a library is missing" 2 env RANKSH_CUDA="$folder/none" "$RANKSH" --device cuda -c 'say "runs"'
said "... what, where it was looked for and what installs it" "driver (libcuda.so.1) is not there: looked in $folder/none; " err
status "... by RANKSH_DEVICE" 2 env RANKSH_DEVICE=cuda "$RANKSH" -c 'say "runs"'
status "... and another by an option" 0 env RANKSH_DEVICE=cuda "$RANKSH" -n 2 --device auto -c sync
status "... under mpirun" 2 mpirun -n 3 --oversubscribe "$RANKSH" --device cuda -c 'say "runs"'
[ "$(grep -c 'device cuda' "$folder/err")" = 1 ] && echo "ok ... in one sentence" || { echo "FAIL ... in one sentence"; cat "$folder/err"; }
status "... by one host's environment" 2 mpirun --oversubscribe -n 2 "$RANKSH" -c 'say "runs"' : -n 1 env RANKSH_DEVICE=cdua "$RANKSH" -c 'say "runs"'
said "... and whose" '^ranksh: rank 2: RANKSH_DEVICE is auto, sim or cuda' err
status "... or other ones of two hosts" 2 mpirun --oversubscribe -n 2 "$RANKSH" -c 'say "runs"' : -n 1 env RANKSH_DEVICE=cuda "$RANKSH" -c 'say "runs"'
said "... and which" '^ranksh: rank 0 is for device sim and rank 2 for cuda' err
status "no Open MPI" 4 env RANKSH_MPI=/nowhere "$RANKSH" -n 2 -c sync
said "... is said" '^ranksh: RANKSH_MPI: /nowhere is not there: expected ' err
status "a rank without Open MPI" 2 mpirun -n 2 --oversubscribe env RANKSH_MPI=/nowhere "$RANKSH" -c sync
[ "$(grep -c '^ranksh: RANKSH_MPI: /nowhere is not there' "$folder/err")" = 1 ] && echo "ok ... is reported once for a host" || { echo "FAIL ... is reported once for a host"; cat "$folder/err"; }
status "one rank needs no MPI" 0 env RANKSH_MPI=/nowhere "$RANKSH" -n 1 -c sync
status "nor does --dry" 0 env RANKSH_MPI=/nowhere "$RANKSH" --dry -n 4 -c sync
fake_mpirun "$folder/fake" "$(printf '%s\n' 'cat >&2 <<END' ------------------------------------------------------------ 'There are not enough slots available in the system.' ------------------------------------------------------------ END 'exit 1')"
status "an mpirun that starts nothing" 4 env RANKSH_MPI="$folder/fake" "$RANKSH" -n 2 -c sync
said "... and why" 'not enough slots' err
status "--version" 0 "$RANKSH" --version
status "--help" 0 "$RANKSH" --help
printf 'let M = 1\nprint M\n' > "$folder/m.rsh"
status "NAME=VALUE" 0 "$RANKSH" -n 2 "$folder/m.rsh" M=16
said "... beats the file's let" '16' out

printf 'tensor x[2,2] = ones\nprint x[0,0]\n#> [0,1] x[0,0] = 1\nbogus\n#> no wrong words\n' > "$folder/t.rsh"
status "--test finds a difference" 1 "$RANKSH" -n 2 --test "$folder/t.rsh"
said "... and shows both sides" '^- no wrong words' out
printf 'tensor x[2,2] = ones\nprint x[0,0]\n#> [0,1] x[0,0] = 1\n' > "$folder/t.rsh"
status "--test passes" 0 "$RANKSH" -n 2 --test "$folder/t.rsh"
printf 'tensor x[2,2] = ones\nprint x[0,0] #> [0,1] x[0,0] = 3\n' > "$folder/t.rsh"
status "--test compares what stands at the end of the line" 1 "$RANKSH" -n 2 --test "$folder/t.rsh"
said "... and shows what was expected" '^- \[0,1\] x\[0,0\] = 3' out
said "... and what came" '^+ \[0,1\] x\[0,0\] = 1' out
cat > "$folder/t.rsh" <<'END'
tensor x[2,2] = ones; print x[0,0]   #> [0,1] x[0,0] = 1
say "no #> mark"   #> no #> mark
say "a text of
#> 2 lines"   #> a text of
#> #> 2 lines
repeat 2 {
say "in"   #> in
} #> in
say "x"   # a comment #> none
#> x
END
status "--test: on the line, below it, in a block, and not in quotes" 0 "$RANKSH" -n 2 --test "$folder/t.rsh"
printf 'say "a"\n' > "$folder/t.rsh"
status "--test of nothing" 0 "$RANKSH" -n 1 --test "$folder/t.rsh"
said "... says so" 'nothing that it prints was compared' err

# mpirun in a terminal: only there does a user wait for a prompt
echo 'print rank' > "$folder/r.rsh"
mpirun="mpirun --oversubscribe -n 2 $RANKSH"
open_command 100 24 "cd $folder; $mpirun; echo left; exec sleep 1000"
check "mpirun in a terminal says that the prompt is ranksh" shows '^note: there is no prompt under mpirun.*`ranksh -n 2` opens'
line 'print rank'
check "... and runs lines as they come" shows '^\[1\] rank = 1'
keys C-d
check "... until Ctrl-D" shows '^left'
open_command 100 24 "cd $folder; echo 'print rank' | $mpirun; $mpirun < r.rsh; $mpirun r.rsh; echo left; exec sleep 1000"
check "mpirun with a pipe, an input and a file" shows '^left'
refute "... has nothing to say" showed '^note:'
check "... but their output" [ "$(screen | grep -c '^.1. rank = 1')" = 3 ]
