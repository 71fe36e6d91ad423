# copy: every pair of memories, slices, and sizes that do not fit
tensor p[4,4] pinned = iota
tensor h[4,4] host = 1
tensor d[4,4] e[4,4] = 0
stream io
copy p -> d on io
sync
print d[3]
#> [0-3] d[3] = 12 13 14 15
copy d[0:2] -> e[2:4]
sync
print e
#> [0-3] e [4,4] =
#>         0 0 0 0
#>         0 0 0 0
#>         0 1 2 3
#>         4 5 6 7
copy h -> d
print d[0]
#> [0-3] d[0] = 1 1 1 1
copy d -> h
copy h -> p
sync
print p[0]
#> [0-3] p[0] = 1 1 1 1
tensor w[5] v[4,4] bf16 = 0
expect error "w is [5], d is [4,4]: a copy needs the same shape" { copy w -> d }
expect error "v is bf16, d is f32: a copy does not convert" { copy v -> d }
expect error "no tensor 'nothing'" { copy d -> nothing }
