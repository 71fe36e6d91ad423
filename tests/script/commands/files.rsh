# save and load
tensor x[3,4] = iota
save x saved.npy
#> [0] x [3,4] saved as saved.npy
tensor y[3,4] = load saved.npy
expect close(x, y)
tensor z[3,4] pinned bf16 = load saved.npy
print z
#> [0-3] z [3,4] =
#>          0  1  2  3
#>          4  5  6  7
#>          8  9 10 11
expect error "q[4,4]: the file holds [3,4]" { tensor q[4,4] = load saved.npy }
expect error "cannot be opened: No such file" { tensor q[4,4] = load none.npy }
expect error "/nowhere/x.npy cannot be written" { save x /nowhere/x.npy }
expect error "needs a prompt" { source --step nosuch.rsh }
