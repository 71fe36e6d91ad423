# masked: ignored targets such as padding (gpt's ignore=): the mean is over the counted targets in
# all micro-batches and all ranks. Their number depends on the data, and a mean of means would
# weigh them wrongly. So losses and gradients are sums divided by the number of all rows, as without
# masking. `counted` is the number of counted targets. The factor rows / counted then turns them
# into means over the counted targets.
let masked = "$ignore" != "none";  let loss_here = 0
refuse masked and experts > 0 and balance_loss > 0 "ignore=$ignore: the experts' balance loss counts all tokens: balance_loss=0"
# without ignore=, a target of -100 is reported as out of range
def one_loss kernel l y t {
  if not masked { l = $kernel y t ignore=0.5 } else {
    l counted_here = $kernel y t ignore=ignore rows=rows*length;  let loss_here = 1
    if losses_seen == 0 { counted = scale counted_here 1 } else { counted = add counted counted_here }
    free counted_here
  }
}
def one_gradient_of_loss kernel dy y t {
  if masked { dy = $(kernel)_grad y t ignore=ignore rows=rows*length } else { dy = $(kernel)_grad y t ignore=0.5 }
}
# Before the optimizer, which multiplies by clip_factor. If a rank has no loss, it counts nothing.
def clip_gradients {
  if masked {
    ## the targets that count
    # one number: every rank waits for all other ranks' counts
    phase O;  if not loss_here { counted = zeros [1] }
    count_everywhere counted
    targets_factor = full [1] batch*seq;  targets_factor = div targets_factor counted
    if loss_here { loss = mul loss targets_factor }
    if clip == 0 { clip_factor = scale targets_factor 1 }
  }
  replaced
}
