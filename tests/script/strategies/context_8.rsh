# context as one of three axes, and both of its ways at once
# ranks 8
model gpt layers=2 hidden=16 heads=8 seq=16 batch=4 vocab=32
data synthetic count=400
strategy ddp=2 + context=2 + tp=2
verify iterations=2
expect races == 0
strategy fsdp=2 + context=2 kind=ulysses + tp=2 sequence=on
verify iterations=2
strategy context ring=2 ulysses=4
verify iterations=2
expect races == 0
strategy ddp=2 + pipeline=2 micro=2 + context=2
verify iterations=2
expect races == 0
strategy zero=2 + context=2 balance=off + tp=2 dtype=bf16 accumulate=2
verify iterations=2
