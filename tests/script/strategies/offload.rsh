# offload trains as one rank: parameters, gradients, optimizer state in host memory or on disk
# ranks 2 3
model gpt layers=2 hidden=24 heads=4 seq=8 batch=12 dtype=bf16 optimizer=adam
strategy zero stage=1 offload=nvme
verify iterations=2
strategy zero stage=2 offload=optimizer:host,gradients:nvme accumulate=1
verify iterations=2
strategy zero stage=3 offload=optimizer:nvme,params:host
verify iterations=2
strategy fsdp offload=optimizer:nvme,params:nvme,gradients:nvme prefetch=2
verify iterations=3
expect races == 0
strategy fsdp offload=optimizer:host,params:nvme prefetch=0 wrap=layer recompute=full
verify iterations=2
expect races == 0
# of f32 the parameters are the masters; what is held back for the norm; what is left out for an overflow
model mlp layers=5 hidden=17 batch=12 optimizer=adam clip=0.1
strategy zero stage=2 offload=optimizer:nvme,gradients:host
verify iterations=2
strategy fsdp offload=optimizer:nvme,params:host accumulate=2
verify iterations=2
strategy fsdp offload=optimizer:nvme,params:nvme reshard=off wrap=model
verify iterations=2
expect races == 0
model mlp layers=5 hidden=17 batch=12 dtype=f16 loss_scale=dynamic init_scale=512
strategy fsdp offload=optimizer:nvme,params:nvme,gradients:host
verify iterations=2
expect races == 0
