#!/bin/sh
# lists.sh -- each line of tests/quick and tests/repetitions is a test of tests/run's list
set -u
cd "$(dirname "$0")/.." || exit 1
for file in tests/quick tests/repetitions; do
	missing=$(sed '/^#/d; /^$/d' $file | while read -r kind test ranks; do
		case $kind in
		fuzz) test=tests/fuzz/$test.c ;;
		unit | mpi) test=tests/${test#BUILD/}.c ;;
		rsh) # one of the numbers that the script runs at: 4 if it names none
			at=$(sed -n 's/^# ranks \([0-9][0-9 ]*\).*/\1/p' "$test" | head -1)
			case " ${at:-4} " in *" $ranks "*) ;; *) echo "$test at $ranks ranks" ;; esac
			;;
		esac
		[ -f "$test" ] || echo "$test"
	done)
	if [ -z "$missing" ] && [ "$(grep -c '^[a-z]' $file)" -gt 5 ]; then echo "ok $file lists tests that are there"; else
		echo "FAIL $file lists tests that are there"
		echo "$missing"
	fi
done
