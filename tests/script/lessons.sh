#!/bin/sh
# Every task of every lesson: the starter fails its check, the solution passes, the wrong ones fail.
"$RANKSH" -n 4 --check-lessons && "$RANKSH" -n 8 --check-lessons
