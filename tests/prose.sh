#!/bin/sh
# prose.sh -- README.md, docs/ and the glossary are written in plain words: rates per 10,000 words of prose, without code. They are a guard: a page may have
# a word, and all pages together have few.
set -u
cd "$(dirname "$0")/.." || exit 1
found=$(awk '
FNR == 1 { code = 0 }
/^ *```/ { code = !code; next }
code || /^    / || /^>/ { next }
{
	line = tolower($0); gsub(/`[^`]*`/, " ", line)
	count = split(line, word, /[^a-z\047-]+/)
	for (i = 1; i <= count; i++) if (word[i] ~ /^[a-z]/) { words++; times[word[i]]++ }
}
function rate(list,   each, n, i, sum) { n = split(list, each, " "); for (i = 1; i <= n; i++) sum += times[each[i]]; return sum * 10000 / words }
function most(list, limit) { if (rate(list) > limit) printf "%s: %.1f, at most %s\n", list, rate(list), limit }
END {
	most("behind", 3); most("stands", 3); most("told nobody whoever", 3); most("who whom", 6); most("what", 40); most("where", 25); most("he his him she her", 0)
	if (rate("if") < 35) printf "if: %.1f, at least 35\n", rate("if")
	if (words < 20000) print words " words: too few were read"
}' README.md docs/*.md docs/*/*.md docs/help/glossary.txt)
if [ -z "$found" ]; then
	echo "ok pages in plain words"
else
	echo "FAIL pages in plain words (per 10,000 words)"
	echo "$found"
fi
