# values that differ between ranks are shown by rank, equal ones once
print rank
#> [0] rank = 0
#> [1] rank = 1
#> [2] rank = 2
#> [3] rank = 3
print rank//2
#> [0,1] rank//2 = 0
#> [2,3] rank//2 = 1
tensor r[2] = rank
print r
#> [0] r = 0 0
#> [1] r = 1 1
#> [2] r = 2 2
#> [3] r = 3 3
@1,3 print r
#> [1] r = 1 1
#> [3] r = 3 3
@2 slow 3x
s = scale r 2
print s[1]
#> [0] s[1] = 0
#> [1] s[1] = 2
#> [2] s[1] = 4
#> [3] s[1] = 6
