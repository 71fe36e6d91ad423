#!/bin/sh
# format.sh: every .c and .h is as clang-format leaves it. Another version of it decides otherwise here and there: only this one is asked.
set -u
version=14
for tool in clang-format-$version clang-format; do command -v $tool > /dev/null && break; done
found=$($tool --version 2> /dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$found" != $version ]; then
	echo "skipped the format of the code: it is that of clang-format $version, and here is ${found:-none}"
	exit 0
fi
if find src shell tests -name '*.[ch]' -exec $tool --dry-run -Werror {} + && [ -s .clang-format ]; then
	echo "ok every .c and .h is as clang-format leaves it"
else
	echo "FAIL every .c and .h is as clang-format leaves it: clang-format -i mends them"
fi
