# print: tensors, slices, expressions, several at once; host memory too
tensor x[3,4] = iota
tensor h[4] pinned = 2
tensor i[2,2] i32 = 7
y = add x x
print y
#> [0-3] y [3,4] =
#>          0  2  4  6
#>          8 10 12 14
#>         16 18 20 22
print y[1] y[0,0] 1+2 "so"
#> [0-3] y[1] = 8 10 12 14
#>       y[0,0] = 0
#>       1+2 = 3
#>       so
print h
#> [0-3] h = 2 2 2 2
print i
#> [0-3] i [2,2] =
#>         7 7
#>         7 7
tensor big[20,20] = 1
print big
#> [0-3] big [20,20] =
#>         1 1 1 ... 1 1 1
#>         1 1 1 ... 1 1 1
#>         1 1 1 ... 1 1 1
#>         ...
#>         1 1 1 ... 1 1 1
#>         1 1 1 ... 1 1 1
#>         1 1 1 ... 1 1 1
tensor cube[2,2,2] = 3
print cube
#> [0-3] cube [2,2,2] =
#>         [0]
#>         3 3
#>         3 3
#>         [1]
#>         3 3
#>         3 3
print 20us 3MB 2GB/s
#> [0-3] 20us = 20 us
#>       3MB = 3 MB
#>       2GB/s = 2 GB/s
tensor last[2] = rank
print last
reset
#> [0] last = 0 0
#> [1] last = 1 1
#> [2] last = 2 2
#> [3] last = 3 3
say "an empty world comes after the prints"
#> an empty world comes after the prints
