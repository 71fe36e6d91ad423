#!/bin/sh
# right.sh -- the programs of right.txt: about the right ones nothing is reported. The wrong ones
# differ from them in one line, and are reported.
. tests/script/lib.sh

# every program after a `reset`, in one process for each number of ranks; all:
# NUMBER|RANKS|NAME|WRONG LINE|WORDS
awk -v work="$work" '
function put(text) { print text > file; at[file]++ }
function play(wrong, instead, words, i) {
	put("reset")
	put("say \"=== " ++number " " at[file] + 1 "\"")
	print number "|" ranks "|" name "|" (wrong ? instead "  for  " line[wrong] : "") "|" words > (work "/all")
	for (i = 1; i <= n; i++)
		put(i == wrong ? instead : line[i])
	put("sync")
	if (!wrong) {
		for (i = 1; i <= holding; i++)
			put("expect " holds[i])
		put("races")
	}
	put("stuck")
	put("abort")
}
function play_all(i) {
	if (n)
		play(0)
	for (i = 1; i <= variants; i++)
		play(of[i], instead_of[i], reported[i])
}
/^## / {
	play_all()
	ranks = $2
	name = substr($0, 6)
	file = work "/" ranks ".rsh"
	n = variants = holding = 0
	next
}
/^#! / {
	bar = index($0, "| ")
	of[++variants] = last
	instead_of[variants] = substr($0, 4, bar - 4)
	reported[variants] = substr($0, bar + 2)
	line[++n] = ""
	next
}
/^#= / {
	holds[++holding] = substr($0, 4)
	next
}
number || ranks { line[++n] = $0; last = n }
END { play_all() }' tests/script/right.txt
for ranks in $(cut -d'|' -f2 "$work/all" | sort -u); do
	within 60 "$RANKSH" -n "$ranks" "$work/$ranks.rsh" > "$work/out" 2>&1
	check "programs on $ranks ranks run to their end" [ $? = 0 ]
	cat "$work/out" >> "$work/said"
done
# what is reported of each stands in one line, without what it prints
awk -F'|' -v said="$work/said" '
BEGIN {
	while ((getline row < said) > 0)
		if (split(row, word, " ") == 3 && word[1] == "===") {
			number = word[2]
			before[number] = word[3]
		} else if (row ~ /^(   |stuck:|no rank waits|ranks? .* wait)/)
			text[number] = text[number] " " row
}
{
	got = text[$1]
	gsub(/ +/, " ", got)
	words = $5
	for (rest = ""; match(words, /line [0-9]+/); words = substr(words, RSTART + RLENGTH))
		rest = rest substr(words, 1, RSTART + 4) before[$1] + substr(words, RSTART + 5, RLENGTH - 5)
	words = rest words
	if ($4 == "") {
		gsub(/ possible: [^:]*: NCCL can hang if [^:]* side( rank [0-9]+: [^:]*\(line [0-9]+\))+/, "", got)
		is_right = got == " no rank waits for another"
		words = "nothing"
	} else
		is_right = index(got, words)
	print (is_right ? "ok" : "FAIL") " right: " $3 ($4 == "" ? "" : ": " $4)
	if (!is_right)
		print "    wanted: " words "\n    reported:" got
}' "$work/all"
