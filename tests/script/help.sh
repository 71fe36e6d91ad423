#!/bin/sh
# help.sh -- `ranksh help WORD` on the command line prints the same as at the prompt, and refuses
# the same words
. tests/script/lib.sh
asked() { "$RANKSH" -n 1 -c "$1" > "$work/wanted" 2>&1; shift; "$RANKSH" "$@" > "$work/out" 2>&1; }
for word in allreduce matmul 'critical path' kernels ddp look; do
	asked "help $word" help $word
	check "help $word" sh -c '[ $0 = 0 ] && cmp -s "$1/wanted" "$1/out"' $? "$work"
done
asked help help
check "help alone: the commands on one screen" sh -c '[ $0 = 0 ] && cmp -s "$1/wanted" "$1/out" && grep -q "COMMAND ARGS" "$1/out"' $? "$work"
"$RANKSH" help alreduce > "$work/printed" 2> "$work/out"
check "no such word: the prompt's words, and status 2" sh -c '[ $0 = 2 ] && [ ! -s "$1/printed" ] && grep -qx "no command or word .alreduce.; did you mean .allreduce.?" "$1/out"' $? "$work"
RANKSH_DEVICE=cuda RANKSH_CUDA=nowhere "$RANKSH" -n 8 help copy > "$work/out" 2>&1
check "... of no GPU and of one process, whatever is set" sh -c '[ $0 = 0 ] && grep -q "cudaMemcpyAsync" "$1/out"' $? "$work"
printf 'print 1+1\n' > "$work/help"
(cd "$work" && "$RANKSH" -n 1 ./help) > "$work/out" 2>&1
check "a file of that name" grep -q '= 2' "$work/out"
! "$RANKSH" --test help > "$work/out" 2>&1
check "no test of it" grep -q 'help cannot be combined with a file' "$work/out"
command -v bash > /dev/null || exit 0
cat > "$work/complete" <<'END'
. docs/help/ranksh.bash
COMP_WORDS=("$RANKSH" "$@") COMP_CWORD=$#
_ranksh
echo "${COMPREPLY[@]}"
END
completes() { bash "$work/complete" $1 > "$work/out" 2>&1; tr ' ' '\n' < "$work/out" | grep -qx -- "$2"; }
check "Tab: help" completes hel help
check "Tab: a command" completes 'help allre' allreduce
check "Tab: a list" completes '-n 2 help colle' collectives
check "Tab: options as before" completes '--mac' --machine
