# micro_batches: the rows in a rank's micro-batch, and the factor on its mean loss.
# The batch has `replicas` parts; this rank has part `replica`, which `micros` micro-batches share.
# An axis that splits the batch sets    let replica = replica*size(X)+X;  let replicas = replicas*size(X)
# per_round: a pipeline's micro-batches per round; micros = per_round*accumulate
# length: tokens per sequence on this rank. tokens_here: tokens of its micro-batch; a tensor between
# two units is [tokens_here,columns]
# data_space: the data's memory. store: the tensor to read from ("": the data); its first sample is
# number `base` of the data
let replicas = 1;  let replica = 0;  let micros = 1;  let per_round = 1;  let weigh = 0;  let uneven = 0
let length = seq;  let tokens_here = 0
let data_space = "pinned";  let store = "";  let base = 0
let first = 0;  let rows = 0;  let share = 1;  let at = 0;  let fresh = 1;  let last = 1;  let taken = 0
def cut_batch {
  let fits = replicas*micros;  let wants = "batch=$batch in $replicas parts"
  if micros > 1 { let wants = "batch=$batch in $replicas parts of $micros micro-batches" }
  refuse batch < fits "$wants leaves some without a row; use at least batch=$fits"
  let uneven = batch%fits != 0;  let weigh = micros > 1 or uneven
}
# Micro-batch k of iteration i has `rows` rows; the first is row `first` of the batch, and begins at
# sample `at` of the data (a gpt's sample is a token).
def find_rows i k {
  let first = (replica*micros+k)*batch//(replicas*micros);  let rows = (replica*micros+k+1)*batch//(replicas*micros)-first
  let at = (i%((samples-ahead)//(batch*seq))*batch+first)*seq
}
# `share`: the factor on micro-batch k's mean. The mean over replicas of the ranks' sums is then the
# batch's mean. `taken`: k; `fresh`: k is the iteration's first (its gradients overwrite, later ones
# add up); `last`: k is its last. A pipeline's schedule sets fresh and last for each chunk.
def take k {
  find_rows it k;  let share = rows*replicas/batch;  count_tokens
  let taken = k;  let fresh = k == 0;  let last = k == micros-1
}
def count_tokens { let tokens_here = rows*length }

# count_loss computes a micro-batch's loss; with `weigh` it adds the loss times share to `loss`.
# count_gradient computes the gradient of the loss by y.
# losses_seen: losses counted in this iteration; not k, because a schedule may begin with k != 0.
let losses_seen = 0
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
def count_everywhere n { }                  # adds up tensor n over the ranks with other rows; n counts this rank's rows
def count_gradient kernel dy y t {
  one_gradient_of_loss kernel dy y t
  if weigh or factor != 1 { dy = scale dy share*factor }
}
