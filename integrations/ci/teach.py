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
    """The files that a merge has added or changed, and those that it has deleted or renamed."""
    known = subprocess.run(["git", "cat-file", "-e", before + "^{commit}"], stderr=subprocess.DEVNULL).returncode == 0
    if not known:  # the first push, for which GitHub and GitLab give zeros, or a force push: all files as they are
        if set(before) - {"0"}:
            print("{} is gone, so all files are sent; files that were deleted meanwhile are not known".format(before))
        before = subprocess.check_output(["git", "hash-object", "-t", "tree", os.devnull], text=True).strip()
    command = ["git", "diff", "--name-status", "-z", "--no-renames", before, after, "--", *paths]
    fields = subprocess.check_output(command, text=True).split("\0")[:-1]
    states = dict(zip(fields[1::2], fields[::2]))  # noqa: B905 (Python 3.8 has no strict)
    gone = [name for name, state in states.items() if state == "D"]
    return [name for name in states if name not in gone], gone


def repository():
    """What tells the files of this repository from those of another."""
    for name in ("DRAGOMAN_REPOSITORY", "GITHUB_REPOSITORY", "CI_PROJECT_PATH"):
        if os.environ.get(name):
            return os.environ[name]
    top = subprocess.check_output(["git", "rev-parse", "--show-toplevel"], text=True).strip()
    return top.rpartition("/")[2]


def send(method, name, data=None):
    """Send a file, or that it is gone; what came of it, and whether that is an error."""
    url, project = os.environ["DRAGOMAN_URL"].rstrip("/"), os.environ["DRAGOMAN_PROJECT"]
    asked = {"name": "{}:{}".format(repository(), name)}
    if method == "POST":
        asked["forget"] = "true"
    headers = {"Content-Type": "application/octet-stream"}
    if os.environ.get("DRAGOMAN_KEY"):
        headers["Authorization"] = "Bearer " + os.environ["DRAGOMAN_KEY"]
    address = "{}/hooks/file/{}?{}".format(url, urllib.parse.quote(project, safe=""), urllib.parse.urlencode(asked))
    request = urllib.request.Request(address, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return ", ".join("{} {}".format(count, what) for what, count in json.load(answer).items()) or "nothing"
    except urllib.error.HTTPError as error:
        if error.code != 400:  # a key or an address that is wrong is wrong for all files
            raise
        return "left out: " + json.loads(error.read())["error"]["what"]


def main(before, after, *paths):
    """Teach every file; one that cannot be read, or is in another language, is left out and named.

    Files that are still in conflict are named and make the job fail. What was deleted is forgotten last, so that what
    a renamed file still has is not learned anew.
    """
    sent, gone = changed(before, after, paths or FILES)
    failed = False
    for name in sent:
        answer = send("POST", name, subprocess.check_output(["git", "show", "{}:{}".format(after, name)]))
        failed = failed or "conflict markers" in answer
        print("{}: {}".format(name, answer))
    for name in gone:
        print("{} (deleted): {}".format(name, send("DELETE", name)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
