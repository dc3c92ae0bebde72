"""Teach dragoman the translations that a merge has changed: PO, XLIFF and TMX files, one request each.

    python3 teach.py BEFORE AFTER [PATHS …]

BEFORE and AFTER are two commits; PATHS are patterns of git, such as 'locale/es/*.po', by default all such files. The
server is in DRAGOMAN_URL, the name of its project in DRAGOMAN_PROJECT, a key that may learn in DRAGOMAN_KEY. Needs
nothing but git and Python 3.8. A file is sent as it is after the merge: what is new in it is learned, what has changed
is revised, what was removed is forgotten, and everything else is known already.
"""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

FILES = ["*.po", "*.xlf", "*.xliff", "*.sdlxliff", "*.mqxliff", "*.mxliff", "*.tmx"]


def changed(before, after, paths):
    """The files that a merge has added or changed."""
    if set(before) <= {"0"}:  # what GitHub and GitLab give as the commit before the first push
        before = subprocess.check_output(["git", "hash-object", "-t", "tree", os.devnull], text=True).strip()
    command = ["git", "diff", "--name-only", "-z", "--diff-filter=AMR", before, after, "--", *paths]
    return [name for name in subprocess.check_output(command, text=True).split("\0") if name]


def teach(name, data):
    """Send a file; what was learned from it, or why nothing was."""
    url, project = os.environ["DRAGOMAN_URL"].rstrip("/"), os.environ["DRAGOMAN_PROJECT"]
    asked = urllib.parse.urlencode({"name": name, "forget": "true"})
    headers = {"Content-Type": "application/octet-stream"}
    if os.environ.get("DRAGOMAN_KEY"):
        headers["Authorization"] = "Bearer " + os.environ["DRAGOMAN_KEY"]
    address = "{}/hooks/file/{}?{}".format(url, urllib.parse.quote(project, safe=""), asked)
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=600) as answer:
            return ", ".join("{} {}".format(count, what) for what, count in json.load(answer).items()) or "nothing"
    except urllib.error.HTTPError as error:
        if error.code != 400:  # a key or an address that is wrong is wrong for all files
            raise
        return "left out: " + json.loads(error.read())["error"]["what"]


def main(before, after, *paths):
    """Teach every file; one that cannot be read, or is in another language, is left out and named."""
    for name in changed(before, after, paths or FILES):
        data = subprocess.check_output(["git", "show", "{}:{}".format(after, name)])
        print("{}: {}".format(name, teach(name, data)))


if __name__ == "__main__":
    main(*sys.argv[1:])
