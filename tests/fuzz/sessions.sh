#!/bin/sh
# sessions.sh [SESSIONS] [FIRST] [SECONDS]: types random and mutated lines at the prompt of 2
# ranks, in SESSIONS (30) sessions one after another, or until SECONDS have passed. Session number
# S has the lines of `fuzz_lines S`, so sessions are the same in every run, on any processor; FIRST
# (1) is the first number. Whatever the lines are, each is answered, no rank dies or prints by
# itself, no two ranks differ, and all leave at the end. The caller checks for reports of the
# sanitizers.
. tests/script/lib.sh
most=${1:-30} seed=${2:-1} seconds=${3:-100000}
lines_of=$(realpath "$(dirname "$RANKSH")/fuzz_lines")
cd "$work" || exit 1
# where no one else looks, what a sanitizer finds is looked at here
case ${ASAN_OPTIONS:-} in *log_path*) ;; *) export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ;; esac

# wrong: says why the session that has just run is not as it should be
wrong() {
	[ "$status" = 0 ] || echo "exit status $status"
	[ "$asked" = "$answered" ] || echo "$asked requests and $answered replies"
	grep -o '"is":"foreign".*' replies | head -5
	# a number that looks something up may be out of range: then the line is wrong
	grep -v '\] range: line' replies | grep -o 'a bug of ranksh.*\|do not trust this rank.*' | head -3
}
end=$(($(date +%s) + seconds)) sessions=0 typed=0 failed=0
while [ "$(date +%s)" -lt "$end" ] && [ $sessions -lt "$most" ]; do
	"$lines_of" $seed 60 2 > typed || { echo "FAIL no lines to type"; exit 1; }
	wire 2 30
	why=$(wrong)
	if [ -n "$why" ]; then
		echo "FAIL session $seed (fuzz_lines $seed 60 2 | mpirun -n 2 ranksh --wire): $why"
		tail -5 errors
		# what was asked last and had an answer, and the line behind it
		tail -n +$((answered > 0 ? answered : 1)) typed | head -3 | sed 's/^/    > /'
		failed=$((failed + 1))
		[ $failed -lt 5 ] || break
	fi
	sessions=$((sessions + 1)) typed=$((typed + asked)) seed=$((seed + 1))
done
[ $sessions -gt 0 ] && [ $failed = 0 ] && echo "ok typed sessions: $typed lines in $sessions of them"
[ $sessions -gt 0 ] && [ $failed = 0 ]
