#!/bin/sh
# ranksh: starts the binary of the package that pip installed beside this script, without Python
here=$(dirname "$(readlink -f "$0")")
for packages in "$here"/../lib*/python3*/*-packages "$here"/../local/lib/python3*/*-packages "$here"/..; do
	if [ -d "$packages/ranksh-@VERSION@.dist-info" ]; then exec "$packages/ranksh/bin/ranksh" "$@"; fi
done
exec python3 -m ranksh "$@"
