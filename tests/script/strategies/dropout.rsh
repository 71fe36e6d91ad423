# dropout: every strategy drops what one rank drops, however its data and model are split
# ranks 1 2 3 4
model gpt layers=4 hidden=24 heads=12 seq=6 batch=13 dropout=0.2
strategy ddp accumulate=2
verify iterations=2
strategy dataparallel
verify iterations=2
strategy zero stage=3
verify iterations=2
strategy fsdp wrap=layer
verify iterations=2
strategy tp accumulate=2
verify iterations=2
model gpt layers=4 hidden=24 heads=12 seq=6 batch=8 dropout=0.2 tied=on
strategy tp sequence=on accumulate=2
verify iterations=2
strategy pipeline micro=4 recompute=full
verify iterations=2
expect races == 0
strategy pipeline micro=4 schedule=zb-h2
verify iterations=2
expect races == 0
model mlp layers=9 hidden=24 batch=24 dropout=0.3
strategy dataparallel accumulate=2
verify iterations=2
strategy tp
verify iterations=2
strategy pipeline schedule=interleaved micro=12 chunks=2
verify iterations=2
strategy pipeline schedule=gpipe micro=3 recompute=full
verify iterations=2
# another iteration loses other elements, and other than another seed's
model mlp layers=2 hidden=8 batch=4 dropout=0.5 lr=1e-30
data synthetic count=4
strategy serial
run 1
use compute
let first = 0
@0 let first = loss[0]
run 1
@0 expect loss[0] != first
@0 expect abs(loss[0]-first) < 1
expect error "dropout=1 is not a share from 0 to below 1" { model mlp dropout=1 }
expect error "dropout=-0.1 is not a share from 0 to below 1" { model mlp dropout=-0.1 }
