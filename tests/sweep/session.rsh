# what the sweep runs: memory, copies each way, kernels, a graph, meetings, values; then all of it anew
tensor x[64,64] = 1
tensor h[64,64] host = 2
tensor p[64,64] pinned = 3
stream io priority=high
stream aside kind=host
copy h -> p on aside
wait aside on io
copy p -> x on io
copy x -> h on io
wait io
tensor t[64,64] = 1
copy x[:, 0:8] -> t[:, 8:16]
y = matmul x t
z = relu y
allreduce z
capture step { c = scale z 2; d = add c z }
launch step
launch step
together { send x[0] to=1-rank; recv t[0] from=1-rank }
spin 3us
sync
print z[0,0:4]
stats # owes an answer: all before it has run
reset
tensor q[4] = rank + 1
allreduce q
print q
stats # owes an answer: all before it has run
reset
tensor q[4] = rank + 1
allreduce q
print q
stats # owes an answer: all before it has run
reset
tensor q[4] = rank + 1
allreduce q
r = scale q 2
print r
say "the end"
