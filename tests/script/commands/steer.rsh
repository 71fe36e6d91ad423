# slow, crash, set, machine, abort, stuck; which settings outlive a world
@2 slow 2x
mark slow
spin 1ms
sync
@2 expect time >= 2ms
@2 slow 1x
set launch=10us
mark quick
spin 1ms
sync
expect time == 1.01ms
expect error "a machine has no number 'nothing'" { set nothing=3 }
expect error "launch is a time" { set launch=3 }
expect error "no machine 'nothing'" { machine nothing }
expect error "the factor must be from 0.01x to 1000x" { slow 0 }
tensor g[4] = rank
@0-2 allreduce g
@0-2 sync
expect not stuck            # rank 3 could still come
abort world
sync
tensor h[4] = rank
allreduce h
sync
expect h[0] == 6
machine dgx-h100
spin 1ms
sync
@3 crash
spin 1ms
sync
# the machine outlives the world, and who is slow on it; another machine has nobody slow
machine classroom
set launch=10us
@1,2 slow 3x
reset
spin 1ms
sync
@0,3 expect time == 1.01ms
@1,2 expect time == 3.01ms
machine classroom
reset
spin 1ms
sync
expect time == 1.02ms
pace 1s
pace off
expect error "pace needs the wall time of a virtual millisecond" { pace 3 }

# where data cannot be read, the line that reads them first is offered as it runs
tensor row[4] at[1] i32 = 1
def shown of { say "$of" }
expect error "row[at[0]:2]: an index cannot depend on data; let i = at[0] first" { print row[at[0]:2] }
expect error "a name cannot depend on data; let a = at[0] first" { mark part$(at[0]) }
expect error "'norm(row)' reads data, and a def takes values; let a = norm(row) first" { shown norm(row) }
expect error "norm(): data cannot be read here; let a = norm(row) first" { z = full [norm(row)] 3 }
