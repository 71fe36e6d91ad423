# an in-place broadcast only reads at the root: a later write stays, the others get the old value
# ranks 4
# sim: on a GPU the kernel that writes may come first
stream one other
tensor x[2M] = rank
broadcast x root=1 on one
@1 { spin 0.5ms on other;  fill x 9 on other }
#>    race: `broadcast` on one reads x while `fill` on other writes it.
#>    `wait one on other` between the two puts them in order.                   [1]
sync
print x[0]
#> [0,2,3] x[0] = 1
#> [1] x[0] = 9
