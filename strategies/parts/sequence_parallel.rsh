# sequence_parallel: tp's sequence parallelism (arXiv:2205.05198): each rank has 1/n of the tokens
# in norms and residuals. Before the first matrix of a pair (split by columns, then by rows) all
# tokens are gathered; after the second, a reduce-scatter leaves each rank its own tokens' sums.
let router_share = 1/ways
def norm y x { $(y)_part = layernorm x;  y = allgather $(y)_part in tp }
# After the matrices have read y, only the rank's own tokens stay; with recomputation (`drops`) none
# stay. Backward gathers all tokens again.
def norm_read y { free y;  if drops { free $(y)_part } }
def norm_again y x {
  if light { $(y)_part = layernorm x kind=activation }
  y = allgather $(y)_part in tp kind=activation;  free $(y)_part
}
def norm_backward dx dy x { $(dy)_part = reducescatter dy in tp;  replaced dx $(dy)_part x;  free $(dy)_part }
def input_gradient_made dx { }              # norm_backward sums dx over tp
def by_rows y x w { $(y)_part = matmul x w;  y = reducescatter $(y)_part in tp;  free $(y)_part }
def by_rows_backward dx dy x w inputs weights {
  if inputs { $(dy)_whole = allgather dy in tp }
  replaced dx $(dy)_whole x w inputs weights
  if weights { free $(dy)_whole }
}
# experts
def tokens_of y x to { $(y)_part = unpermute x to;  y = reducescatter $(y)_part in tp;  free $(y)_part }
def rows_of_gradient x dy to { $(dy)_whole = allgather dy in tp;  replaced x $(dy)_whole to;  free $(dy)_whole }

# ---- the first and last unit use all tokens, in separate tensors: x0_all0 is x0_0 of all ranks ----
def input_room m { replaced all$m }
def target_room m { replaced all$m }
def read_input m { replaced all$m }
def read_target m { replaced all$m }
def forward u m {
  if u == last_unit { x$(last_unit-1)_all$m = allgather x$(last_unit-1)_$m in tp }
  if u == 0 or u == last_unit { replaced u all$m } else { replaced u m }
  if u == 0 { own_tokens x0_$m x0_all$m activation }
}
def backward u m inputs weights {
  if u == 0 and weights { dx0_all$m = allgather dx0_$m in tp;  free dx0_$m }
  if u == 0 or u == last_unit { replaced u all$m inputs weights } else { replaced u m inputs weights }
  if u == last_unit and inputs {
    free x$(last_unit-1)_all$m;  own_tokens dx$(last_unit-1)_$m dx$(last_unit-1)_all$m activation_gradient
  }
}
def own_tokens y whole kind { own_block = shard whole in tp;  y = cast own_block to=$dtype kind=$kind;  free whole }
def cut_batch {
  replaced
  let least_rows = batch//(replicas*micros);  let most_rows = least_rows+uneven
  let tokens = least_rows*length
  if tokens%ways == 0 { let tokens = most_rows*length }
  refuse tokens%ways != 0 "sequence=on: a micro-batch with $tokens tokens does not divide by tp=$ways"
}
def count_tokens { replaced;  let tokens_here = tokens_here//ways }
# Sets `apart`, where this rank's tokens begin in the tensor that dropout works on.
def locate u { replaced u;  if u > 0 and u < last_unit { let apart = tp*tokens_here*hidden } }
