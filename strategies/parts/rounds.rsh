# rounds: ring attention: a rank keeps its queries; blocks of keys and values go round while it
# computes with the block before
#     n = 4      step 0          step 1          step 2          step 3
#     compute    K V of r        of r-1          of r-2          of r-3         the o of each is merged, each
#     hops       r-1's arrives   r-2's arrives   r-3's arrives                  weighted by its part of the softmax's sum (lse)
#     returns                    r's leaves      r-1's leaves                    backward: dK and dV of a block follow it; each rank
#                                                                                adds its own; after n hops they are complete
# blocks: the number of blocks; block: a sequence's tokens in each; spot: this rank's block in the
# group circle
if blocks > 1 { stream hops returns }
let keys = "";  let values = "";  let seen = 1;  let query = 0;  let key = 0
# Step s: the block from the rank s places back: its buffer, its causal relation to the queries;
# sends the next one.
def find_block s k v {
  let from = (spot-s)%blocks;  let seen = striped or from <= spot
  let query = 0;  let key = from > spot;  if not striped { let query = spot*block;  let key = from*block }
  let keys = "$k";  let values = "$v";  if s > 0 { let keys = "keys$(s%2)";  let values = "values$(s%2)" }
  if s < blocks-1 {
    let b = (s+1)%2;  if s < 2 { tensor keys$b[rows*block,block_width] values$b[rows*block,block_width] $dtype kind=buffer }
    wait compute on hops;  go_round $keys keys$b $values values$b hops
  }
}
def go_round x to_x y to_y stream {
  together on $stream {
    sendrecv x -> to_x to=(spot+1)%blocks from=(spot-1)%blocks in circle
    sendrecv y -> to_y to=(spot+1)%blocks from=(spot-1)%blocks in circle
  }
}
def rounds o q k v {
  find_block 0 k v
  if blocks == 1 { o = attention q k v heads=few seq=block causal=1 }
  if blocks > 1 { o lse_$o = attention q k v heads=few seq=block causal=1 }
  for s in 1:blocks {
    wait hops on compute;  find_block s k v
    if seen {
      o_more lse_more = attention q $keys $values heads=few seq=block causal=1 query=query key=key
      attention_merge o lse_$o o_more lse_more;  free o_more lse_more
    }
  }
  free_blocks
}
def free_blocks { if blocks > 1 { free keys1 values1 };  if blocks > 2 { free keys0 values0 } }
# The gradients for a block's keys and values follow it; each rank adds its own; the last hop brings
# them back. They have the model's type, as in NVIDIA's Transformer Engine: f32 would double the
# bytes, and in bf16 on 8 ranks it is no closer to one rank's result.
def rounds_back dq dk dv do q k v o {
  find_block 0 k v
  if blocks == 1 { dq dk dv = attention_grad do q k v heads=few seq=block causal=1 } else {
    dq dkeys0 dvalues0 = attention_grad do q k v o lse_$o heads=few seq=block causal=1
    tensor dkeys1[rows*block,block_width] dvalues1[rows*block,block_width] $dtype kind=activation_gradient
    for s in 1:blocks {
      let a = s%2;  let b = 1-a;  wait compute on returns;  go_round dkeys$b dkeys$a dvalues$b dvalues$a returns
      wait hops on compute;  find_block s k v
      if seen {
        dq_more dk_more dv_more = attention_grad do q $keys $values o lse_$o heads=few seq=block causal=1 query=query key=key
        dq += dq_more;  free dq_more
      }
      wait returns on compute;  if seen { dkeys$a += dk_more;  dvalues$a += dv_more;  free dk_more dv_more }
    }
    let a = (blocks-1)%2;  wait compute on returns;  go_round dkeys$a dk dvalues$a dv returns
    wait returns on compute;  free dkeys0 dvalues0 dkeys1 dvalues1 lse_$o
  }
  free_blocks
}
