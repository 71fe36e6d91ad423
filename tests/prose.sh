#!/bin/sh
# prose.sh -- counts how the project writes, in comments, docs, help, messages, glossary, lessons
# and strategies, and fails if a rate is outside its limits. Program text, drawings, quoted output
# and words in backquotes are left out. `prose.sh KIND` prints the sentences that are counted.
# The rates are per 10,000 words. They only keep what readers have corrected: a page within the
# limits may still need a second reading.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the comments of C and CUDA sources, one paragraph a line. A line indented by four blanks
# or more is a drawing or a program.
cat > "$work/comments.awk" <<'EOF'
function add(line) {
	sub(/^[ \t]*\*( |$)/, "", line)
	if (line ~ /^(    |\t)/ || line ~ /[|+<>=-][|+<>=-][|+<>=-]/) line = ""
	if (line ~ /^[ \t]*$/ || line ~ /^ *[-*] /) flush()
	sub(/^ *[-*] /, "", line)
	text = text " " line
}
function flush() { if (text ~ /[a-z]/) print text; text = "" }
FNR == 1 { inside = 0; flush() }
{
	line = $0
	while (line != "") {
		if (inside) {
			if ((at = index(line, "*/"))) { add(substr(line, 1, at - 1)); line = substr(line, at + 2); inside = 0; flush() }
			else { add(line); line = "" }
			continue
		}
		if (!match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//)) break
		found = substr(line, RSTART, 2)
		line = substr(line, RSTART + (found ~ /^\// ? 2 : RLENGTH))
		if (found == "//") { add(line); flush(); line = "" }
		else if (found == "/*") { inside = 1; if (line ~ /^\*/) line = substr(line, 2) }
	}
	if (inside && $0 ~ /^[ \t]*\**[ \t]*$/) flush()
}
END { flush() }
EOF
# Prints texts of C sources: with kind=help those after `.help =`, with kind=messages all others of
# three words or more.
cat > "$work/strings.awk" <<'EOF'
function flush() { if (text != "" && (kind == "help") == help && text ~ /[a-z][a-z]+,? [a-z]+,? [a-z]/) print text; text = ""; help = 0 }
FNR == 1 { inside = 0; flush() }
{
	line = $0
	if (line ~ /^#include/) next
	if (line ~ /^[ \t]*\.[a-z_]+ = / || line !~ /^[ \t]*"/) { flush(); help = line ~ /\.(help|about) = / }
	while (line != "") {
		if (inside) { if ((at = index(line, "*/"))) { line = substr(line, at + 2); inside = 0 } else line = ""; continue }
		if (!match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//)) break
		if (RSTART > 1 && substr(line, 1, RSTART - 1) ~ /[,;({?:]/) { kept = help; flush(); help = kept && line ~ /\.help/ }
		found = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
		if (found == "//") break
		if (found == "/*") { inside = 1; continue }
		if (found ~ /^"/) text = text substr(found, 2, length(found) - 2)
	}
}
END { flush() }
EOF
# Prints pages without fenced and indented blocks. Each cell of a table, heading and item of a list
# is a sentence.
cat > "$work/pages.awk" <<'EOF'
function flush() { if (text ~ /[a-z]/) print text; text = "" }
FNR == 1 { fenced = 0; flush() }
/^ *```/ { fenced = !fenced; flush(); next }
fenced || /^(    |\t)/ && text == "" { next }
/^ *$/ || /^#/ { flush(); next }
/^ *\|/ { flush(); gsub(/\|/, " ; "); n = split($0, cell, " ; "); for (i = 1; i <= n; i++) { text = cell[i]; flush() } next }
/^ *([-*]|[0-9]+\.) / { flush(); sub(/^ *([-*]|[0-9]+\.) /, "") }
{ text = text " " $0 }
END { flush() }
EOF
cat > "$work/glossary.awk" <<'EOF'
/^#/ || /^>/ || /^(word|figure|cause):/ || /^$/ { next }
{ print }
EOF
# lessons: what the learner reads; strategies: the comments and the texts of options
cat > "$work/lessons.awk" <<'EOF'
function flush() { if (text ~ /[a-z]/) print text; text = "" }
/^# (lesson|minutes|ranks|source):?/ { flush(); next }
/^#: (choice|predict|why|after|asked)/ { flush(); sub(/^#: [a-z]+ /, ""); print; next }
/^#:|^##/ { flush(); next }
/^# [A-Z][a-z]*: / { flush(); sub(/^# /, ""); text = $0; next }
/^# learned: / { flush(); sub(/^# learned: /, ""); print; next }
/^#$/ { flush(); next }
/^# / { if (/^#     /) next; sub(/^# /, ""); text = text " " $0; next }
{ flush() }
match($0, /[ \t]# /) { print substr($0, RSTART + 3) }
END { flush() }
EOF
cat > "$work/strategies.awk" <<'EOF'
function flush() { if (text ~ /[a-z]/) print text; text = "" }
FNR == 1 { flush() }
/^#   / { sub(/^# +/, ""); text = text " " $0; next }
/^# / { flush(); sub(/^# ([a-z_]+: )?/, ""); text = $0; next }
{ flush(); line = $0 }
/^(option|refuse) / { while (match(line, /"[^"]*"/)) { print substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) } }
match(line, /[ \t]# /) { print substr(line, RSTART + 3) }
END { flush() }
EOF
sources() { find src shell -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort; }
text() {
	case $1 in
	comments) sources | xargs awk -f "$work/comments.awk" ;;
	help | messages) sources | grep '[.]c$' | xargs awk -v kind="$1" -f "$work/strings.awk" ;;
	docs) find . -name '*.md' ! -path './build*' -exec awk -f "$work/pages.awk" {} + ;;
	glossary) awk -f "$work/glossary.awk" docs/help/glossary.txt ;;
	lessons) awk -f "$work/lessons.awk" lessons/*.rsh ;;
	strategies) awk -f "$work/strategies.awk" strategies/*.rsh strategies/*/*.rsh ;;
	esac | sed 's/`[^`]*`/`x`/g; s/\[\([^]]*\)\]([^)]*)/\1/g; s/\\n/ /g; s/\\./ /g; s/%[-+0-9.*]*[a-z]*/ x /g; s/  */ /g; s/^ //'
}

# limits: WORD LEAST MOST, per 10,000 words; `told` counts told, nobody and whoever; sentence: mean words; long: %
# above 30 words; persons: paragraphs with he or his
limits='behind 0 3
stands 0 3
what 0 40
where 0 25
which 0 45
told 0 3
who 0 6
of 0 290
if 35 9999
sentence 0 20
long 0 5'
# Kinds that are still outside a limit must not get worse. Tighten a row, or remove it, when its
# texts have been rewritten.
not_yet='messages if 11'
cat > "$work/count.awk" <<'EOF'
{
	line = tolower($0)
	if (line ~ /(^|[^a-z])(he|his|him)([^a-z']|$)/) count["persons"]++
	gsub(/(e\.g|i\.e|et al|cf|vs|no|fig|sec)\. /, "eg ", line)
	parts = split(line, sentence, /[.!?]( |$)/)
	for (p = 1; p <= parts; p++) {
		in_this = 0; rest = sentence[p]
		while (match(rest, /[a-z][a-z'-]*/)) {
			word = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
			if (word ~ /^(nobody|whoever)$/) word = "told"
			count[word]++; words++; in_this++
		}
		if (in_this > 2) { sentences++; in_sentences += in_this; if (in_this > 30) long++ }
	}
}
END {
	if (words < 1000) { print "FAIL " kind ": " words + 0 " words: too few were read"; exit }
	n = split(not_yet, row, /[|\n]/)
	for (i = 1; i <= n; i++) { split(row[i], field, " "); if (field[1] == kind) today[field[2]] = field[3] }
	n = split(limits "\npersons 0 1", row, "\n")
	for (i = 1; i <= n; i++) {
		split(row[i], field, " "); name = field[1]
		rate = name == "sentence" ? in_sentences / sentences : name == "long" ? 100 * long / sentences : name == "persons" ? count[name] + 0 : count[name] * 10000 / words
		if (name in today) { if (field[2] > 0) field[2] = today[name]; else field[3] = today[name] }
		shown = shown sprintf(" %s %.1f", name, rate)
		if (rate < field[2] || rate >= field[3]) bad = bad sprintf(" %s %.1f (%s)", name, rate, field[2] > 0 ? "above " field[2] : "below " field[3])
	}
	printf "%s %s: %d words,%s%s\n", bad == "" ? "ok" : "FAIL", kind, words, shown, bad == "" ? "" : "; beyond its limit:" bad
}
EOF
if [ $# -gt 0 ]; then
	text "$1"
	exit
fi
for kind in comments docs help messages glossary lessons strategies; do
	text "$kind" > "$work/text"
	awk -v kind="$kind" -v limits="$limits" -v not_yet="$not_yet" -f "$work/count.awk" "$work/text"
done
