# gpt: a small GPT-2: embedding, blocks with attention and MLP, head; all parameters are matrices
# Units: 0 is the embedding; 2b-1 and 2b are block b's attention and MLP; the last one is the head
#   and the loss. x3_0: unit 3's output in memory 0, dx3_0 its gradient; wq2: a matrix in block 2,
#   dwq2 its gradient, wq2_f32 its master in half precision.
# Each tensor is freed after its last reader. For backward a block keeps, with s tokens, b
#   sequences, width h and 2 bytes per number (arXiv:2205.05198): recompute=none 32 s b h bytes (x
#   2+2, n 2+2, q k v o 8, h 8, g 8); selective 20, without n and g; full 2, its x
#   attention  n = layernorm x;  q k v = n wq, n wk, n wv;
#              o = attention q k v;  y = o wo;  x = x + y
#   MLP        n = layernorm x;  h = n wu;  g = gelu h;  y = g wd;  x = x + y
#   head       n = layernorm x;  logits = n head
# parts (experts > 0)*replicas*micros: an expert's capacity and the balance loss are per micro-batch
option layers=4 least=1 "blocks"
option hidden=64 least=1 "width"
option heads=4 least=1 "attention heads"
option seq=64 least=1 "tokens per sequence"
option batch=8 least=1 "sequences per step, over all ranks"
option vocab=64 least=1 "different tokens; a text sets it"
option dtype=f32 of="f32 f16 bf16" "f16 and bf16: with f32 master weights"
option optimizer=adam of="sgd adam" "the optimizer"
option lr=0.1*(optimizer=="sgd")+1e-3*(optimizer=="adam") "learning rate (sgd 0.1, adam 1e-3)"
option tied=off of="on off" "on: the head is the transposed embedding"
option dropout=0.0 "share of the layers' outputs set to 0 (0: none)"
option loss_scale=1+1023*(dtype=="f16") of="dynamic" least=0 "factor on the loss gradient, which the optimizer divides by (f16: 1024); or dynamic"
option init_scale=65536 least=1 with="loss_scale=dynamic" "its initial value"
option growth_interval=2000 least=1 with="loss_scale=dynamic" "steps without overflow until it doubles"
option experts=0 least=0 "experts per block, each as large as the MLP; a router sends tokens to them (0: one MLP)"
option top=min(2,max(experts,1)) least=1 with="experts" "experts per token"
option capacity=none least=0.01 with="experts" "an expert takes at most capacity*tokens*top/experts tokens and drops the rest (none: no limit)"
option balance_loss=0.01 with="experts" "weight of the balance loss"
option recompute=none of="none selective full" "recomputed in backward: selective: norms and gelu; full: a whole block but its input"
option ignore=none "target value that is ignored, such as padding: left out of the mean (none: all count)"
option clip=0.0 "largest norm of all gradients together; if it is exceeded, all are scaled down (0: no limit)"
option seed=1 least=0 "seed for the initial parameters"
refuse layers > 4096 "layers=$layers is not a whole number from 1 to 4096"
refuse max(hidden,heads,seq,batch,vocab) > 1e9 "hidden=$hidden heads=$heads seq=$seq batch=$batch vocab=$vocab: at most 1e9 each"
refuse hidden%heads != 0 "heads=$heads does not divide hidden=$hidden; the nearest that does is $(divisor(hidden,heads))"
refuse lr <= 0 "lr=$lr is not a number above 0"
if "$loss_scale" != "dynamic" { refuse loss_scale <= 0 "loss_scale=$loss_scale is not a number above 0, nor dynamic" }
if experts > 0 and "$capacity" != "none" { refuse capacity > experts "capacity=$capacity is above $experts, at which an expert has room for all tokens" }
if "$ignore" != "none" { refuse ignore%1 != 0 or ignore >= 2G "ignore=$ignore is not a class: a whole number" }
refuse clip < 0 "clip=$clip is below 0: a norm, or 0 for no limit"
refuse dropout < 0 or dropout >= 1 "dropout=$dropout is not a share from 0 to below 1"
refuse data_kind == "npy" "a gpt reads tokens: `data text FILE` or `data synthetic`, or `model mlp` for rows of numbers"
if samples == 0 { let samples = 4*batch*seq+1 }
let ahead = 1;  let tokens = batch*seq+1;  let most = (samples-1)//seq
let wants = "a sequence takes $seq tokens and one more; the data has $samples"
refuse samples <= seq and samples < 2 "$wants: no seq fits: the text is too short"
refuse samples <= seq "$wants: seq=$(samples-1) fits"
let wants = "a batch takes $batch sequences of $seq tokens and one more, $tokens in all; the data has $samples"
refuse samples < tokens "$wants: batch=$most fits"
let first_unit = 0;  let last_unit = 2*layers+1;  let matrices = max(4,1+2*experts);  let input = "ids";  let outcome = "logits";  let wide = vocab
let head_size = hidden//heads
# More override points: the norm before a matrix pair (tp splits the first by columns, the second by
# rows); code that mixes or counts tokens (cp).
def norm y x { y = layernorm x }
def norm_read y { if drops { free y } }                                     # after forward,
def norm_again y x { if light { y = layernorm x kind=activation } }           # and recomputed in backward
def norm_backward dx dy x { dx = layernorm_grad dy x }
def attend o q k v { o = attention q k v heads=heads seq=length causal=1 }
def attend_backward dq dk dv do q k v o { dq dk dv = attention_grad do q k v heads=heads seq=length causal=1 }
def read_tokens from to { copy text$store[from-base:from-base+rows*length] -> to }
def add_positions x { xs = reshape x [rows,length*hidden];  ps = reshape pos [1,length*hidden];  xs = add xs ps;  free xs }
def positions_backward dxs one {
  dps = reshape dpos [1,length*hidden];  if fresh { dps = matmul one.T dxs } else { dps += matmul one.T dxs }
}

# ---- the data: a buffer for a micro-batch's tokens, and this micro-batch's tokens ----
def load_data {
  if data_kind == "text" { tensor text $data_space = load "$data_path" } else {
    tensor text[samples] $data_space i32 = uniform seed=seed+1000 scale=vocab
  }
}
# For `loader`: a buffer for `count` sequences and one more token; reads the micro-batch at `at`
# from disk.
def buffer_room b count { tensor text$b[count*seq+1] pinned i32 }
def read_batch b worker {
  micro_batch = text[at:at+rows*seq+1];  copy micro_batch -> text$b[0:rows*seq+1] on $worker rate=loader_read
}
def input_room m { tensor ids_room_$m[rows*length] i32 kind=activation }
def target_room m { tensor t_room_$m[rows*length] i32 kind=buffer }
def input_part m { tensor ids_$m[rows*length] i32 kind=activation }                           # for a tensor that another rank sends
def read_input m { ids_$m = ids_room_$m[0:rows*length];  read_tokens at ids_$m }
def read_target m { t_$m = t_room_$m[0:rows*length];  read_tokens at+1 t_$m }  # each token's successor

# ---- parameters: calls `what` with unit u's parameter i: name, rows, columns, initial deviation and
# seed, cut. Deviations: 1/sqrt(hidden); if a matrix writes into the residual, divided by the root of
# their number (GPT-2) ----
def one_parameter u i what {
  let d = 1/sqrt(hidden);  let b = (u+1)//2;  let s = seed+6*b-4
  let attends = u%2 == 1 and u < last_unit;  let mlp = u%2 == 0 and u > 0
  if u == 0 and i == 0 { $what table vocab hidden 0.02 seed+1 whole }
  if u == 0 and i == 1 { $what pos seq hidden 0.02 seed+2 whole }
  if attends and i == 0 { $what wq$b hidden hidden short(d) s+1 by_columns }
  if attends and i == 1 { $what wk$b hidden hidden short(d) s+2 by_columns }
  if attends and i == 2 { $what wv$b hidden hidden short(d) s+3 by_columns }
  if attends and i == 3 { $what wo$b hidden hidden short(d/sqrt(2*layers)) s+4 by_rows }
  if mlp and experts == 0 { mlp_parameter $b i s what }
  if mlp and experts > 0 and i == 0 { $what router$b hidden experts short(d) s+5 whole }
  let e = (i-1)//2                                # expert e's pair of matrices is 1+2e, 2+2e
  if mlp and i > 0 and e < experts { mlp_parameter $(b)_$e (i-1)%2 s+6*(e+1)*(layers+1) what }
  if u == last_unit and i == 0 and tied == "off" { $what head hidden vocab short(d) s+1 whole }
}
def mlp_parameter w i s what {
  let d = 1/sqrt(hidden)
  if i == 0 { $what wu$w hidden 4*hidden short(d) s+5 by_columns }
  if i == 1 { $what wd$w 4*hidden hidden short(d/sqrt(2*layers)/2) s+6 by_rows }
}

# ---- forward ----
def unit_forget u m { half_forget u m }
def unit_forward u m { if u == 0 { embed_forward m } else { if u == last_unit { output m;  loss m } else { half_forward u m } } }
def embed_forward m {
  x0_$m = embed table ids_$m;  add_positions x0_$m
  drop "dropout" x0_$m x0_$m 0
}
def half_forward u m {
  let b = (u+1)//2;  norm n$(u)_$m x$(u-1)_$m
  if u%2 == 1 {
    q$(u)_$m = matmul n$(u)_$m wq$b;  k$(u)_$m = matmul n$(u)_$m wk$b;  v$(u)_$m = matmul n$(u)_$m wv$b
    norm_read n$(u)_$m;  attend o$(u)_$m q$(u)_$m k$(u)_$m v$(u)_$m
    by_rows y$(u)_$m o$(u)_$m wo$b
  } else { if experts > 0 { experts_forward $b $(u)_$m } else {
    h$(u)_$m = matmul n$(u)_$m wu$b;  norm_read n$(u)_$m;  g$(u)_$m = gelu h$(u)_$m
    if not unread { by_rows y$(u)_$m g$(u)_$m wd$b;  if drops { free g$(u)_$m } }
  } }
  if not unread { drop "dropout" y$(u)_$m y$(u)_$m u;  x$(u)_$m = add x$(u-1)_$m y$(u)_$m;  free y$(u)_$m }
}
# Frees the activations that backward reads; the norms and gelu outputs are already free.
def half_forget u m { if u%2 == 1 { free q$(u)_$m k$(u)_$m v$(u)_$m o$(u)_$m } else {
  if experts > 0 { experts_forget $(u)_$m } else { free h$(u)_$m }
} }
def output m {
  n_$m = layernorm x$(last_unit-1)_$m
  if tied == "on" { logits_$m = matmul n_$m table.T } else { logits_$m = matmul n_$m head }
}
def loss m { count_loss crossentropy logits_$m t_$m m }

# ---- backward: input gradients, weight gradients, or both in the order that frees the most memory
# ----
def unit_backward u m inputs weights {
  if u == last_unit { if inputs { loss_backward m;  free logits_$m };  output_backward m inputs weights }
  if u > 0 and u < last_unit { half_backward u m inputs weights }
  if u == 0 and weights { embed_backward m }
}
def loss_backward m { count_gradient crossentropy dlogits_$m logits_$m t_$m }
# A tied table's gradient begins here and is complete after the embedding's part.
def output_backward m inputs weights {
  let x = "x$(last_unit-1)_$m"
  if tied == "on" {
    if weights { if fresh { dtable = matmul dlogits_$m.T n_$m } else { dtable += matmul dlogits_$m.T n_$m } }
    if inputs { dn_$m = matmul dlogits_$m table }
  } else {
    if weights { gradient head n_$m dlogits_$m }
    if inputs { dn_$m = matmul dlogits_$m head.T }
  }
  if inputs { d$x = layernorm_grad dn_$m $x;  free dn_$m }
  if weights { free n_$m dlogits_$m }
}
def half_backward u m inputs weights {
  let b = (u+1)//2;  let d = "dx$(u)_$m";  if dropout > 0 { let d = "dy$(u)_$m" }
  let done = inputs and not light or weights and light                       # if nothing will be recomputed again
  if done { free x$(u)_$m }
  if inputs { drop "dropout_grad" $d dx$(u)_$m u }
  if weights { norm_again n$(u)_$m x$(u-1)_$m }
  if u%2 == 1 {
    by_rows_backward do$(u)_$m $d o$(u)_$m wo$b inputs weights
    if inputs {
      attend_backward dq$(u)_$m dk$(u)_$m dv$(u)_$m do$(u)_$m q$(u)_$m k$(u)_$m v$(u)_$m o$(u)_$m
      free do$(u)_$m q$(u)_$m k$(u)_$m v$(u)_$m
    }
    if weights { gradient wv$b n$(u)_$m dv$(u)_$m;  gradient wk$b n$(u)_$m dk$(u)_$m;  gradient wq$b n$(u)_$m dq$(u)_$m }
    if inputs {
      dn$(u)_$m = matmul dq$(u)_$m wq$b.T;  dn$(u)_$m += matmul dk$(u)_$m wk$b.T;  dn$(u)_$m += matmul dv$(u)_$m wv$b.T
      input_gradient_made dn$(u)_$m
    }
    if weights { free o$(u)_$m dq$(u)_$m dk$(u)_$m dv$(u)_$m }
  } else { if experts > 0 { experts_backward $b $(u)_$m $d inputs weights } else {
    if weights and light { g$(u)_$m = gelu h$(u)_$m kind=activation }
    by_rows_backward dg$(u)_$m $d g$(u)_$m wd$b inputs weights;  if weights { free g$(u)_$m }
    if inputs { dh$(u)_$m = gelu_grad dg$(u)_$m h$(u)_$m;  free dg$(u)_$m }
    if weights { gradient wu$b n$(u)_$m dh$(u)_$m }
    if inputs { dn$(u)_$m = matmul dh$(u)_$m wu$b.T;  input_gradient_made dn$(u)_$m }
    if done { free h$(u)_$m }
    if weights { free dh$(u)_$m }
  } }
  if weights { free n$(u)_$m }
  if inputs {
    norm_backward dx$(u-1)_$m dn$(u)_$m x$(u-1)_$m;  free dn$(u)_$m
    dx$(u-1)_$m = add dx$(u-1)_$m dx$(u)_$m;  if dropout > 0 { free dx$(u)_$m }
  }
  if done and u == 1 { free x0_$m }
  if weights { free $d }
}
let table_begun = tied == "on"
def table_made { gradient_made table }
def embed_backward m {
  drop "dropout_grad" dx0_$m dx0_$m 0
  dxs = reshape dx0_$m [rows,length*hidden];  one_$m = ones [rows,1] $dtype
  positions_backward dxs one_$m;  free dxs one_$m;  gradient_made pos
  let d = "dx0_$m";  let begins = fresh and not table_begun
  if begins { dtable = embed_grad $d ids_$m rows=vocab } else { dtable += embed_grad $d ids_$m rows=vocab }
  free $d;  table_made
}
def name_unit u {
  let name = "block $((u+1)//2)'s attention";  if u%2 == 0 { let name = "block $(u//2)'s MLP" }
  if u == 0 { let name = "the embedding" };  if u == last_unit { let name = "the head" }
}
source training
source experts
source masked
