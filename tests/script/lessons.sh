#!/bin/sh
# lessons.sh -- the course: each lesson passes its own checks on 4 ranks, or with ALL=1 on every
# number of ranks that it allows; each task fits the screen, and each solution is right in a
# learner's session too
. tests/script/lib.sh
lessons=$(ls lessons/[0-9]*.rsh)
if [ -n "${ALL:-}" ]; then "$RANKSH" --check-lessons; else "$RANKSH" -n 4 --check-lessons; fi || exit 1
check "they are fourteen, without a gap" [ "$(echo "$lessons" | sed 's|lessons/\([0-9]*\)-.*|\1|' | tr '\n' ' ')" = "01 02 03 04 05 06 07 08 09 10 11 12 13 14 " ]
# a task is read at 80 columns: three blanks and the text, a comment without its "# "; a remark behind `expect` is folded
wide=$(awk '/^## /{task = 1} FNR == 1 {task = 0} task && !/^expect / && !/^# source/ && length > (/^# / ? 78 : 76) { print FILENAME ":" FNR }' $lessons lessons/tour.rsh)
check "they fit into 80 columns: $wide" [ -z "$wide" ]
check "each ends with what was learned, in three sentences" [ "$(grep -c '^# learned: .' $lessons | grep -vc ':3$')" = 0 ]
check "each carries something over to PyTorch or CUDA" [ "$(grep -L '^#: transfer' $lessons)" = '' ]

# every task in the session of a learner: opened, solved, checked
awk 'FNR == 1 { n++; t = 0 } /^## / { t++; printf "lesson %d.%d\nsolution run\ncheck\nsay \"over\"\n", n, t }' $lessons > "$work/all.rsh"
"$RANKSH" -n 4 "$work/all.rsh" > "$work/out" 2>&1
check "each solution is right where it runs" [ $? = 0 ]
tasks=$(grep -c '^lesson' "$work/all.rsh")
check "... of all $tasks tasks" [ "$(grep -c '^   right ' "$work/out")" = "$tasks" ]
awk '/^lesson [0-9]*, task/ { from = NR; name = $0 } /^   check   hint/ && NR - from > 23 { print name ": " NR - from + 1 " lines" }' "$work/out" > "$work/tall"
mv "$work/tall" "$work/out"
check "each task with its question is in sight on 24 lines" [ ! -s "$work/out" ]

# with other ranks a lesson says at once what it is for, and is left out here
"$RANKSH" -n 3 --check-lessons lessons/11-pipeline.rsh > "$work/out"
check "lessons left out at 3 ranks" grep -q 'skipped lessons/11-pipeline.rsh needs 2, 4 or 8 ranks, and there are 3: leave and start `ranksh -n 4`' "$work/out"
"$RANKSH" -n 1 -c lessons > "$work/all"
"$RANKSH" -n 1 -c lesson > "$work/alone"
check "lesson alone lists them" same "$work/all" "$work/alone"
refused() {     # ranks lesson start
	case $("$RANKSH" -n "$1" -c "lesson $2" 2>&1) in
	*"lesson $2 needs "*", and there are $1: leave and start \`ranksh -n $3\`"*) echo "ok lesson $2 at $1 ranks" ;;
	*) echo "FAIL lesson $2 at $1 ranks" ;;
	esac
}
refused 3 11 4
refused 5 13 8
refused 1 6 4
