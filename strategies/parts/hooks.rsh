# hooks: ddp's buckets made smaller for the way, on the stream comm
# What int8 and topk leave out waits in `error` for the next step.
def exchange_bf16 i { exchange_f16 i }
def exchange_f16 i { small$i = cast bucket$i to=$hook;  allreduce small$i op=avg;  bucket$i = cast small$i to=$dtype }
# Each rank's numbers have a scale of their own, so they cannot be added on the way: all are gathered, and added here.
# int8 travels as bf16, which holds -127 .. 127 exactly: half of f32's bytes; real int8 is a quarter
def exchange_int8 i {
  let n = bytes(error$i)//4B
  error$i += cast bucket$i to=f32
  code$i scale$i = quantize error$i;  small$i = cast code$i to=bf16
  sent$i = mul code$i scale$i;  error$i = sub error$i sent$i
  all$i = allgather small$i;  scales$i = allgather scale$i
  numbers$i = cast all$i to=f32;  weights$i = scale scales$i 1/size(dp)
  table$i = reshape numbers$i [size(dp),n];  row$i = reshape weights$i [1,size(dp)]
  if not mixed { mean$i = reshape bucket$i [1,n] }
  mean$i = matmul row$i table$i
  if mixed { flat$i = reshape mean$i [n];  bucket$i = cast flat$i to=$dtype }
}
# the largest k of a bucket by size, as values and places; what is not sent waits in `error` until it has grown
def exchange_topk i {
  let n = bytes(error$i)//4B;  let sends = max(1,min(n,n*k//1))
  error$i += cast bucket$i to=f32;  size$i = mul error$i error$i
  _ places$i = topk size$i k=sends;  column$i = reshape error$i [n,1];  values$i = embed column$i places$i
  sent$i = embed_grad values$i places$i rows=n;  column$i = sub column$i sent$i
  all$i = allgather values$i;  where$i = allgather places$i
  list$i = reshape all$i [sends*size(dp),1];  mean$i = embed_grad list$i where$i rows=n
  if not mixed { bar$i = reshape bucket$i [n,1] }
  bar$i = scale mean$i 1/size(dp)
  if mixed { flat$i = reshape bar$i [n];  bucket$i = cast flat$i to=$dtype }
}
