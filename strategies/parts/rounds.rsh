# rounds: attention by a ring: a rank keeps its queries, blocks of keys and values go round, while the one before is computed
#     n = 4      step 0          step 1          step 2          step 3
#     compute    K V of r        of r-1          of r-2          of r-3         o of each is merged with what is there, each
#     hops       r-1's comes     r-2's comes     r-3's comes                    weighed by its part of the softmax's sum (lse)
#     returns                    r's sets out    r-1's sets out                  backward: dK and dV of a block follow it, each rank
#                                                                                adds its own to them; after n hops they are home
# blocks, block: how many there are, and how many tokens of a sequence each has; spot: which is this rank's, in the group circle
if blocks > 1 { stream hops returns }
let keys = "";  let values = "";  let seen = 1;  let query = 0;  let key = 0
# step s: the block of the rank s places back; where it is, what it has to do with the queries; and the next one sets out
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
# the gradients of a block's keys and values travel behind it, each rank adds its own; the last hop brings them home
# in the model's type, as in NVIDIA's Transformer Engine: in f32 twice the bytes, and in bf16 on 8 ranks no nearer to one rank
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
