#!/bin/sh
# stacks.sh -- a stack of strategies in one line: the order in which files are read, the mesh,
# which strategy an option belongs to, and lines that make no sense
. tests/script/lib.sh
cd "$work" || exit 1

own_files
sed -i 's/option batch=8/option batch=16/' line.rsh
# own NAME AXIS HEAD: a strategy that says its name when an iteration is over
own() {
	printf '# %s: says so\n# axis %s\n%s\noption loud=1 "of all"\noption own_%s=1 "of one"\ndef iteration { replaced;  say "%s $loud $own_%s" }\n' "$1" "$2" "$3" "$1" "$1" "$1" > "$1.rsh"
}
own a "ax: cut the rows" "# after by"
own b by ""
own c cz "# after ax by"
own d "ax: cut the rows" ""
own e by "# after cz"
own f cz "# after gw by"
own g gw "# after cz"

dry() { "$RANKSH" --dry -n 8 -c "model line.rsh; $1" > out 2>&1; }
read_as() { dry "strategy $1; run 1" && [ "$(grep -E '^[a-g] [0-9]+ [0-9]+$' out | tr '\n' ',')" = "$2" ]; }
check "each behind those that it names, else as written" read_as "c.rsh=2 + a.rsh=2 + b.rsh=2" "b 1 1,a 1 1,c 1 1,"
check "as written where nobody is named" read_as "d.rsh=2 + b.rsh=4" "d 1 1,b 1 1,"
check "a path takes a size as a name does" read_as "./d.rsh=2 + $work/b.rsh=4" "d 1 1,b 1 1,"
check "an option of one name is one, whoever is read first" read_as "a.rsh=2 loud=3 + b.rsh=4 own_b=2" "b 3 2,a 3 1,"
dry "strategy c.rsh=2 + a.rsh + b.rsh=2; step 1; groups"
check "the mesh has the order written, and one size is worked out" [ "$(grep -A3 '^world' out | tr -s ' \n' ' ')" = "world 0-7 cz 0,4 1,5 2,6 3,7 ax 0,2 1,3 4,6 5,7 by 0,1 2,3 4,5 6,7 " ]
dry "strategy a.rsh=2 hidden=32 + b.rsh=4; run 1; tensors; strategy b.rsh; run 1; tensors"
check "an option that only the model has is the model's" grep -q "w *\[32,32\]" out
check "... for this program alone" grep -q "w *\[8,8\]" out
"$RANKSH" -n 4 -c "model line.rsh; strategy mean.rsh batch=8 hidden=16; run 1; verify" > out 2>&1
check "verify's one rank has it too" grep -q "w  *\[16,16\]" out
"$RANKSH" -n 1 a.rsh loud=much > out 2>&1
check "a value of the command line that does not fit: the option's line, once" grep -qx "a.rsh:4: the command line: loud=much: a number was expected, as in the default 1" out

# links MACHINE LINE WORDS: by which links neighbours along each axis reach each other
links() {
	"$RANKSH" --dry -n 16 --machine "$1" -c "model line.rsh; strategy $2" > out 2>&1
	check "links: $3" grep -qxF "   $3" out
}
links dgx-h100-2 "b.rsh=2 + a.rsh=2 + c.rsh" "mesh by=2 ax=2 cz=4: ax and cz within nvlink, by over the adapters"
links pcie-4gpu "b.rsh=2 + a.rsh=2 + c.rsh" "mesh by=2 ax=2 cz=4: cz over pcie, by and ax over the adapters"
links dgx-h100-2 "b.rsh=16 + a.rsh" "mesh by=16 ax=1: by over nvlink and the adapters"
check "no such line of one axis" [ "$("$RANKSH" --dry -n 16 -c "strategy ddp" | grep -c mesh)" = 0 ]

# bad LINE WORDS
bad() {
	dry "strategy b.rsh; expect error \"$2\" { strategy $1 }; run 1"
	check "refused: $1" [ $? = 0 ]
	check "the one before stays: $1" grep -q "^b 1 1" out
}
bad "a.rsh=2 + b.rsh=2 + e.rsh=2" "b.rsh and e.rsh both work on the axis by: use one of them"
bad "a.rsh=2 + d.rsh=4" "a.rsh and d.rsh both cut the rows over ax: use one of them"
bad "a.rsh=2 +b.rsh=4" "'+b.rsh=4': the + needs blanks around it: + b.rsh=4"
bad "a.rsh=2+ b.rsh=4" "'a.rsh=2+': the + needs blanks around it: a.rsh=2 +"
bad "a.rsh=2+b.rsh=4" "'a.rsh=2+b.rsh=4': the + needs blanks around it: a.rsh=2 + b.rsh=4"
bad "a.rsh=2 + a.rsh=4" "a.rsh is given twice, and both cut the rows over ax: give it once, as a.rsh=8"
bad "f.rsh=2 + g.rsh=4" "form a circle: f.rsh after g.rsh, g.rsh after f.rsh"
bad "a.rsh + f.rsh=2 + g.rsh=4" "form a circle: f.rsh after g.rsh, g.rsh after f.rsh"
bad "a.rsh=2 + b.rsh=2" "a.rsh=2 + b.rsh=2: the sizes multiply to 4, but there are 8 ranks"
bad "a.rsh=3 + b.rsh" "a.rsh=3 + b.rsh: 8 ranks are not divisible by 3: no size of b.rsh fits"
bad "./a.rsh=2 + b.rsh=2" "./a.rsh=2 + b.rsh=2: the sizes multiply to 4"
bad "./a.rsh=x + b.rsh=2" "./a.rsh=: the number of ranks on its axis was expected, 1 or more"
bad "a.rsh=1" "the sizes multiply to 1, but there are 8 ranks"
bad "a.rsh=999999 + b.rsh=999999 + c.rsh=999999" "there are 8 ranks"
bad "a.rsh + b.rsh" "a.rsh and b.rsh need sizes; one may be left out"
bad "a.rsh=2 own_b=1 + b.rsh=4" "a.rsh has no option 'own_b': it belongs to b.rsh: write it after that name"
bad "a.rsh hook=f16" "a.rsh has no option 'hook': it belongs to ddp"
bad "a.rsh own_x=3" "strategy a.rsh has no option 'own_x'; did you mean 'own_a'?"
bad "a.rsh=2 loud=1 + b.rsh=4 loud=2" "loud= follows a.rsh and b.rsh: give it once, it is one option"
bad "a.rsh=2 hidden=16 + b.rsh=4 hidden=32" "hidden= follows a.rsh and b.rsh"
bad "a.rsh=2 hidden=x + b.rsh=4" "model line.rsh: hidden=x: a number was expected"
bad "a.rsh=1 + b.rsh=1 + c.rsh=1 + g.rsh=1 + a.rsh=1 + a.rsh=1 + a.rsh=1" "at most 6 parts"
bad "a.rsh=2 + b.rsh=4 +" "a part of the line is missing after the +"
bad "+ b.rsh=8" "a strategy is missing next to the +"

# a line that is refused at the prompt is read once more for the journal: its own reason stays
echo 'strategy pipeline=2 schedule=1f1b + ddp=2 + tp=2 sequence=on' | one_process --dry -n 4 > out
check "a session says why too" grep -q "the sizes multiply to 8, but there are 4 ranks" out
