#!/bin/sh
# launcher.sh -- processes that a launcher started and MPI does not connect are refused once; those
# that start no ranks still run
. tests/script/lib.sh
cd "$work" || exit 1
echo 'print rank' > a.rsh
# torchrun N ARGUMENTS...: starts N processes as torchrun does, with the output of all in `out` and
# their exit statuses in `statuses`
torchrun() {
	count=$1
	shift
	rm -f status-*
	for number in $(seq 0 $((count - 1))); do
		(RANK=$number LOCAL_RANK=$number WORLD_SIZE=$count within 60 "$RANKSH" "$@"
			echo $? > status-$number) < /dev/null &
	done > out 2>&1
	wait
	statuses=$(cat status-* | tr '\n' ' ')
}
torchrun 3 a.rsh
check "three processes of torchrun have status 2" [ "$statuses" = "2 2 2 " ]
check "one of them reports it" [ "$(grep -c 'torchrun started 3 processes (WORLD_SIZE)' out)" = 1 ]
check "... with what to type" grep -q 'type `ranksh -n 3 FILE.rsh` once' out
check "... and runs nothing" [ "$(wc -l < out)" = 3 ]
torchrun 2 < a.rsh
check "lines from the input are refused, too" [ "$statuses" = "2 2 " ]
for runs in '--dry a.rsh' '-n 1 a.rsh' '--version' '--help' 'help sync'; do
	torchrun 2 $runs
	check "ranksh $runs runs" [ "$statuses" = "0 0 " ]
done
RANKSH_LAUNCHER=none
export RANKSH_LAUNCHER
torchrun 2 -n 2 a.rsh
check "RANKSH_LAUNCHER=none starts each" [ "$statuses" = "0 0 " -a "$(grep -c 'rank = 1' out)" = 2 ]
