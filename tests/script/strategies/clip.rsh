# clip: one norm over all ranks' gradients; each number counts once, on any rank and axis
# ranks 4
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32 tied=on optimizer=sgd clip=0.3
strategy serial
run 2
sync
@0 expect abs(gradient_norm[0]-0.795999) < 1e-5 and abs(clip_factor[0]-0.3/0.795999) < 1e-5
strategy ddp
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
strategy zero stage=2 accumulate=2
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
strategy fsdp offload=host
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5 and races == 0
strategy tp sequence=on
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
strategy pipeline schedule=zb-h1
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
strategy pipeline=2 + ddp=2
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
strategy zero=2 + tp=2
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
strategy pipeline=2 + fsdp=2
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5 and races == 0
strategy ddp=2 + fsdp=2 offload=host
verify iterations=2
expect abs(gradient_norm[0]-0.795999) < 1e-5
# a norm that is smaller is left as it is
strategy ddp=2 clip=3 + tp=2
run 2
sync
expect gradient_norm[0] < 3 and clip_factor[0] == 1
# of a scaled loss it is the norm of the true gradients
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32 dtype=f16 clip=0.1
strategy pipeline=2 + tp=2
verify iterations=2
expect abs(gradient_norm[0]-10.97) < 0.05
# experts are those of one rank each, all else is the same on all
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32 optimizer=sgd experts=4 clip=0.3
strategy experts
verify iterations=2
expect abs(gradient_norm[0]-11.448) < 1e-3
strategy ddp=2 + experts=2
verify iterations=2
model mlp layers=3 hidden=12 batch=9 clip=0.01
strategy dataparallel
verify iterations=2
expect error "clip=-1 is below 0" { model mlp clip=-1 }
