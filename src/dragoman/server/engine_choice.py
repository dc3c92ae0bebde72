"""Which engine a project may build on, when it is set over HTTP.

Whoever administrates a project is not whoever runs the server: the server's keys for translation services must not go
to an address that the former names, nor may the server ask machines of its own network on their behalf. So where there
are keys, an engine is one of the server's own list (`--engines`), chosen by its name, or a service at its own address.
What would run a program or read a file is refused in any case, unless the server was started to allow it. Engines that
are installed on the server's machine (`engine:en-es`) are named, not addressed: everybody may choose one.
"""

from __future__ import annotations

import re

from dragoman.server.api_errors import ApiError
from dragoman.server.config import Settings
from dragoman.upstream import installed
from dragoman.upstream.contract import Silence
from dragoman.upstream.names import KINDS, parse

LOCAL_KINDS = ("command", "ct2", "recorded")  # run programs, or read files
LOCAL_OPTIONS = ("key-file", "key-env")  # send what a file or a variable holds to an address in the same name
UNSAFE_OPTIONS = ("insecure",)
SERVICES = {  # where each service is; keys of the environment go there
    "deepl": ("", "https://api.deepl.com", "https://api-free.deepl.com"),
    "modernmt": ("", "https://api.modernmt.com"),
    "openai": ("", "https://api.openai.com/v1"),
}
OURS = re.compile(
    r"answered \d{3}|answered with something other than JSON|did not answer in time|cannot be reached|refused our key"
    r"|has no key|says that the quota is used up|sends more than \d+ megabytes|sends answers compressed|redirects"
)  # what we say of an engine; what its server says after that is told to whoever runs ours


def choose(wanted: object, settings: Settings) -> object:
    """The name of the engine that is meant, if it may be set over HTTP.

    >>> choose("office", Settings(engines={"office": "libretranslate:http://10.0.0.5:5000"}))
    'libretranslate:http://10.0.0.5:5000'
    """
    if isinstance(wanted, str) and wanted in settings.engines:
        return settings.engines[wanted]
    if isinstance(wanted, str) and not settings.local_engines:
        check_remote(wanted)
        if settings.keys is not None:
            check_address(wanted, settings)
    return wanted


def check_remote(name: str) -> None:
    """Refuse an engine that runs a program or reads a file of this machine.

    >>> check_remote("deepl:")
    >>> check_remote("command:apertium -u eng-spa")
    Traceback (most recent call last):
    dragoman.server.api_errors.ApiError: 'command:' engines cannot be set over HTTP
    """
    place = parse(name)
    refused = f"{place.kind}:" if place.kind in LOCAL_KINDS else next(filter(place.options.get, LOCAL_OPTIONS), None)
    if refused is None:
        return
    what = f"{refused!r} engines" if place.kind in LOCAL_KINDS else f"engines with the option {refused!r}"
    remedy = "set it on the server's machine with `dragoman project settings`, or start the server with --local-engines"
    raise ApiError(403, f"{what} cannot be set over HTTP", remedy)


def check_address(name: str, settings: Settings) -> None:
    """Refuse an engine at any other address than that of its service.

    >>> check_address("deepl:", Settings())
    >>> check_address("engine:en-es", Settings())
    >>> check_address("deepl:http://mine", Settings())
    Traceback (most recent call last):
    dragoman.server.api_errors.ApiError: engines at other addresses cannot be set over HTTP
    """
    place = parse(name)
    own = place.kind == "engine" or place.address.rstrip("/") in SERVICES.get(place.kind, ())
    if own and not any(option in place.options for option in UNSAFE_OPTIONS):
        return
    listed = f"choose one of {', '.join(sorted(settings.engines))}; " if settings.engines else ""
    remedy = f"{listed}the administrator of the server lists engines in the file of --engines"
    raise ApiError(403, "engines at other addresses cannot be set over HTTP", remedy)


def shown(name: str | None, settings: Settings) -> str | None:
    """The name of an engine as administrators of projects see it: what the server's list calls it, if it does."""
    return next((each for each, meant in settings.engines.items() if meant == name), name)


def names(settings: Settings, source: str, target: str) -> list[str]:
    """The engines that can be set by name: of the server's list, and installed on its machine for this pair."""
    there = [f"engine:{each.name}" for each in installed.installed() if each.translates(source, target)]
    return [*sorted(settings.engines), *there]


def kinds(settings: Settings) -> list[str]:
    """The kinds of engines that can be set."""
    if settings.local_engines:
        return list(KINDS)
    open_to_all = tuple(KINDS) if settings.keys is None else (*SERVICES, "engine")
    return [kind for kind in KINDS if kind not in LOCAL_KINDS and kind in open_to_all]


def brief(problem: str) -> str:
    """Why an engine is silent, in our own words only: not what its server has said, nor where that is.

    >>> brief("openai:http://10.0.0.5/v1: answered 404: the secret page; and more of it")
    'answered 404'
    >>> brief("slow")
    'slow'
    """
    if problem in set(Silence):
        return problem
    found = OURS.search(problem)
    return found[0] if found else str(Silence.FAILED)
