# gossip: the mean of a rank and two neighbours; ddp delay=1: gradients travel during the next step
# ranks 4
model mlp layers=2 hidden=16 batch=24 lr=1e-30
strategy gossip
step 2
fill w1 rank on compute
run 1
expect abs(w1[3,5]-((rank-1)%4+rank+(rank+1)%4)/3) < 1e-6
model mlp layers=2 hidden=16 batch=24 lr=1e-30 dtype=bf16
strategy gossip every=2 accumulate=2
step 2
fill w1_f32 rank on compute
run 1
expect abs(w1_f32[3,5]-((rank-1)%4+rank+(rank+1)%4)/3) < 1e-6 and abs(w1[3,5]-w1_f32[3,5]) < 0.01
expect count(sendrecv) == 4
run 1
expect count(sendrecv) == 4

## bytes: twice the parameters, whatever n
model mlp layers=4 hidden=64 batch=512
strategy gossip
run 4
expect sent("nvlink out") == 4*2*4*64*64*4B
verify
strategy ddp bucket=16k delay=1
run 8
expect sent("nvlink out") == 8*2*3/4*4*64*64*4B
verify
model gpt layers=2 hidden=32 heads=4 seq=16 batch=6
strategy ddp=2 delay=1 hook=int8 + tp=2
run 2
expect error "delay=1 works with ddp alone" { strategy ddp=2 delay=1 + zero=2 }
expect error "gossip averages whole parameters" { strategy gossip=2 + fsdp=2 }
strategy gossip=2 + tp=2
run 2
verify
