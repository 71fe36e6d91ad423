#!/bin/sh
# causes.sh -- the table of causes in docs/internals/time.md has the causes of src/trace/trace.h,
# in the same order
set -u
cd "$(dirname "$0")/.." || exit 1
code=$(sed -n '/^#define CAUSES(X)/,/[^\\]$/s/.*X([A-Z]*, .*, "\([a-z]*\)").*/\1/p' src/trace/trace.h | tr '\n' ' ')
docs=$(find docs -name '*.md' -exec sed -n '/^## Causes of delay/,/^#* [^|]*$/s/^| \([a-z, ]*\) |.*/\1/p' {} + | sed '1{/^cause$/d}' | tr -d ',' | tr '\n' ' ')
if [ -n "$code" ] && [ "$code" = "$docs" ]; then echo "ok the docs' table of causes has those of trace.h, in their order"; else
	echo "FAIL the docs' table of causes has those of trace.h, in their order: $code; $docs"
fi
