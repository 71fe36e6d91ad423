# every collective, in place and with a result, on the world and on groups
tensor g[4] = rank
allreduce g
print g
#> [0-3] g = 6 6 6 6
a = allreduce g op=avg
tensor m[4] = rank
allreduce m op=max
tensor n[4] = rank+1
allreduce n op=min
print a m n
#> [0-3] a = 6 6 6 6
#>       m = 3 3 3 3
#>       n = 1 1 1 1
tensor b[2] = rank
broadcast b root=2
print b
#> [0-3] b = 2 2
tensor r[2] = rank
reduce r root=1
sync
@1 print r
#> [1] r = 6 6
sync
tensor s[2] = rank
t = allgather s
print t
#> [0-3] t = 0 0 1 1 2 2 3 3
u = reducescatter t
print u
#> [0] u = 0 0
#> [1] u = 4 4
#> [2] u = 8 8
#> [3] u = 12 12
v = gather s root=3
sync
@3 print v
#> [3] v = 0 0 1 1 2 2 3 3
sync
w = scatter t root=0
print w
#> [0] w = 0 0
#> [1] w = 1 1
#> [2] w = 2 2
#> [3] w = 3 3
k = alltoall t
print k
#> [0] k = 0 0 0 0 0 0 0 0
#> [1] k = 1 1 1 1 1 1 1 1
#> [2] k = 2 2 2 2 2 2 2 2
#> [3] k = 3 3 3 3 3 3 3 3
group pair 0-1 2-3
tensor q[2] = rank
allreduce q in pair
print q
#> [0,1] q = 1 1
#> [2,3] q = 5 5
p = allgather q in pair
print p
#> [0,1] p = 1 1 1 1
#> [2,3] p = 5 5 5 5
barrier
groups
#> world      0-3
#> pair       0,1 2,3
expect error "no group 'nothing'" { y = allreduce q in nothing }
expect error "allgather gives a result" { allgather q }
expect error "a first axis that 4 divides, as in [4]; unequal parts need send= and recv=" { y = alltoall q }
expect error "a first axis that 4 divides, as in [4]" { y = scatter q }
expect error "root=4: in the group, ranks are 0-3" { broadcast q root=4 }
expect error "'op=mean' is none of: sum" { allreduce q op=mean }
expect error "'algo=nothing' is none of: auto" { allreduce q algo=nothing }
tensor h[2] pinned = 1
expect error "h is in pinned host memory" { allreduce h }
tensor two[4,4] = 1
col = shard two dim=1
expect error "the elements of col are not contiguous" { allreduce col }
# gather, scatter and alltoall are made of sends and receives: there is no algorithm to choose, so they have no such option
expect error "gather has no option 'algo'" { t = gather q algo=ring }
expect error "scatter has no option 'algo'" { t = scatter q algo=tree }
expect error "alltoall has no option 'algo'" { t = alltoall q algo=ring }
