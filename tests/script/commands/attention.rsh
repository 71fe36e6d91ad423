# attention by blocks of keys: rank r has block r of keys and values; the queries are the same
# ranks 1 3 4
let n = 4*world
tensor q[n,6] k[n,6] v[n,6] do[n,6] = randn seed=3
o lse = attention q k v heads=3 causal=1
dq dk dv = attention_grad do q k v heads=3 causal=1

kb = shard k;  vb = shard v
ob lb = attention q kb vb heads=3 causal=1 key=4*rank
parts = allgather ob;  sums = allgather lb
o1 = parts[0:n];  l1 = sums[0:n]
for r in 1:world { attention_merge o1 l1 parts[r*n:(r+1)*n] sums[r*n:(r+1)*n] }
expect close(o1, o) and close(l1, lse)

# with the whole's o and lse: dq is the sum of the blocks', dk and dv are theirs
dq1 dkb dvb = attention_grad do q kb vb o lse heads=3 causal=1 key=4*rank
allreduce dq1;  dk1 = allgather dkb;  dv1 = allgather dvb
sync
expect close(dq1, dq) and close(dk1, dk) and close(dv1, dv)
expect races == 0

# a block that nobody sees: 0 and -inf, in the time of a launch
o0 l0 = attention q k v heads=3 causal=1 key=n
expect norm(o0) == 0 and l0[n-1,0] == -inf

expect error "attention takes 3 tensors, not 2" { o = attention q k }
expect error "attention gives 1 or 2 results, not 3" { o l x = attention q k v }
expect error "attention_grad takes 4 or 6 tensors, not 5" { a b c = attention_grad q q q q q }
expect error "+= needs a kernel with one result, and attention gives 2" { o lse += attention q k v heads=3 }
expect error "attention_grad needs a number for each token and head" {
  a b c = attention_grad do q k v o lse heads=2
}
