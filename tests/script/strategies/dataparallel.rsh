# dataparallel trains as one rank; everything passes through rank 0
# ranks 1 2 3 4 8
model mlp layers=3 hidden=16 batch=24
strategy dataparallel
verify iterations=2
strategy dataparallel accumulate=1
run 1
model gpt layers=1 hidden=16 heads=2 batch=9 seq=8
strategy dataparallel
verify iterations=2
expect world == 1 or count(broadcast) > 0
strategy serial accumulate=2
verify iterations=2
