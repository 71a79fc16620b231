"""Runs scripts as `python <script>` does, each in a process of its own that begins with the standard library loaded.

That takes a fraction of the processor time that it takes to start Python. Each line of standard input asks for one script, in
JSON: its arguments, working directory, environment, and files for its standard streams. The answer is its exit code, on a line.
"""

import gc
import json
import os
import runpy
import sys

# What the scripts and the stand-in of the SDK import.
import collections, encodings.idna, getopt, html, importlib.util, io, logging, random, re, select, shutil, signal  # noqa: E401, F401
import subprocess, tempfile, textwrap, threading, time, types, urllib.error, urllib.parse, urllib.request  # noqa: E401, F401


def begin(script):
    """Makes this process what the test asked for."""
    for number, (file, flags) in enumerate(zip(script["streams"], [os.O_RDONLY, os.O_WRONLY, os.O_WRONLY])):
        os.dup2(os.open(file, flags), number)
    os.environ.clear()
    os.environ.update(script["env"])
    os.chdir(script["cwd"])
    sys.argv = script["argv"]
    sys.path = [os.path.dirname(sys.argv[0]), *script["env"]["PYTHONPATH"].split(os.pathsep), *sys.path[1:]]


def serve():
    """Starts a process for each line, and returns in it; exits when there are no more lines."""
    gc.freeze()
    # Without a buffer, which the scripts would find in front of their own input.
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    while line := requests.readline():
        process = os.fork()
        if process == 0:
            requests.close()
            begin(json.loads(line))
            return
        _, status = os.waitpid(process, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    sys.exit()


serve()
runpy.run_path(sys.argv[0], run_name="__main__")
