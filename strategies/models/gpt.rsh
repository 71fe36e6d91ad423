# gpt: a small GPT-2: embedding, blocks of attention and MLP, head; every parameter is a matrix, there are no biases
# Units: 0 the embedding; 2b-1 and 2b, attention and MLP of block b, each from x of the unit before to its own; the last one, the head with the loss
#   attention    n = layernorm x ;  q k v = n wq, n wk, n wv ;  o = attention q k v ;  y = o wo ;  x = x + y
#   MLP          n = layernorm x ;  h = n wu ;  g = gelu h ;  y = g wd ;  x = x + y              head    n = layernorm x ;  logits = n head
#   x3_0 is what unit 3 gives in memory 0, dx3_0 the gradient there; wq2 a matrix of block 2, dwq2 its gradient, wq2_f32 its master for a half dtype
option layers=4 least=1 "blocks"
option hidden=64 least=1 "width"
option heads=4 least=1 "of the attention"
option seq=64 least=1 "tokens of a sequence"
option batch=8 least=1 "sequences of a step, of all ranks together"
option vocab=64 least=1 "tokens there are; a text says it"
option dtype=f32 of="f32 f16 bf16" "f16 and bf16: with f32 master weights"
option optimizer=adam of="sgd adam" "what steps the parameters"
option lr=0.1*(optimizer=="sgd")+1e-3*(optimizer=="adam") "learning rate (sgd 0.1, adam 1e-3)"
option tied=off of="on off" "the head is the embedding, transposed"
option dropout=0.0 least=0 "the part of what layers give that becomes 0 (0: none)"
option loss_scale=1+1023*(dtype=="f16") "the loss's gradient is multiplied by it, the optimizer divides (f16: 1024)"
option seed=1 least=0 "of the parameters' beginning"

# ---- places where a strategy may act, as an iteration meets them; so are setup, parameters, parameter, gradient_memory and iteration, below ----
def before_forward u m { }                  # unit u needs its parameters; m: whose memory it works in
def norm y x { y = layernorm x }            # of a half of a block: what wq wk wv or wu read, which tensor parallelism cuts by columns
def by_rows y x w { y = matmul x w }        # by wo or wd, which it cuts by rows
def after_forward u m { }
def before_backward u m { }
def by_rows_backward dx dy x w inputs weights { if weights { gradient w x dy };  if inputs { dx = matmul dy w.T } }
def input_gradient_made dx { }              # of what matrices cut by columns have read
def norm_backward dx dy x { dx = layernorm_grad dy x }
def gradient_made p { }                     # parameter p's gradient is complete
def after_backward u m { }
def before_update { }
def update { for u in 0:last_unit+1 { each_parameter u descend } }

# ---- the batch falls to `replicas` ranks, of which this is number `replica`, and there to `micros` micro-batches ----
let first_unit = 0;  let last_unit = 2*layers+1;  let replicas = 1;  let replica = 0;  let micros = 1;  let input = "ids";  let outcome = "logits";  let wide = vocab
let first = 0;  let rows = 0;  let share = 1;  let at = 0;  let fresh = 1;  let last = 1;  let weigh = 0;  let uneven = 0
if samples == 0 { let samples = 4*batch*seq+1 }
# micro-batch k: `rows` sequences of the batch from `first` on; `share` weighs their mean in that of the rank
def take k {
  let first = (replica*micros+k)*batch//(replicas*micros);  let rows = (replica*micros+k+1)*batch//(replicas*micros)-first
  let share = rows*replicas/batch;  let fresh = k == 0;  let last = k == micros-1
  let at = (it%((samples-1)//(batch*seq))*batch+first)*seq
}
def load_data {
  if data_kind == "text" { tensor text pinned = load "$data_path" } else { tensor text[samples] pinned i32 = uniform seed=seed+1000 scale=vocab }
}
def input_room m { tensor ids_room_$m[rows*seq] i32 kind=activation }
def target_room m { tensor t_room_$m[rows*seq] i32 kind=buffer }
def input_part m { tensor ids_$m[rows*seq] i32 kind=activation }                                              # for what another rank sends
def read_input m { ids_$m = ids_room_$m[0:rows*seq];  copy text[at:at+rows*seq] -> ids_$m }
def read_target m { t_$m = t_room_$m[0:rows*seq];  copy text[at+1:at+1+rows*seq] -> t_$m }       # of a token the next one

# ---- parameters: `what` is called with each: name, rows, columns, deviation and seed of its beginning, and how tensor parallelism cuts it ----
# deviations: 1/sqrt(hidden), and less for those that write into the residual, by the root of their number (GPT-2)
def each_parameter u what { for i in 0:4 { one_parameter u i what } }
def each_parameter_back u what { for i in 3:-1:-1 { one_parameter u i what } }              # in the order in which backward makes gradients
def one_parameter u i what {
  let d = 1/sqrt(hidden);  let residual = d/sqrt(2*layers);  let b = (u+1)//2;  let s = seed+6*b-4;  let half = u%2*(u < last_unit)
  if u == 0 and i == 0 { $what table vocab hidden 0.02 seed+1 whole }
  if u == 0 and i == 1 { $what pos seq hidden 0.02 seed+2 whole }
  if half and i == 0 { $what wq$b hidden hidden short(d) s+1 by_columns }
  if half and i == 1 { $what wk$b hidden hidden short(d) s+2 by_columns }
  if half and i == 2 { $what wv$b hidden hidden short(d) s+3 by_columns }
  if half and i == 3 { $what wo$b hidden hidden short(residual) s+4 by_rows }
  if u%2 == 0 and u > 0 and i == 0 { $what wu$b hidden 4*hidden short(d) s+5 by_columns }
  if u%2 == 0 and u > 0 and i == 1 { $what wd$b 4*hidden hidden short(residual/2) s+6 by_rows }
  if u == last_unit and i == 0 and tied == "off" { $what head hidden vocab short(d) s+1 whole }
}
let mixed = dtype != "f32";  let master = "";  if mixed { let master = "_f32" }
def parameter p r c deviation s cut {
  tensor $p[r,c] $dtype kind=parameter = randn seed=s scale=deviation
  if mixed { tensor $(p)_f32[r,c] kind=optimizer = randn seed=s scale=deviation }
  gradient_memory p r c;  optimizer_memory p r c;  declare p 0 0
}
# for `verify`: what this rank has of p begins at that row and column
def declare p row col {
  part $(p)$master of $p row=row col=col
  if optimizer == "adam" { part $(p)_m of $p row=row col=col as=m;  part $(p)_v of $p row=row col=col as=v }
}
def gradient_memory p r c { tensor d$p[r,c] $dtype kind=gradient }
def optimizer_memory p r c { if optimizer == "adam" { tensor $(p)_m[r,c] $(p)_v[r,c] kind=optimizer = zeros } }
def descend p r c deviation s cut { step_down p d$p }
# the master is stepped, and cast to the type that computes. Of a scaled loss Adam wants the true gradient
def step_down p gradient {
  let g = "$gradient"
  if optimizer == "adam" and loss_scale != 1 { unscaled = cast $g to=f32;  unscaled = scale unscaled 1/loss_scale;  let g = "unscaled" }
  if optimizer == "adam" { adam $(p)$master $g $(p)_m $(p)_v lr=lr t=it+1 } else { sgd $(p)$master $g lr=lr/loss_scale }
  if mixed { $p = cast $(p)_f32 to=$dtype }
}

# ---- forward ----
def forward u m {
  before_forward u m
  if u == 0 { embed_forward m } else { if u == last_unit { output m;  loss m } else { half_forward u m } }
  after_forward u m
}
# the positions are added to each sequence, taken as one row
def embed_forward m {
  x0_$m = embed table ids_$m
  xs = reshape x0_$m [rows,seq*hidden];  ps = reshape pos [1,seq*hidden];  xs = add xs ps;  free xs
  drop "dropout" x0_$m x0_$m 0
}
def half_forward u m {
  let b = (u+1)//2;  norm n$(u)_$m x$(u-1)_$m
  if u%2 == 1 {
    q$(u)_$m = matmul n$(u)_$m wq$b;  k$(u)_$m = matmul n$(u)_$m wk$b;  v$(u)_$m = matmul n$(u)_$m wv$b
    o$(u)_$m = attention q$(u)_$m k$(u)_$m v$(u)_$m heads=heads seq=seq causal=1
    by_rows y$(u)_$m o$(u)_$m wo$b
  } else {
    h$(u)_$m = matmul n$(u)_$m wu$b;  g$(u)_$m = gelu h$(u)_$m
    by_rows y$(u)_$m g$(u)_$m wd$b
  }
  drop "dropout" y$(u)_$m y$(u)_$m u;  x$(u)_$m = add x$(u-1)_$m y$(u)_$m
}
def output m {
  n_$m = layernorm x$(last_unit-1)_$m
  if tied == "on" { logits_$m = matmul n_$m table.T } else { logits_$m = matmul n_$m head }
}
def loss m {
  if weigh {
    l_$m = crossentropy logits_$m t_$m
    if fresh { loss = scale l_$m share } else { loss += scale l_$m share }
  } else { loss = crossentropy logits_$m t_$m }
}
# a seed for each place of each iteration; `apart` and `width` say where the part lies of a rank that has not all columns
let apart = 0;  let width = 0
def drop kernel y x place {
  if dropout > 0 { y = $kernel x p=dropout seed=1000000*(seed+1)+place+it*(2*layers+1) at=first*seq*hidden+apart width=width }
}

# ---- backward: gradients of the inputs, of the weights, or both in the order that frees the most ----
def backward u m inputs weights {
  before_backward u m
  if u == last_unit { if inputs { loss_backward m };  output_backward m inputs weights }
  if u > 0 and u < last_unit { half_backward u m inputs weights }
  if u == 0 and weights { embed_backward m }
  after_backward u m
}
def gradient p x dy { if fresh { d$p = matmul x.T dy } else { d$p += matmul x.T dy };  gradient_made p }
def loss_backward m {
  dlogits_$m = crossentropy_grad logits_$m t_$m
  if weigh or loss_scale != 1 { dlogits_$m = scale dlogits_$m share*loss_scale }
}
def output_backward m inputs weights {
  if weights and tied == "off" { gradient head n_$m dlogits_$m }
  # a tied table's gradient is complete with the embedding's part
  if weights and tied == "on" { if fresh { dtable = matmul dlogits_$m.T n_$m } else { dtable += matmul dlogits_$m.T n_$m } }
  if inputs { if tied == "on" { dn_$m = matmul dlogits_$m table } else { dn_$m = matmul dlogits_$m head.T } }
  if inputs { dx$(last_unit-1)_$m = layernorm_grad dn_$m x$(last_unit-1)_$m }
}
def half_backward u m inputs weights {
  let b = (u+1)//2;  let d = "dx$(u)_$m";  if dropout > 0 { let d = "dy$(u)_$m" }
  if inputs { drop "dropout_grad" $d dx$(u)_$m u }
  if u%2 == 1 {
    by_rows_backward do$(u)_$m $d o$(u)_$m wo$b inputs weights
    if inputs {
      dq$(u)_$m dk$(u)_$m dv$(u)_$m = attention_grad do$(u)_$m q$(u)_$m k$(u)_$m v$(u)_$m heads=heads seq=seq causal=1
    }
    if weights { gradient wv$b n$(u)_$m dv$(u)_$m;  gradient wk$b n$(u)_$m dk$(u)_$m;  gradient wq$b n$(u)_$m dq$(u)_$m }
    if inputs { dn$(u)_$m = matmul dq$(u)_$m wq$b.T;  dn$(u)_$m += matmul dk$(u)_$m wk$b.T;  dn$(u)_$m += matmul dv$(u)_$m wv$b.T }
  } else {
    by_rows_backward dg$(u)_$m $d g$(u)_$m wd$b inputs weights
    if inputs { dh$(u)_$m = gelu_grad dg$(u)_$m h$(u)_$m }
    if weights { gradient wu$b n$(u)_$m dh$(u)_$m }
    if inputs { dn$(u)_$m = matmul dh$(u)_$m wu$b.T }
  }
  if inputs {
    input_gradient_made dn$(u)_$m;  norm_backward dx$(u-1)_$m dn$(u)_$m x$(u-1)_$m
    dx$(u-1)_$m = add dx$(u-1)_$m dx$(u)_$m
  }
}
def embed_backward m {
  drop "dropout_grad" dx0_$m dx0_$m 0
  dxs = reshape dx0_$m [rows,seq*hidden];  dps = reshape dpos [1,seq*hidden];  one_$m = ones [rows,1] $dtype
  if fresh { dps = matmul one_$m.T dxs } else { dps += matmul one_$m.T dxs }
  free dxs;  gradient_made pos
  if fresh and tied == "off" { dtable = embed_grad dx0_$m ids_$m rows=vocab } else { dtable += embed_grad dx0_$m ids_$m rows=vocab }
  gradient_made table
}

# ---- the whole: without a strategy every rank trains the same ----
let name = "";  stream compute
def name_unit u {
  let name = "block $((u+1)//2)'s attention";  if u%2 == 0 { let name = "block $(u//2)'s MLP" }
  if u == 0 { let name = "the embedding" };  if u == last_unit { let name = "the head" }
}
def setup {
  ## streams, and the data
  # the data stays on the host; a part of it is copied to the GPU for each step
  let uneven = batch%(replicas*micros) != 0;  let weigh = micros > 1 or uneven
  load_data
  for k in 0:1+uneven*(micros-1) { take k;  input_room k;  target_room k }
  ## the parameters
  # the seed is the same everywhere: every rank begins with the same numbers
  parameters
}
def parameters { for u in first_unit:last_unit+1 { each_parameter u parameter } }
def iteration {
  use compute
  for k in 0:micros {
    ## part $(k+1) of the batch's $micros
    # rows of the batch are copied to the GPU: each rank's own where the batch is cut
    phase F$k;  take k;  let m = uneven*k;  read_input m;  read_target m
    for u in first_unit:last_unit+1 {
      name_unit u
      ## forward of $name
      # what it computes stays in memory: backward needs it
      forward u m
    }
    for u in last_unit:first_unit-1:-1 {
      name_unit u
      ## backward of $name
      # from the gradient of what it gave: those of its parameters, and of what it was given
      phase B$k;  backward u m 1 1
    }
  }
  before_update
  ## the optimizer
  # every parameter takes a step down its gradient
  phase O;  update
}
