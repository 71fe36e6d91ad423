# hooks: ddp's gradients, compressed for the exchange: replaces g, a bucket or a shard, by its mean
# over dp. int8 and topk keep what they dropped in `error` for the next step (error feedback).
def reduce_bf16 g { reduce_f16 g }
def reduce_f16 g { small_$g = cast g to=$hook;  allreduce small_$g op=avg in dp;  g = cast small_$g to=$dtype }
# Each rank has its own scale, so an allreduce cannot add the numbers: they are gathered and added
# here. int8 is sent as bf16, which holds -127 .. 127 exactly: half the bytes of f32; real int8 is
# a quarter.
def reduce_int8 g {
  let n = bytes(error_$g)//4B
  error_$g += cast g to=f32
  code_$g scale_$g = quantize error_$g;  small_$g = cast code_$g to=bf16
  sent_$g = mul code_$g scale_$g;  error_$g = sub error_$g sent_$g
  all_$g = allgather small_$g in dp;  scales_$g = allgather scale_$g in dp
  numbers_$g = cast all_$g to=f32;  weights_$g = scale scales_$g 1/size(dp)
  table_$g = reshape numbers_$g [size(dp),n];  row_$g = reshape weights_$g [1,size(dp)]
  if not mixed { mean_$g = reshape g [1,n] }
  mean_$g = matmul row_$g table_$g
  if mixed { flat_$g = reshape mean_$g [n];  g = cast flat_$g to=$dtype }
}
# A bucket's k largest elements, as values and indices; the others accumulate in `error`.
def reduce_topk g {
  let n = bytes(error_$g)//4B;  let sends = max(1,min(n,n*k//1))
  error_$g += cast g to=f32;  size_$g = mul error_$g error_$g
  _ places_$g = topk size_$g k=sends;  column_$g = reshape error_$g [n,1];  values_$g = embed column_$g places_$g
  sent_$g = embed_grad values_$g places_$g rows=n;  column_$g = sub column_$g sent_$g
  all_$g = allgather values_$g in dp;  where_$g = allgather places_$g in dp
  list_$g = reshape all_$g [sends*size(dp),1];  mean_$g = embed_grad list_$g where_$g rows=n
  if not mixed { bar_$g = reshape g [n,1] }
  bar_$g = scale mean_$g 1/size(dp)
  if mixed { flat_$g = reshape bar_$g [n];  g = cast flat_$g to=$dtype }
}
