# micro_batches: the rows in a rank's micro-batch, and the weight of its mean in the batch's mean.
# The batch has `replicas` parts; this rank has part `replica`, which `micros` micro-batches share.
# An axis that splits the batch sets    let replica = replica*size(X)+X;  let replicas = replicas*size(X)
let replicas = 1;  let replica = 0;  let micros = 1;  let per_round = 1;  let weigh = 0;  let uneven = 0
let length = seq;  let tokens_here = 0      # this rank has `length` tokens per sequence; between units: [tokens_here,columns]
let data_space = "pinned";  let store = "";  let base = 0  # the data's memory; the tensor a micro-batch is read from, which starts at base
let first = 0;  let rows = 0;  let share = 1;  let at = 0;  let fresh = 1;  let last = 1;  let taken = 0
def cut_batch {
  let fits = replicas*micros;  let wants = "batch=$batch on $replicas ranks"
  if micros > 1 { let wants = "batch=$batch on $replicas ranks, $micros micro-batches each" }
  refuse batch < fits "$wants, which leaves some without a row; batch=$fits fits"
  let uneven = batch%fits != 0;  let weigh = micros > 1 or uneven
}
# Micro-batch k in iteration i: `rows` rows of the batch from `first`, at `at` in the data.
def find_rows i k {
  let first = (replica*micros+k)*batch//(replicas*micros);  let rows = (replica*micros+k+1)*batch//(replicas*micros)-first
  let at = (i%((samples-ahead)//(batch*seq))*batch+first)*seq
}
# `share`: the weight of micro-batch k's mean in the rank's mean.
def take k {
  find_rows it k;  let share = rows*replicas/batch;  count_tokens
  let taken = k;  let fresh = k == 0;  let last = k == micros-1
}
def count_tokens { let tokens_here = rows*length }

# The loss, or the weighted sum over micro-batches, and its gradient.
let losses_seen = 0                         # in this iteration: a schedule may begin with another micro-batch than 0
def count_loss kernel y t m {
  if weigh { one_loss kernel l_$m y t } else { one_loss kernel loss y t }
  if weigh and losses_seen == 0 { loss = scale l_$m share } else { if weigh { loss += scale l_$m share } }
  let losses_seen = (losses_seen+1)%micros
  if weigh { free l_$m }
}
# override points: masked.rsh replaces them if some rows are ignored
let masked = 0
def one_loss kernel l y t { l = $kernel y t }
def one_gradient_of_loss kernel dy y t { dy = $(kernel)_grad y t }
def count_everywhere n { }                  # sums `n`, counted in this rank's rows, over the ranks that have other rows
def count_gradient kernel dy y t {
  one_gradient_of_loss kernel dy y t
  if weigh or factor != 1 { dy = scale dy share*factor }
}
