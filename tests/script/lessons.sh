#!/bin/sh
# Every task of every lesson: the starter fails its check, the solution passes, the wrong ones fail.
. tests/script/lib.sh
"$RANKSH" -n 4 --check-lessons && "$RANKSH" -n 8 --check-lessons || exit 1
# a task is read at 80 columns: three blanks and the text, a comment without its "# "; a remark behind `expect` is folded
wide=$(awk '!/^expect / && length > (/^# / ? 78 : 76) { print FILENAME ":" FNR }' lessons/*.rsh)
check "they fit into 80 columns: $wide" [ -z "$wide" ]
check "there are some" [ "$(cat lessons/*.rsh | wc -l)" -gt 300 ]
# with other ranks a lesson says at once what it is for, and is left out here
out=$("$RANKSH" -n 3 --check-lessons) || exit 1
case $out in
*"skipped lesson 5 wants 2, 4, 8 or 16 ranks, here are 3: leave and start \`ranksh -n 4\`"*) echo "ok lessons left out at 3 ranks" ;;
*) echo "FAIL lessons left out at 3 ranks" ;;
esac
"$RANKSH" -n 1 -c lessons > "$work/all"
"$RANKSH" -n 1 -c lesson > "$work/alone"
check "lesson alone lists them" same "$work/all" "$work/alone"
case $("$RANKSH" -n 1 -c 'lesson 1; y1 = matmul x w; check') in
*"not yet   \`undo\` takes a line back"*) echo "ok a check that fails tells the way back" ;;
*) echo "FAIL a check that fails tells the way back" ;;
esac
refused() {     # ranks lesson start
	case $("$RANKSH" -n "$1" -c "lesson $2" 2>&1) in
	*"lesson $2 wants "*", here are $1: leave and start \`ranksh -n $3\`"*) echo "ok lesson $2 at $1 ranks" ;;
	*) echo "FAIL lesson $2 at $1 ranks" ;;
	esac
}
refused 3 5 4
refused 5 6 8
refused 1 7 2
refused 5 3 6
