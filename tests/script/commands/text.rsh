# a text file as numbers of its characters, sorted by code point: newline 0, blank 1, " 2, # 3
tensor text pinned = load tests/script/commands/text.rsh
expect text[0] == 3
expect text[1] == 1
expect text[94] == 0
tensor ids[8] i32
copy text[0:8] -> ids
expect ids[0] == 3
expect ids[3] == 1
expect error "commands is not a regular file" { tensor none = load tests/script/commands }
expect error "/dev/null is not a regular file" { tensor none = load /dev/null }
expect error "no_such_file.txt: No such file" { tensor none = load tests/script/commands/no_such_file.txt }
