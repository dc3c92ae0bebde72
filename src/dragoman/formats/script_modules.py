"""Messages in modules of JavaScript and TypeScript: `export default { title: "My page" }`.

Strings that are values of the exported object are segments, at whatever depth; keys, function calls and other code are
left alone. A file that exports anything but an object is a program, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.literals import Literal, LiteralDocument, escaped, unescaped

TOKEN = re.compile(
    r"(?P<gap>\s++|//[^\n]*+|/\*.*?\*/)"
    r"|(?P<string>'(?:[^'\\\n]|\\(?:\r\n|.))*+'|\"(?:[^\"\\\n]|\\(?:\r\n|.))*+\"|`(?:[^`\\]|\\.)*+`)"
    r"|(?P<word>[\w$]++)|(?P<sign>=>|\.\.\.|[^\w\s])",
    re.DOTALL,
)
_EXPORT = re.compile(
    r"(?:\A|(?<=[;\n}]))\s*+(?:export\s+default\s*|module\.exports\s*=\s*|exports\.\w+\s*=\s*"
    r"|(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::\s*[\w$.<>\[\], |]+)?=\s*)(?:Object\.freeze\(|define\w*\()?\s*\{"
)
_PLACE = re.compile(r"\$\{[^{}]*\}")


class ScriptDocument(LiteralDocument):
    """A module of messages, which their translations replace."""

    kind = "script"

    def _literals(self) -> Iterator[Literal]:
        found = list(_EXPORT.finditer(self.contents.text))
        if not found:
            what = "is a program, not a module of messages"
            raise BadInputError(what, where=self.contents.name, remedy="export an object: export default { … }")
        end = 0
        for each in found:
            if each.end() > end:
                end = yield from self.in_object(self.contents, each.end() - 1)

    @classmethod
    def in_object(cls, contents: Contents, at: int) -> Generator[Literal, None, int]:
        """The strings of an object that begins here; at the end, where it ends."""
        stack: list[list[str]] = []  # what is open: its sign, and the key or number that comes next
        before, waiting, key = "", None, ""
        while token := TOKEN.match(contents.text, at):
            at = token.end()
            if token.lastgroup == "gap":
                continue
            shown = token[0]
            if waiting and shown in (",", "}", "]"):
                yield from cls._value(waiting, stack)
            waiting = None
            if token.lastgroup == "string":
                is_value = stack and (before == ":" or (stack[-1][0] == "[" and before in ("[", ",")))
                waiting, key = token if is_value else None, shown[1:-1]
            elif token.lastgroup == "word":
                key = shown
            elif shown in "{[(":
                stack.append([shown, "0" if shown == "[" else ""])
            elif shown in "}])" and stack:
                stack.pop()
                if not stack:
                    return at
            elif shown == ":" and stack[-1:] and stack[-1][0] == "{":
                stack[-1][1] = key
            elif shown == "," and stack[-1:] and stack[-1][0] == "[":
                stack[-1][1] = str(int(stack[-1][1]) + 1)
            before = "" if shown == ":" and before == "?" else shown
        raise BadInputError("an object is not closed", where=contents.name, remedy="check it with node")

    @staticmethod
    def _value(token: re.Match[str], stack: list[list[str]]) -> list[Literal]:
        quote, inside = token[0][0], token[0][1:-1]
        if any(sign == "(" for sign, _ in stack) or (quote == "`" and "${" in _PLACE.sub("", inside)):
            return []
        name = ".".join(key for _, key in stack)
        return [Literal(name, token.start() + 1, token.end() - 1, unescaped(inside), quote)]

    def _written(self, text: str, quote: str) -> str:
        return escaped(text, quote, lines=quote == "`")
