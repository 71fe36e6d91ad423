# what is one for all ranks is not set by some of them; a file that may have no end is not read
# ranks 2 4
expect error "the machine is one for all ranks: `set` without @" { @1 set launch=1us }
expect error "the machine is one for all ranks: `machine` without @" { @0 machine dgx-h100 }
set launch=1us
expect error "/dev/zero is not a regular file" { source /dev/zero }
expect error "/dev/zero is not a regular file" { program /dev/zero }
say "all refused"
#> all refused
