/* hints.c -- words of CUDA, NCCL, MPI, Python and PyTorch, and the line to write instead
 *
 * A row's right side is a line with holes: $1 $2 for the arguments between brackets, $* for all,
 * $, for all with commas, $= for the name left of '=' (else "y"), $. for the object before the dot
 * (else "x"). To add a word, put it into a row or add a row.
 *
 *     typed    y = torch.mm(a, b)         left y, object torch, word mm, arguments a b
 *     row      "$= = matmul $1 $2"        its holes filled:
 *     said     here: y = matmul a b
 *
 * A word of the shell in Python's form (`y = matmul(x, w)`) needs no row: the suggestion has
 * blanks for brackets and commas. */
#include "shell/language/parse/parse.h"
#include "kernels/kernel.h"

static const struct {
	const char *words, *here;
} foreign[] = {
        {"all_reduce ncclAllReduce MPI_Allreduce", "allreduce $1"},
        {"all_gather ncclAllGather MPI_Allgather", "$= = allgather $1"},
        {"all_gather_into_tensor", "$1 = allgather $2"},
        {"reduce_scatter ncclReduceScatter MPI_Reduce_scatter", "$= = reducescatter $1"},
        {"reduce_scatter_tensor", "$1 = reducescatter $2"},
        {"all_to_all MPI_Alltoall all2all", "$= = alltoall $1"},
        {"all_to_all_single", "$1 = alltoall $2"},
        {"isend ncclSend MPI_Send MPI_Isend", "send $1 to=1"},
        {"irecv ncclRecv MPI_Recv MPI_Irecv", "recv $1 from=0"},
        {"new_group ncclCommSplit MPI_Comm_split", "group g 0-1 2-3"},
        {"init_device_mesh", "mesh dp=2 tp=2"},
        {"randn", "tensor $=[$,] = randn"},
        {"zeros", "tensor $=[$,] = zeros"},
        {"ones", "tensor $=[$,] = ones"},
        {"rand", "tensor $=[$,] = uniform"},
        {"empty", "tensor $=[$,]"},
        {"arange", "tensor $=[$1] = iota"},
        {"full", "tensor $=[64,64] = 1"},
        {"tensor", "tensor $=[64,64] = randn"},
        {"mm bmm linear dot", "$= = matmul $1 $2"},
        {"einsum cublasSgemm cublasGemmEx gemm", "$= = matmul x w"},
        {"cross_entropy", "$= = crossentropy $1 $2"},
        {"mse_loss", "$= = mse $1 $2"},
        {"layer_norm", "$= = layernorm $1"},
        {"synchronize cudaStreamSynchronize cudaEventSynchronize synchronise", "sync $1"},
        {"wait_stream wait_event", "wait $1 on $."},
        {"Stream", "stream $="},
        {"Event", "event $="},
        {"item", "print $.[0]"},
        {"backward", "dy = mse_grad y t, and each kernel's _grad"},
        {"step", "sgd w dw lr=0.1; without brackets the next step of a strategy's program"},
        {"zero_grad", "fill dw 0"},
        {"cuda", "copy h -> x on S"},
        {"pin_memory", "tensor h[64,64] pinned = randn"},
        {"no_grad", "nothing: gradients are separate lines here"},
        {"init_process_group MPI_Init", "nothing: the ranks are there"},
        {"get_rank MPI_Comm_rank", "rank"},
        {"get_world_size MPI_Comm_size", "world"},
        {"elapsed_time", "print elapsed(e1,e2)"},
        {"time perf_counter monotonic MPI_Wtime", "let $= = now"},
        {"record_stream", "free $. on $1"},
        {"torchrun mpirun", "ranksh -n 4 FILE.rsh"},
        {"cudaDeviceSynchronize MPI_Wait MPI_Waitall", "sync"},
        {"cudaStreamCreate cudaStreamCreateWithFlags", "stream $1"},
        {"cudaStreamCreateWithPriority", "stream $1 priority=high"},
        {"cudaEventCreate", "event $1"},
        {"cudaEventRecord", "record $1 on $2"},
        {"cudaStreamWaitEvent", "wait $2 on $1"},
        {"cudaEventQuery cudaStreamQuery", "query $1"},
        {"cudaEventElapsedTime", "print elapsed($2,$3)"},
        {"cudaMalloc cudaMallocAsync", "tensor $1[64,64]"},
        {"cudaMallocHost cudaHostAlloc", "tensor $1[64,64] pinned"},
        {"cudaFree cudaFreeHost del delete", "free $1"},
        {"cudaFreeAsync", "free $1 on $2"},
        {"cudaMemcpy memcpy", "copy $2 -> $1"},
        {"cudaMemcpyAsync", "copy $2 -> $1 on S"},
        {"cudaMemset", "fill $1 0"},
        {"cudaMemsetAsync", "fill $1 0 on S"},
        {"cudaSetDevice", "nothing: each rank has its GPU; @1 picks a rank"},
        {"cudaGraphLaunch", "launch $1"},
        {"cudaStreamBeginCapture", "capture G on $1 { }"},
        {"ncclBroadcast ncclBcast MPI_Bcast bcast", "broadcast $1 root=0"},
        {"ncclReduce MPI_Reduce", "reduce $1 root=0"},
        {"ncclGroupStart ncclGroupEnd", "together { }"},
        {"ncclCommInitRank", "nothing: the ranks are there; group g 0-1 2-3"},
        {"ncclCommAbort", "abort $1"},
        {"MPI_Iallreduce", "allreduce $1 on S"},
        {"MPI_Gather", "$= = gather $1 root=0"},
        {"MPI_Scatter", "$= = scatter $1 root=0"},
        {"MPI_Sendrecv", "sendrecv x -> y to=1 from=3"},
        {"MPI_Barrier", "barrier"},
        {"MPI_Finalize", "quit"},
        {"MPI_Abort", "abort world"},
        {"echo", "say \"text\", or print x"},
        {"printf", "say \"x is $x\", or print x"},
        {"import", "nothing is imported: kernels and collectives are there (help)"},
        {"while", "repeat 4 { }, or: for i in 0:4 { }"},
        {"range", "for i in 0:4 { }"},
        {"fn function", "def f x { }"},
        {"var const int float", "let n = 4"},
        {"assert", "expect n == 4"},
        {"ls who", "tensors, streams, events, groups"},
        {"clear cls", "Ctrl-L clears the screen; reset empties the ranks"},
        {"redo", "arrow up, and the line once more"},
        {"continue", "run"},
        {"history", "journal"},
        {"strategies", "strategy"},
        {"man", "help $1"},
        {"sleep", "host 2ms (the host computes), spin 2ms (the GPU)"},
        {"elif", "} else if ... {"},
        {"@", "matmul"},
        {"nvidia-smi", "stats, mem"},
};

static const char *hint_row(struct slice_of_text word)
{
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (is_listed(foreign[i].words, word))
			return foreign[i].here;
	return NULL;
}

const char *hint_word(const char *word)
{
	const char *here = hint_row(slice_of_string(word));
	return here && !strchr(here, '$') ? here : NULL;
}

struct foreign_line {
	struct slice_of_text left;   /* of '=' */
	struct slice_of_text object; /* before the last dot: "loss" of loss.item() */
	struct slice_of_text word;
	struct slice_of_text argument[8];
	int arguments;
	bool brackets;
};

static struct slice_of_text hint_trim(const char *at, const char *after)
{
	while (at < after && (is_blank(*at) || *at == '\n' || *at == '&'))
		at++;
	return slice_between(at, trim_end(at, after));
}

static void split_arguments(struct foreign_line *line, const char *at, const char *after, const char *marks)
{
	while (at < after && line->arguments < 8) {
		const char *stop = find_outside(at, after, marks);
		struct slice_of_text one = hint_trim(at, stop ? stop : after);
		if (one.length)
			line->argument[line->arguments++] = one;
		if (!stop)
			return;
		at = stop + 1;
	}
}

/* Returns false if the line has another form. It may guess, because the line is refused anyway. */
static bool foreign_split(const char *at, const char *after, struct foreign_line *line)
{
	memset(line, 0, sizeof *line);
	const char *sign = find_outside(at, after, "=");
	if (sign && sign + 1 < after && sign[1] != '=' && sign > at && sign[-1] != '!' && sign[-1] != '<' &&
	        sign[-1] != '>') {
		line->left = hint_trim(at, sign);
		at = skip_blanks(sign + 1, after, true);
	}
	const char *p = at;
	while (p < after && (is_name_char(*p) || *p == '.' || *p == '-'))
		p++;
	if (p == at)
		return false;
	const char *dot = p;
	while (dot > at && dot[-1] != '.')
		dot--;
	line->word = slice_between(dot, p);
	line->object = slice_between(at, dot > at ? dot - 1 : at);
	if (p < after && *p == '(') {
		const char *close = find_outside(p + 1, after, ")");
		line->brackets = true;
		split_arguments(line, p + 1, close ? close : after, ",");
		return true;
	}
	if (p < after && !is_blank(*p))
		return false;
	split_arguments(line, p, after, " ,");
	return true;
}

static void put_slice(struct slice_of_text slice, const char *other, struct text *out)
{
	text_put(out, slice.length ? slice.at : other, slice.length ? slice.length : strlen(other));
}

static void put_hole(const struct foreign_line *line, char c, struct text *out)
{
	if (c == '=') {
		put_slice(line->left, "y", out);
	} else if (c == '.') {
		put_slice(line->object, "x", out);
	} else if (c == '*' || c == ',') {
		for (int i = 0; i < line->arguments; i++)
			text_add(out, "%s%.*s", i ? c == '*' ? " " : "," : "", WHOLE(line->argument[i]));
	} else if (c - '1' < line->arguments) {
		put_slice(line->argument[c - '1'], "", out);
	} else if (c == '1') {
		put_slice(line->brackets ? line->object : (struct slice_of_text){0}, "x", out);
	} else {
		text_add(out, "x%c", c);
	}
}

static void fill_holes(const char *here, const struct foreign_line *line, struct text *out)
{
	if (strncmp(here, "sync $1", 7) == 0 && !line->arguments) {
		text_add(out, "sync");
		return;
	}
	for (const char *p = here; *p; p++)
		if (p[0] == '$' && p[1] && strchr("=.*,12345678", p[1]))
			put_hole(line, *++p, out);
		else
			text_put(out, p, 1);
}

/* dst= and src= of dist.send(x, dst=1), dist.broadcast(x, src=0) have other names here. */
static void put_argument(const char *row, struct slice_of_text argument, struct text *out)
{
	bool other = argument.length > 4 &&
	        (strncmp(argument.at, "dst=", 4) == 0 || strncmp(argument.at, "src=", 4) == 0);
	const char *name = strcmp(row, "send") == 0 ? "to" : strcmp(row, "recv") == 0 ? "from" : "root";
	if (other)
		text_add(out, " %s=%.*s", name, (int)argument.length - 4, argument.at + 4);
	else
		text_add(out, " %.*s", WHOLE(argument));
}

static void put_bracketed(const struct foreign_line *line, struct text *out)
{
	const struct command *row = command_called(line->word);
	const struct kernel *kernel = row ? row->kernel : NULL;
	if (!row && (!is_name_start(*line->word.at) || line->left.length || line->object.length))
		return;
	if (!row)
		text_add(out, "no command '%.*s'; a def is called without brackets: ", WHOLE(line->word));
	else if (row->results_ok && line->left.length)
		text_add(out, "write: %.*s = ", WHOLE(line->left));
	else if (kernel && kernel->outs && (line->arguments || line->object.length))
		text_add(out, "write: NAME = ");
	else
		text_add(out, "write: ");
	text_add(out, "%.*s", WHOLE(line->word));
	static const char modules[] =
	        "torch dist F nn np torch.nn torch.nn.functional torch.distributed torch.cuda";
	if (line->object.length && line->arguments == 0 && !is_listed(modules, line->object))
		text_add(out, " %.*s", WHOLE(line->object));
	for (int i = 0; i < line->arguments; i++)
		if (row)
			put_argument(row->name, line->argument[i], out);
		else
			text_add(out, " %.*s", WHOLE(line->argument[i]));
}

bool hint_line(const char *at, const char *after)
{
	struct foreign_line line;
	struct text said = {0};
	if (after - at > 1000 || !foreign_split(at, after, &line))
		return false;
	const char *row = hint_row(line.word);
	/* randn, zeros etc. are words here, too; only with brackets they are foreign */
	if (row && (line.brackets || !command_called(line.word))) {
		text_add(&said, "here: ");
		fill_holes(row, &line, &said);
	} else if (line.brackets) {
		put_bracketed(&line, &said);
	}
	bool known = said.count > 0;
	if (known)
		fail(ST_SYNTAX, "%s", text_string(&said));
	text_release(&said);
	return known;
}
