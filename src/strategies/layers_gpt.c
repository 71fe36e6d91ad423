/* layers_gpt.c -- a gpt's embedding and blocks as lines */
#include "strategies/lines.h"

#include <stdio.h>

static int heads(const struct layers *l)
{
	return l->heads ? l->heads : l->model->heads;
}

/* In its own place: the numbers before are nobody's */
static void dropped(struct layers *l, const char *kernel, const char *base, int number, enum half half)
{
	char name[48];
	lines_name(l, base, number, name);
	lines_dropout(l, kernel, name, name, number, half);
}

/* A tensor that views hang on cannot be remade with the other rows of the next micro-batch */
static void view_over(const struct layers *l, const char *view)
{
	if (l->room)
		text_add(l->out, "free %s%s\n", view, l->suffix);
}

static void embedding_forward(struct layers *l)
{
	char rows[32];
	long long width = (long long)(l->model->seq * l->model->hidden);
	const char *s = l->suffix;
	text_add(l->out, "x0%s = embed table ids%s%s\n", s, s, l->on);
	/* the positions are added to each sequence, taken as one row */
	text_add(l->out, "xs%s = reshape x0%s [%s,%lld];  ps = reshape pos [1,%lld]\n", s, s,
	        lines_rows(l, rows), width, width);
	text_add(l->out, "xs%s = add xs%s ps%s\n", s, s, l->on);
	view_over(l, "xs");
	dropped(l, "dropout", "x", 0, HALF_MLP);
}

static void embedding_backward(struct layers *l)
{
	char rows[32];
	long long width = (long long)(l->model->seq * l->model->hidden);
	const char *s = l->suffix;
	dropped(l, "dropout_grad", "dx", 0, HALF_MLP);
	text_add(l->out, "dtable %s embed_grad dx0%s ids%s rows=%lld%s\n",
	        l->add || l->model->tied ? "+=" : "=", s, s, (long long)l->model->vocab, l->on);
	if (l->done)
		l->done(l, "table");
	text_add(l->out, "dxs%s = reshape dx0%s [%s,%lld]\n", s, s, lines_rows(l, rows), width);
	text_add(l->out, "one%s = ones [%s,1] %s%s\n", s, rows, dtype_name(l->model->dtype), l->on);
	text_add(l->out, "dps = reshape dpos [1,%lld];  dps %s matmul one%s.T dxs%s%s\n", width,
	        l->add ? "+=" : "=", s, s, l->on);
	view_over(l, "dxs");
	if (l->done)
		l->done(l, "pos");
}

static void block_forward(struct layers *l, int unit)
{
	char n[48], out[48];
	const char *s = l->suffix;
	lines_put(l, unit, "n# = layernorm x^");
	lines_place(l, PLACE_FORWARD_IN, HALF_ATTENTION, unit, "n", unit, n);
	for (const char *c = "qkv"; *c; c++)
		text_add(l->out, "%c%d%s = matmul %s w%c%d%s\n", *c, unit, s, n, *c, unit, l->on);
	text_add(l->out, "o%d%s = attention q%d%s k%d%s v%d%s heads=%d seq=%lld causal=1%s\n", unit, s, unit,
	        s, unit, s, unit, s, heads(l), (long long)l->model->seq, l->on);
	lines_put(l, unit, "p# = matmul o# wo@");
	lines_place(l, PLACE_FORWARD_OUT, HALF_ATTENTION, unit, "p", unit, out);
	lines_dropout(l, "dropout", out, out, unit, HALF_ATTENTION);
	text_add(l->out, "r%d%s = add x%d%s %s%s\n", unit, s, unit - 1, s, out, l->on);
	lines_put(l, unit, "m# = layernorm r#");
	lines_place(l, PLACE_FORWARD_IN, HALF_MLP, unit, "m", unit, n);
	text_add(l->out, "u%d%s = matmul %s wu%d%s\n", unit, s, n, unit, l->on);
	lines_put(l, unit, "g# = gelu u#");
	lines_put(l, unit, "y# = matmul g# wd@");
	lines_place(l, PLACE_FORWARD_OUT, HALF_MLP, unit, "y", unit, out);
	lines_dropout(l, "dropout", out, out, unit, HALF_MLP);
	text_add(l->out, "x%d%s = add r%d%s %s%s\n", unit, s, unit, s, out, l->on);
}

/* What the gradient at a half's output is called: that of the residual, which it was added to, or with
 * dropout one of its own, made of that */
static const char *output_gradient(struct layers *l, enum half half, int unit, int which)
{
	const char *own = half == HALF_MLP ? "dy" : "dp", *residual = half == HALF_MLP ? "dx" : "dr";
	char to[48], of[48];
	if (l->model->dropout <= 0)
		return residual;
	lines_name(l, own, unit, to);
	lines_name(l, residual, unit, of);
	if (which & BACKWARD_INPUTS)
		lines_dropout(l, "dropout_grad", to, of, unit, half);
	return own;
}

/* Of a half's last matmul, by wd or wo: d becomes the name of the gradient at its output, and the gradient of
 * its weights is written */
static void output_backward(struct layers *l, enum half half, int unit, int which, char d[48])
{
	const char *out = output_gradient(l, half, unit, which);
	char in[48];
	if (which & BACKWARD_INPUTS)
		lines_place(l, PLACE_BACKWARD_OUT, half, unit, out, unit, d);
	else
		lines_name(l, out, unit, d);
	if (!(which & BACKWARD_WEIGHTS))
		return;
	lines_name(l, half == HALF_MLP ? "g" : "o", unit, in);
	lines_gradient(l, half == HALF_MLP ? "wd" : "wo", unit, in, d, false);
}

/* dx of the block's output comes in; dr, the gradient at the residual between its halves, goes out */
static void mlp_half_backward(struct layers *l, int unit, int which)
{
	char dy[48], m[48], dm[48];
	output_backward(l, HALF_MLP, unit, which, dy);
	if (which & BACKWARD_INPUTS) {
		text_add(l->out, "dg%d%s = matmul %s wd%d.T%s\n", unit, l->suffix, dy, unit, l->on);
		lines_put(l, unit, "du# = gelu_grad dg# u#");
	}
	if (which & BACKWARD_WEIGHTS) {
		char du[48];
		lines_place(l, PLACE_SAVED, HALF_MLP, unit, "m", unit, m);
		lines_name(l, "du", unit, du);
		lines_gradient(l, "wu", unit, m, du, false);
	}
	if (which & BACKWARD_INPUTS) {
		lines_put(l, unit, "dm# = matmul du# wu@.T");
		lines_place(l, PLACE_BACKWARD_IN, HALF_MLP, unit, "dm", unit, dm);
		text_add(l->out, "dr%d%s = layernorm_grad %s r%d%s%s\n", unit, l->suffix, dm, unit, l->suffix,
		        l->on);
		lines_put(l, unit, "dr# = add dr# dx#");
	}
}

static void attention_inputs_backward(struct layers *l, int unit, const char *dp)
{
	const char *s = l->suffix;
	text_add(l->out, "do%d%s = matmul %s wo%d.T%s\n", unit, s, dp, unit, l->on);
	text_add(l->out,
	        "dq%d%s dk%d%s dv%d%s = attention_grad do%d%s q%d%s k%d%s v%d%s heads=%d seq=%lld "
	        "causal=1%s\n",
	        unit, s, unit, s, unit, s, unit, s, unit, s, unit, s, unit, s, heads(l),
	        (long long)l->model->seq, l->on);
}

static void attention_half_backward(struct layers *l, int unit, int which)
{
	char dp[48], n[48], dn[48];
	output_backward(l, HALF_ATTENTION, unit, which, dp);
	if (which & BACKWARD_INPUTS)
		attention_inputs_backward(l, unit, dp);
	if (which & BACKWARD_WEIGHTS) {
		lines_place(l, PLACE_SAVED, HALF_ATTENTION, unit, "n", unit, n);
		for (const char *c = "qkv"; *c; c++) {
			char w[3] = {'w', *c}, d[3] = {'d', *c}, gradient[48];
			lines_name(l, d, unit, gradient);
			lines_gradient(l, w, unit, n, gradient, false);
		}
	}
	if (which & BACKWARD_INPUTS) {
		lines_put(l, unit, "dn# = matmul dq# wq@.T");
		lines_put(l, unit, "dn# += matmul dk# wk@.T");
		lines_put(l, unit, "dn# += matmul dv# wv@.T");
		lines_place(l, PLACE_BACKWARD_IN, HALF_ATTENTION, unit, "dn", unit, dn);
		text_add(l->out, "dx%d%s = layernorm_grad %s x%d%s%s\n", unit - 1, l->suffix, dn, unit - 1,
		        l->suffix, l->on);
		lines_put(l, unit, "dx^ = add dx^ dr#");
	}
}

void gpt_forward(struct layers *l, int unit)
{
	if (unit == 0)
		embedding_forward(l);
	else
		block_forward(l, unit);
}

void gpt_backward(struct layers *l, int unit, int which)
{
	if (unit > 0) {
		mlp_half_backward(l, unit, which);
		attention_half_backward(l, unit, which);
	} else if (which & BACKWARD_WEIGHTS) {
		embedding_backward(l);
	}
}
