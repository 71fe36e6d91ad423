# group, mesh, use
mesh dp=2 tp=2
print dp tp size(tp)
#> [0] dp = 0
#>     tp = 0
#>     size(tp) = 2
#> [1] dp = 0
#>     tp = 1
#>     size(tp) = 2
#> [2] dp = 1
#>     tp = 0
#>     size(tp) = 2
#> [3] dp = 1
#>     tp = 1
#>     size(tp) = 2
tensor g[2] = rank
h = allreduce g in tp
i = allreduce g in dp
print h[0] i[0]
#> [0] h[0] = 1
#>     i[0] = 2
#> [1] h[0] = 1
#>     i[0] = 4
#> [2] h[0] = 5
#>     i[0] = 2
#> [3] h[0] = 5
#>     i[0] = 4
group odd 1,3 0,2
use odd
j = allreduce g
use world
print j[0]
#> [0,2] j[0] = 2
#> [1,3] j[0] = 4
groups
#> world      0-3
#> dp         0,2 1,3
#> tp         0,1 2,3
#> odd        1,3 0,2
use @1
print rank
#> [1] rank = 1
use @all
{
  use @2
  print rank
}
#> [2] rank = 2
stream s
use s
spin 1ms
use default
streams
#> [0-3] default    6 queued so far
#>       s          1 queued so far
expect error "the sizes multiply to 3, but there are 4 ranks" { mesh a=3 }
expect error "'dp' is already a group" { mesh dp=4 }
expect error "rank 1 is in two of its parts" { group both 0-1 1-2 }
expect error "'odd' is already a group" { group odd 0-1 }
expect error "no rank 9" { group far 0-9 }
expect error "no stream or group 'nothing'" { use nothing }

# by colour: ncclCommSplit. Each part of a group is split by itself, and a colour below 0 is in none
group acts by 0 in tp
group half by rank//2
group ends by (tp == 0) in dp
group three by 0-(rank == 2)
group none by -1
#>    none has no part: by -1 is below 0 on all these ranks, which means none
groups
#> world      0-3
#> dp         0,2 1,3
#> tp         0,1 2,3
#> odd        1,3 0,2
#> acts       0,1 2,3
#> half       0,1 2,3
#> ends       0,2 1,3
#> three      0,1,3
#> none       
k = allreduce g in ends
l = allreduce g in acts
print k[0] l[0]
#> [0] k[0] = 2
#>     l[0] = 1
#> [1] k[0] = 4
#>     l[0] = 1
#> [2] k[0] = 2
#>     l[0] = 5
#> [3] k[0] = 4
#>     l[0] = 5
expect error "no part of the group 'none' has ranks 0-3" { allreduce g in none }
expect error "no part of the group 'three' has rank 2 (ranks 0,1,3 have it: `@0,1,3 ...`)" { allreduce g in three }
expect error "has rank 2 (ranks 0,1,3 have it" { group four by 0 in three }
@0-2 group low by 7
groups
#> world      0-3
#> dp         0,2 1,3
#> tp         0,1 2,3
#> odd        1,3 0,2
#> acts       0,1 2,3
#> half       0,1 2,3
#> ends       0,2 1,3
#> three      0,1,3
#> none       
#> low        0-2
expect error "`in GROUP` follows `by COLOUR`" { group pair 0-1 2-3 in tp }
expect error "group needs RANKS, as `group pair 0-1 2-3`, or `by COLOUR`, as `group pair by rank//2`" { group pair }
expect error "or `by COLOUR`, as `group pair by rank//2`" { group pair by }
expect error "group needs RANKS" { group pair 0 by 2 }
expect error "by rank//2`, instead of 'foo'" { group pair foo }
expect error "by 2ms is not a whole number on rank 0" { group pair by 2ms }
expect error "by rank/2 is not a whole number on rank 1" { group pair by rank/2 }
expect error "no group 'foo'" { group pair by 0 in foo }
expect error " must be equal on all ranks: rank 1 has another value than rank 0" { group pair$rank by 0 }
expect error "'acts' is already a group" { group acts by 1 }
