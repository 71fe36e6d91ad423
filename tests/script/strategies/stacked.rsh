# tensor parallel within pairs, data parallel over them: two files on a mesh of 2 x 2, as one rank trains
# ranks 4
model mlp layers=4 hidden=24 batch=12
strategy ddp=2 + tp=2
verify iterations=3
expect races == 0
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32
strategy ddp=2 bucket=1k + tp=2
verify iterations=3
# a bucket holds this rank's parts of the gradients: of 16 x 16 by columns, half
expect bytes(dwq1) == 512 and bytes(dtable) == 2048
strategy ddp=2 accumulate=2 + tp=2
verify iterations=2
model gpt layers=2 hidden=16 heads=4 seq=8 batch=8 vocab=32 dtype=bf16 tied=on dropout=0.1
strategy ddp=2 + tp=2 sequence=on
verify iterations=2
model mlp layers=4 hidden=24 batch=12
strategy local=2 every=1 + tp=2
verify iterations=3
expect error "takes all ranks of the mesh" { strategy fsdp=2 + tp=2 }
expect error "takes all ranks of the mesh" { strategy tp=2 + zero=2 }
expect error "a pipeline stacks on nothing" { strategy ddp=2 + pipeline=2 }
