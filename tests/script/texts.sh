#!/bin/sh
# texts.sh -- a text has at most 1 MB, however it grows. A longer one is refused, and nothing is
# lost.
. tests/script/lib.sh
cd "$work" || exit 1

grow='let a = "xxxxxxxx"; repeat 40 { let a = "$a$a" }'
too_long='is too long: a text has at most 1 MB (1048576 bytes)'
# refused NAME LINES
refused() {
	printf '%s\n' "$2" > lines.rsh
	within 60 "$RANKSH" -n 2 lines.rsh > out 2>&1 < /dev/null
	status=$?
	check "$1: status 2" [ $status = 2 ]
	check "$1: in words" grep -qF "$too_long" out
}
most='let a = "xxxxxxxx"; repeat 17 { let a = "$a$a" }'
refused "it doubles" "$grow"
refused "on one rank" "@1 { $grow }"
refused "by an argument" "def f t n { if n { f \"\$t\$t\" n-1 } }
f xxxxxxxx 40"
refused "said" "$most; say \"\$a\$a\""
refused "a name" "$most; tensor t\$a[4]"
refused "a chosen line" "$most; let w = \"say\"; \$w \"\$a\$a\""
refused "an option's words" "option b=1 least=1 \"columns\"
$most
refuse b \"\$a\$a\""
echo "$grow" > grow.rsh
refused "in a file" 'source grow.rsh'
{ printf 'let a = "'; head -c 1100000 /dev/zero | tr '\0' x; printf '"\n'; } > long.rsh
within 60 "$RANKSH" -n 2 long.rsh > out 2>&1
check "as it stands in a file: status 2" [ $? = 2 ]
check "as it stands in a file: in words" grep -qF "$too_long" out
echo "$most; say \"holds\"" > lines.rsh
within 60 "$RANKSH" -n 2 lines.rsh > out 2>&1
check "1 MB holds" grep -q holds out

# in a session: what came before the refused part stays, also when the line runs again
cat > lines <<'END'
let a = "xxxxxxxx"; let b = 7; repeat 40 { let a = "$a$a" }
spin 1us
undo
say "b is $b"
if a == "xxxxxxxx" { say "lost" } else { say "grown" }
let c = "$a$a"
END
one_process -n 1 < lines > out
check "a session goes on" grep -q 'b is 7' out
check "... with the last text that was not too long" grep -q grown out
check "... and refuses what it refused" [ "$(grep -cF "$too_long" out)" = 2 ]
