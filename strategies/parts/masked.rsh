# masked: targets that do not count, as padding (gpt's ignore=): the mean is over the others, of all micro-batches and all ranks
# Only the data say how many count, and a mean of means would weigh them wrongly. So losses and gradients are sums over rows divided by
# all rows, as without it; `counted` is how many count; and one factor, rows / counted, turns the first mean into the second.
let masked = "$ignore" != "none";  let loss_here = 0
refuse masked and experts > 0 and balance_loss > 0 "ignore=$ignore: the experts' balance loss is of all tokens: balance_loss=0"
# without it a target of -100 is a number out of range, and reported
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
# before the optimizer, which multiplies by clip_factor; where a rank has no loss it counts nothing
def clip_gradients {
  if masked {
    ## the targets that count
    # one number of all of them: every rank waits for how many targets of the others count
    phase O;  if not loss_here { counted = zeros [1] }
    count_everywhere counted
    targets_factor = full [1] batch*seq;  targets_factor = div targets_factor counted
    if loss_here { loss = mul loss targets_factor }
    if clip == 0 { clip_factor = scale targets_factor 1 }
  }
  replaced
}
