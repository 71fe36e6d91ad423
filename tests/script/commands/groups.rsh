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
expect error "the sizes multiply to 3, and there are 4 ranks" { mesh a=3 }
expect error "'dp' is a group already" { mesh dp=4 }
expect error "rank 1 stands in two of its parts" { group both 0-1 1-2 }
expect error "'odd' is a group already" { group odd 0-1 }
expect error "no rank 9" { group far 0-9 }
expect error "no stream or group 'nothing'" { use nothing }
