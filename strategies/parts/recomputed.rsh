# recomputed: activations that forward frees and backward computes again. full: only the input to a
# unit pair (a gpt's block, two layers in an mlp) is kept
#     forward 1 2 | 3 4 | ...    backward   again 3 4, backward 4 3 | again 1 2, backward 2 1
# A dropout mask is reproduced from its seed. selective: the model frees and recomputes what takes
# few operations.
let light = recompute == "selective";  let full = recompute == "full";  let drops = light or full;  let again = 0
let unread = 0;  let pair_first = 0;  let pair_last = 0      # unread: the unit's output was already read the first time
def find_pair u {
  let pair_first = 0;  let pair_last = 0
  if u > 0 and u < last_unit { for c in 0:pieces { if low_$c <= u and u <= high_$c {
    let pair_first = max(u-1+u%2,low_$c);  let pair_last = min(u+u%2,high_$c,last_unit-1)
  } } }
}
def forget u m { find_pair u;  if pair_last > 0 { unit_forget u m;  if u > pair_first { free x$(u-1)_$m } } }
def compute_again u m {
  find_pair u
  if pair_last > 0 and u == pair_last {
    phase R$taken;  let again = 1;  let drops = 0
    for v in pair_first:u+1 { let unread = v == u;  forward v m }
    let again = 0;  let drops = 1;  let unread = 0
  }
}
