# save and load
tensor x[3,4] = iota
save x /tmp/ranksh-test-save.npy
#> [0] x [3,4] saved as /tmp/ranksh-test-save.npy
tensor y[3,4] = load /tmp/ranksh-test-save.npy
expect close(x, y)
tensor z[3,4] pinned bf16 = load /tmp/ranksh-test-save.npy
print z
#> [0-3] z [3,4] =
#>          0  1  2  3
#>          4  5  6  7
#>          8  9 10 11
expect error "q[4,4]: the file holds [3,4]" { tensor q[4,4] = load /tmp/ranksh-test-save.npy }
expect error "cannot be opened: No such file" { tensor q[4,4] = load /tmp/ranksh-test-none.npy }
expect error "/nowhere/x.npy cannot be written" { save x /nowhere/x.npy }
