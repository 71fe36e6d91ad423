# settings of all ranks: refused for some ranks or unequal values; endless files are not read
# ranks 2 4
expect error "the machine, but for `slow 2x`, is one for all ranks: `set` without @" { @1 set launch=1us }
expect error "the machine, but for `slow 2x`, is one for all ranks: `machine` without @" { @0 machine dgx-h100 }
expect error "the pace is one for all ranks" { @0 pace 1s }
set launch=1us
expect error "training is one for all ranks: `run` without @" { @1 run 1 }
expect error "training is one for all ranks: `run` without @, and not after `use` or in an `if` of some ranks" { if rank == 0 { run 1 } }
expect error "training is one for all ranks: `step`" { @0 step }
expect error "training is one for all ranks: `loader`" { @1 loader workers=2 }
expect error "training is one for all ranks: `checkpoint`" { @0 checkpoint to=x }
expect error "training is one for all ranks: `model`" { @0 model gpt }
expect error "training is one for all ranks: `data`" { @0 data synthetic }
expect error "training is one for all ranks: `strategy`" { @1 strategy tp }
expect error "training is one for all ranks: `verify`" { use @0; verify }
expect error "training is one for all ranks: `program`" { @1 program x.rsh }
expect error "loader: workers=(rank+1) must be equal on all ranks: rank 1 has another value than rank 0" { loader workers=(rank+1) }
expect error "checkpoint: every=(rank+1) must be equal on all ranks" { checkpoint every=(rank+1) to=x }
expect error " must be equal on all ranks" { checkpoint to=r$(rank) }
expect error "run: (rank+1) must be equal on all ranks" { run (rank+1) }
expect error "verify: iterations=rank must be equal on all ranks" { verify iterations=rank }
expect error "set: launch=rank*1us must be equal on all ranks" { set launch=rank*1us }
expect error "model: hidden=8*(rank+1) must be equal on all ranks" { model mlp hidden=8*(rank+1) }
expect error " must be equal on all ranks" { mark m$rank }
let two = rank*0+2  # by rank, and alike
set launch=two*1us
expect error "/dev/zero is not a regular file" { source /dev/zero }
expect error "/dev/zero is not a regular file" { program /dev/zero }
say "all refused"
#> all refused
