# unequal parts: 5 rows on 4 ranks are 2, 2, 1 and 0
tensor w[5,3] = iota
tensor k[5,3] = rank + 1
G = mul w k
g = reducescatter G
sync
@0-2 print g
sync
#> [0] g [2,3] =
#>        0 10 20
#>       30 40 50
#> [1] g [2,3] =
#>        60  70  80
#>        90 100 110
#> [2] g [1,3] =
#>       120 130 140
W = allgather g rows=5
print W
#> [0-3] W [5,3] =
#>           0  10  20
#>          30  40  50
#>          60  70  80
#>          90 100 110
#>         120 130 140

# fewer rows than ranks
a = reducescatter G[0:2] op=avg
sync
@0-1 print a
sync
#> [0] a [1,3] =
#>         0 2.5   5
#> [1] a [1,3] =
#>        7.5   10 12.5
A = allgather a rows=2
print sum(A)
#> [0-3] sum(A) = 37.5

# a group's parts differ in size; a result may be a slice of what is there, or a graph's
group odd 0-2 3
b = reducescatter G op=max in odd
print sum(b)
#> [0] sum(b) = 45
#> [1] sum(b) = 153
#> [2] sum(b) = 117
#> [3] sum(b) = 420
B = allgather b rows=5 in odd
tensor many[9,3] = 7
many[2:7] = allgather g rows=5
capture again { p = reducescatter G;  P = allgather p rows=5 }
launch again
print sum(B) sum(many) sum(P)
#> [0-2] sum(B) = 315
#>       sum(many) = 1134
#>       sum(P) = 1050
#> [3] sum(B) = 420
#>     sum(many) = 1134
#>     sum(P) = 1050

# several at once, of unlike parts
tensor k7[7] = rank
g7 = reducescatter k7 op=max
stream at_once
wait default on at_once
together on at_once { W = allgather g rows=5;  W7 = allgather g7 rows=7 }
q7 = allgather g7 rows=7
wait at_once on default
d = sub W P
print norm(d) sum(W7) sum(q7)
#> [0-3] norm(d) = 0
#>       sum(W7) = 21
#>       sum(q7) = 21

# all ranks give the same rows, and bring their parts of them
expect error "allgather: g is [1,3]: with rows=7 place 2 of 4 brings 2 rows, as in [2,3]" { V = allgather g rows=7 }
expect error "allgather: g is [2,3]: with rows=3 place 0 of 4 brings 1 row, as in [1,3]" { V = allgather g rows=3 }
expect error "rows" { V = allgather g rows=-1 }
expect error "rows" { V = allgather g rows=2.5 }
expect error "reducescatter has no option 'rows'" { V = reducescatter G rows=5 }

# fully sharded data parallelism of w [5,3] by hand, against all rows on one rank; the numbers are whole, so the order of sums is none
tensor X[4,5] T[4,3] = iota
tensor first[5,3] = 0.5
alone = scale first 1
for step in 0:2 {
  y = matmul X alone
  dy = sub y T
  dw = matmul X.T dy
  sgd alone dw lr=0.001953125
}

p = reducescatter first op=max
for step in 0:2 {
  whole = allgather p rows=5
  y = matmul X[rank:rank+1] whole
  dy = sub y T[rank:rank+1]
  d = matmul X.T[:, rank:rank+1] dy
  dp = reducescatter d
  sgd p dp lr=0.001953125
}
trained = allgather p rows=5
d = sub trained alone
sync
print norm(d) sum(alone)
#> [0-3] norm(d) = 0
#>       sum(alone) = 83.9881
