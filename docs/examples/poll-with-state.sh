#!/bin/sh
# Runs "poll --state -" once, keeps its state in a file, and writes only the alerts or events to standard output:
#
#   poll-with-state.sh <state file> <options of poll>
#
# The file is replaced when what the state covers is in the output: in the file, or in the pipe to the reader.
set -eu
file=$1
shift
# A link stays, as with "poll --state <file>": the file that it names is replaced.
if [ -L "$file" ]; then
  link=$file
  file=$(readlink -f "$link") || {
    echo "$link is a link into a folder that does not exist or cannot be entered. Create the folder, or correct the link." >&2
    exit 2
  }
fi
umask 077
if [ -d "$file" ]; then
  echo "$file is a folder. Enter a file that is in it, or that does not exist yet." >&2
  exit 2
fi
[ -e "$file" ] || : > "$file"
code="$file.code.$$"
run="$file.run.$$"
trap 'rm -f "$code" "$run" "$file.new"' EXIT

# A full disk or a kill may have cut off the last line of the output file. The next line must not continue it.
out=/proc/$$/fd/1
if [ -f "$out" ] && [ -n "$(tail -c 1 "$out" 2>/dev/null | tr '\0' '?')" ]; then echo; fi

{
  attack-path-analysis poll --state - "$@" < "$file" &
  echo $! > "$run"
  wait $! && echo 0 > "$code" || echo "$?" > "$code"
} |
  while trap '' INT && IFS= read -r line; do
    case $line in
    '{"type":"state",'*)
      printf '%s\n' "$line" > "$file.new" && mv "$file.new" "$file" || exit 5
      ;;
    *) printf '%s\n' "$line" || exit 5 ;;
    esac
  done &
writer=$!

# A signal ends the run, and what it still writes is waited for: a shell on its own would leave it behind, or, as the first
# process of a container, ignore the signal.
trap 'kill -TERM "$(cat "$run")" 2>/dev/null || :' HUP TERM
# Ctrl-C reaches the run itself, and a second signal would kill it.
trap : INT
while status=0; wait "$writer" || status=$?; [ "$status" -gt 128 ] && kill -0 "$writer" 2>/dev/null; do :; done
[ "$status" -ne 5 ] || exit 5
exit "$(cat "$code")"
