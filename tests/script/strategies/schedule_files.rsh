# schedule=F.csv: PyTorch's format, 2 stages a rank in a V; trains as one rank, in the papers' time
model gpt layers=8 hidden=16 heads=4 seq=8 batch=9 vocab=32 tied=on
strategy pipeline schedule=zb-v-4.csv micro=8 chunks=2
verify iterations=2
model mlp layers=9 hidden=16 batch=16
strategy pipeline schedule=dualpipe-v-4.csv micro=8 chunks=2 accumulate=2
verify iterations=2
# F, B and W equally long, 3 ms a part: zb-v's stages never stand still; dualpipe-v loses (p-1)(F+B-2W) of time, B of both gradients
strategy pipeline schedule=zb-v-4.csv micro=8 chunks=2 F=6ms B=6ms W=6ms
set launch=0us
run 1;  sync
expect bubble < 0.1%
expect time < 8*18ms+3*3ms+0.1ms
expect races == 0
strategy pipeline schedule=dualpipe-v-4.csv micro=8 chunks=2 F=6ms B=6ms W=6ms
set launch=0us
run 1;  sync
expect abs(time-(8*18ms+3*(3ms+6ms-6ms))) < 0.1ms
expect abs(bubble-9/153) < 0.0001
schedule zb-v-4.csv micro=8 chunks=2
expect piece(0) == rank and piece(1) == 7-rank and holder(7) == 0 and its_chunk(7) == 1 and slots == 51
expect error "zb-v-4.csv has 8 micro-batches: micro=8" { schedule zb-v-4.csv micro=4 chunks=2 }
expect error "zb-v-4.csv has 2 stages a rank: chunks=2" { schedule zb-v-4.csv micro=8 }
expect error "zb-v-8.csv has 8 rows, but the pipeline has 4 ranks" { schedule zb-v-8.csv micro=16 chunks=2 }
expect error "none.csv: No such file" { strategy pipeline schedule=none.csv micro=8 chunks=2 }
expect error "is none of" { strategy pipeline schedule=none.txt }
# the program before stands, and so does its schedule
expect piece(1) == 7-rank
