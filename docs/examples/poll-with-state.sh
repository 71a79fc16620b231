#!/bin/sh
# Runs "poll --state -" once, keeps its state in a file, and writes only the alerts or events to standard output:
#
#   poll-with-state.sh <state file> <options of poll>
#
# The file is replaced when the reader has taken what the state covers.
set -eu
file=$1
shift
umask 077
[ -e "$file" ] || : > "$file"
code="$file.code.$$"
trap 'rm -f "$code" "$file.new"' EXIT

{ attack-path-analysis poll --state - "$@" < "$file" && echo 0 > "$code" || echo "$?" > "$code"; } |
  while IFS= read -r line; do
    case $line in
    '{"type":"state",'*)
      printf '%s\n' "$line" > "$file.new"
      mv "$file.new" "$file"
      ;;
    *) printf '%s\n' "$line" ;;
    esac
  done
exit "$(cat "$code")"
