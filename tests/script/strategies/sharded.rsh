# zero and fsdp train as one rank, with unequal parts
# ranks 1 2 3 4 8
model mlp layers=5 hidden=13 batch=25 optimizer=adam
data synthetic count=100
strategy zero stage=1
verify iterations=3
expect races == 0
strategy zero stage=2 accumulate=3
verify iterations=2
strategy zero stage=3
verify iterations=3
expect races == 0
strategy fsdp wrap=model reshard=off
verify iterations=2
strategy fsdp wrap=layer prefetch=2 accumulate=2
verify iterations=2
expect races == 0

strategy zero stage=2 offload=host
verify iterations=3
expect races == 0
strategy fsdp offload=host accumulate=2
verify iterations=2
expect races == 0

# two allgathers of the parameters and a reduce-scatter, each (n-1)/n of them: three groups of layers
model mlp layers=6 hidden=16 batch=16
strategy zero stage=3
run 1
sync
expect count(allgather) == 6 and count(reducescatter) == 3
let P = 6*16*16*4B      # bytes of the parameters
expect world == 1 or world == 3 or sent(nvlink) == 3*(world-1)/world*P          # 3 ranks: padded
strategy fsdp reshard=off
run 1
sync
expect count(allgather) == 3 and count(reducescatter) == 3
strategy zero stage=2 accumulate=2
run 1
sync
expect count(allgather) == 3 and count(reducescatter) == 3
let P = 6*16*16*4B
expect world == 1 or world == 3 or sent(nvlink) == 2*(world-1)/world*P

model gpt layers=2 hidden=12 heads=2 seq=5 batch=9 vocab=11 tied=on
data synthetic count=400
strategy zero stage=1
verify iterations=2
strategy fsdp wrap=layer
verify iterations=2
expect races == 0
model gpt layers=2 hidden=12 heads=2 seq=5 batch=9 vocab=11 dtype=bf16
data synthetic count=400
strategy zero stage=2
verify iterations=2
strategy zero stage=3
verify iterations=2
expect races == 0
# the optimizer's state is on the host; what the device keeps is a part of parameters and gradients
strategy zero stage=3 offload=host
verify iterations=2
expect races == 0
expect bytes(shard1) == bytes(dshard1) and bytes(host1_m) == 2*bytes(shard1)
expect error "no tensor 'shard1_m'" { peek shard1_m[0] }

expect error "'stage=4' is none of: 1 2 3" { strategy zero stage=4 }
expect error "leaves some without a row" { strategy fsdp accumulate=10 }
expect error "'wrap=something' is none of: layer block model" { strategy fsdp wrap=something }
