# experts: bytes equal formulas; an overloaded expert makes others wait; refusals
# ranks 4
# four alltoalls of tokens and one of counts in a block; all gradients but the experts' are averaged,
# in small messages, which take a tree: ranks 1 and 2 send them twice, the ends of the tree once
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4
strategy experts
run 1
sync
expect count(alltoall) == 2*5
let bytes_sent = sent(nvlink)
all = add routed routed;  all = sub all routed;  allreduce all;  sync
let stays = routed[rank];  let go = sum(routed)-stays;  let come = all[rank]-stays
expect bytes_sent == (2*go+2*come)*16*4B + 2*3*4B + (1+min(rank,3-rank))*(2*16*16+8*16+2*(4*16*16+16*4))*4B
# with a capacity of 1.25 each rank has ceil(1.25*16*2/4) = 10 places at each expert: padding travels, no counts do
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=16 experts=4 capacity=1.25
strategy experts
run 1
sync
expect count(alltoall) == 2*4
expect sent(nvlink) == 2*4*3*10*16*4B + (1+min(rank,3-rank))*(2*16*16+8*16+2*(4*16*16+16*4))*4B

# ---- a router that sends all to expert 0, as its probabilities are equal and the first counts: rank 0 computes for all ----
model gpt layers=1 hidden=128 heads=4 seq=32 batch=16 vocab=16 experts=4 top=1 optimizer=sgd
strategy experts
step 2
fill router1 0 on compute
run 1
sync
expect routed[0] == 4*32 and sum(routed) == 4*32
@0 expect stall(peer) < 0.05
@1-3 expect stall(peer) > 0.3
# with a capacity it computes no more than the others: nobody waits, three of four tokens are dropped
model gpt layers=1 hidden=128 heads=4 seq=32 batch=16 vocab=16 experts=4 top=1 optimizer=sgd capacity=1
strategy experts
step 2
fill router1 0 on compute
run 1
sync
expect dropped[0] == 3*32 and sum(dropped) == 3*32
expect stall(peer) < 0.05

# ---- what is refused, with nothing changed ----
expect error "experts=6 does not divide by ep=4; the nearest that fits: 4 and 8" { model gpt experts=6;  strategy experts }
expect error "this model has no experts: `model gpt experts=4`" { model gpt;  strategy experts }
expect error "an mlp has no experts: `model gpt experts=4`" { model mlp;  strategy experts }
expect error "an mlp has no experts: `model gpt experts=2`" { model mlp;  strategy experts=1 + ddp=4 }
expect error "model mlp has no option 'experts'" { model mlp experts=4 }
expect error "top=5: a token goes to at most experts=4" { model gpt experts=4 top=5 }
expect error "capacity=0: at least 0.01" { model gpt experts=4 capacity=0 }
expect error "capacity=any: none or a number was expected" { model gpt experts=4 capacity=any }
expect error "balance_loss=-1" { model gpt experts=4 balance_loss=-1 }
expect error "batch=6 does not divide into 4 parts; with a capacity all parts need equally many rows: batch=4 and batch=8 fit" { model gpt experts=4 batch=6 capacity=1;  strategy experts }
expect error "`strategy ddp` trains such a model" { model gpt experts=4;  strategy dataparallel }
expect error "in a pipeline the tokens per expert must not depend on the data" { model gpt experts=4;  strategy pipeline=2 + experts=2 }
