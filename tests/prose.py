"""The prose check: sentences of the project that a reader would have to read twice.

``python -m tests.prose`` prints each finding as ``file:line: rule N: text -> advice``, and exits
with 1 if a page has one, or a file of code more than `tests/prose_counts.txt` allows.  With paths
as arguments it prints every finding in these files.  ``--lower`` writes the smaller counts.

The rules have the numbers of CONTRIBUTING.md:

- 2: no "what", "who" or "whatever" as the subject of a sentence or after a preposition;
- 3: "is not a valid X" in place of "is no X";
- 4: "because" for reasons, "such as" for examples;
- 5: words that have a plainer one;
- 9: no block of code as a part of a sentence.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

ROOT: Final = Path(__file__).parents[1]
COUNTS: Final = Path(__file__).with_name("prose_counts.txt")

#: Pages that are written by hand or by a generator, and files of code.
PAGES: Final = (
    ROOT / "README.md",
    *sorted(ROOT.glob("C*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
_PACKAGES: Final = ("grammar", "algebra", "reference", "spark_backend", "tck", "rowtime", "engines")
_OTHERS: Final = ("tests", "benchmarks", "docs")
#: Left out, each with the reason.
_LEFT_OUT: Final = {
    "docs/index.md": "it repeats the first words of docs/semantics.md",
    "grammar/generated/": "ANTLR generates it",
    "tests/prose.py": "it has the words that it looks for",
    "tests/test_prose.py": "it has examples of each rule",
}

#: Sentences that a pattern finds and that are right, each with the reason.
ALLOWED: Final = {
    'never "is no X"': "the rule quotes the words that it forbids",
}

#: *page*: Markdown; *text*: messages, hints and help, which is any string of a package that is not
#: a docstring; *comment*: docstrings, comments and the ``why`` of cases.
Kind = Literal["page", "text", "comment"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over one paragraph as a single line, without its code, and what to write."""

    number: int
    pattern: re.Pattern[str]
    advice: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A place in a file, counted from line 1, that a rule objects to."""

    file: str
    line: int
    kind: Kind
    rule: Rule
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: rule {self.rule.number}"
        return f"{place}: {self.text} -> {self.rule.advice}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, item, cell or string: its lines, the first line's number, and its kind."""

    lines: Sequence[str]
    first: int
    kind: Kind
    is_heading: bool = False
    follows_block: bool = False


def _rule(number: int, pattern: str, advice: str) -> Rule:
    return Rule(number, re.compile(pattern), advice)


_PREPOSITION: Final = "of|for|than|with|by|from|on|to|in|at|as|over|under|without"
#: Words that make "what" a question: "in what order", "of what type".
_ASKED: Final = "order|type|kind|time|way|extent|circumstances"
_BE: Final = "is|are|was|were|be|been|being"
#: "no longer" and such are adverbs: no noun follows.
_ADVERB: Final = (
    "longer|more|less|fewer|greater|larger|smaller|later|earlier|better|worse|faster|slower"
    "|higher|lower|doubt|different|match|one"
)

RULES: Final = (
    _rule(
        2,
        r"(?:^|[.!:;] +|\()(?:What|Who|Whoever|Whatever|what|whatever|whoever)\b"
        r"(?=[^.?!]*(?:[.!]|$))",
        'begin with the noun: "The rows that …"',
    ),
    _rule(
        2,
        rf"(?<!\bdepends )(?<!\bdepend )\b(?:{_PREPOSITION}) what\b(?! (?:{_ASKED})\b)",
        'a noun in place of "what"',
    ),
    _rule(2, r"\b(?:and|but|or|all|that) (?:what|who) (?:is|are|was|has|have)\b", "a noun"),
    _rule(2, r"\bwhoever\b|\bwhatever (?:is|are|has|have|it|they|else)\b", "a noun"),
    _rule(
        3,
        rf"(?<!\b[Tt]here )(?<!\bwould )\b(?:{_BE}) no (?!(?:{_ADVERB})\b)\w+",
        '"is not a …"',
    ),
    _rule(
        3, rf"(?<!\b[Tt]here )\b(?:{_BE}) none(?! of\b)\b(?! left)", '"is not …", or name the thing'
    ),
    _rule(
        4,
        r", since (?!then\b|the (?:last|first|previous|start|beginning)\b|version\b|\d)",
        '"because", unless it is a time',
    ),
    _rule(
        4,
        r"(?:^|[.:;] )Since (?!then\b|the (?:last|first|previous|start|release)\b|version\b|\d)",
        '"Because", unless it is a time',
    ),
    _rule(
        4,
        r", (?:as|for) (?:it|they|there|these|those|this|that|each|every|no \w+) "
        r"(?:is|are|has|have|had|was|were|does|do|can|cannot|would|will)\b",
        '"because"',
    ),
    _rule(5, r"\banew\b", '"again"'),
    _rule(5, r"(?<![-\w])[Bb]eside(?![-\w])", '"next to", "besides"'),
    _rule(
        5,
        r"(?<!fall )(?<!falls )(?<!lags )(?<!lag )(?<!left )(?<!furthest )(?<![-\w/])"
        r"[Bb]ehind(?![-\w/])",
        '"after"',
    ),
    _rule(5, r"\bkin\b", '"and similar ones", or their names'),
    _rule(5, r"\bso many\b", '"that many", or the number'),
    _rule(5, r"\bof (?:ours|theirs|hers|his)\b", '"our", "their"'),
    _rule(5, r"\b(?:of )?one's own\b", '"your own"'),
    _rule(
        5,
        r"\b(?:is|are|was|were|does|do|did|come|comes|answers?|differs?|goes|go|input|starts?|asks?"
        r"|read|ordered|written|made|rows) otherwise\b",
        '"differently", "another"',
    ),
    _rule(5, r"(?<!\bor )\bha(?:s|ve) not(?=[.,;:)]|$| (?:a|an|the|any)\b)", '"lacks"'),
    _rule(5, rf"\b(?:{_BE}) to be \w+", '"must be", "should be"'),
    _rule(
        5,
        r"\b(?:tell|tells|telling|told)\b"
        r"(?= (?:it|them|which|whether|apart|how|from|of|between|\w+ from|[A-Z`]\w*)|[.,;:)]|$)",
        '"distinguish", "detect", "report"',
    ),
    _rule(
        5,
        r"\b(?:says|said) (?:of|nothing|by)\b|, say[,.]|`[^`]*` says\b",
        '"reports", "prints", "declares"',
    ),
    _rule(
        5,
        r"\b(?:is|are|was|were) of (?:the|its|another|one|a|an|our|[A-Z])\b"
        r"(?! (?:type|length|kind))",
        '"belongs to", "has"',
    ),
    _rule(5, r"\bc(?:omes?|ame|oming) out\b", '"is emitted"'),
    _rule(
        5,
        r"\b[Rr]ows? (?:\w+ )?c(?:omes?|ame|oming)\b(?! out)"
        r"|\bc(?:omes|ame) (?:too|late|early|when|once|as)\b",
        '"is emitted", "arrives"',
    ),
    _rule(5, r"\bat work\b", '"running"'),
    _rule(5, r"\b(?:go|goes|went|gone|going) on\b", '"continue"'),
)
_AFTER_BLOCK: Final = _rule(
    9, r"^(?!rowtime\b)[a-z]\w*", 'a sentence of its own: "The command prints:"'
)


# ── Files into paragraphs ────────────────────────────────────────────────────────────────────────

_FENCE: Final = re.compile(r" *(```|~~~)")
_ITEM: Final = re.compile(r" *(?:[-*+]|\d+\.) +")
_CODE: Final = re.compile(r"(`+)(.+?)\1")
_LINK: Final = re.compile(r"(?<=\])\([^)\s]*\)|<!--.*?-->|</?[a-z][^>]*>|\{[a-z]+\}")


def of_markdown(text: str) -> Iterator[Paragraph]:
    """The paragraphs of a page: no blocks of code; each cell of a table by itself."""
    lines: list[str] = []
    first = 0
    is_fenced = is_comment = False
    follows = ended = False  # whether the paragraph, or the next one, stands below a block
    indent = 0  # of the list item that the current line may belong to

    def close() -> Iterator[Paragraph]:
        if lines:
            yield Paragraph(tuple(lines), first, "page", follows_block=follows)
        lines.clear()

    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if _FENCE.match(line):
            yield from close()
            is_fenced, ended = not is_fenced, True
        elif is_fenced:
            continue
        elif is_comment or bare.startswith("<!--"):
            yield from close()
            is_comment = "-->" not in bare
        elif not bare:
            yield from close()
        elif bare.startswith("|"):
            yield from close()
            for cell in re.split(r"(?<!\\)\|", bare)[1:-1]:
                yield Paragraph((cell.strip(),), number, "page")
            indent, ended = 0, False
        elif bare.startswith("#"):
            yield from close()
            yield Paragraph((bare.lstrip("# "),), number, "page", is_heading=True)
            indent, ended = 0, False
        elif not lines and line.startswith(" " * (indent + 4)):
            ended = True
        else:
            item = _ITEM.match(line)
            if item:
                yield from close()
                indent, ended = item.end(), False
            elif not line.startswith(" "):
                indent = 0
            if not lines:
                first, follows, ended = number, ended, False
            lines.append(line[item.end() :].rstrip() if item else bare)
    yield from close()


def _of_text(text: str, first: int, kind: Kind) -> Iterator[Paragraph]:
    """The paragraphs of a docstring or another string; items of lists by themselves."""
    lines: list[str] = []
    start = first
    for number, line in enumerate([*text.splitlines(), ""], first):
        bare, item = line.strip(), _ITEM.match(line)
        if (not bare or item or bare.startswith((">>>", "..."))) and lines:
            yield Paragraph(tuple(lines), start, kind)
            lines = []
        if bare and not bare.startswith((">>>", "...")):
            start = start if lines else number
            lines.append(line[item.end() :].strip() if item else bare)


def of_python(source: str, *, with_texts: bool, is_command: bool = False) -> Iterator[Paragraph]:
    """Docstrings and comments of a module; with its other strings of three words or more.

    In a module of commands the docstrings of functions are texts: typer prints them as help.
    """
    tree = ast.parse(source)
    docstrings: set[ast.AST] = set()
    parts: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Module(body=[ast.Expr(value=ast.Constant(value=str(text)) as found), *_])
                | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str(text)) as found), *_])
                | ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str(text)) as found), *_])
            ):
                docstrings.add(found)
                is_help = is_command and isinstance(node, ast.FunctionDef)
                yield from _of_text(text, found.lineno, "text" if is_help else "comment")
            case ast.JoinedStr(values=values):
                parts.update(values)
            case _:
                pass
    if with_texts:
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr) and node not in docstrings | parts:
                text = _literal(node)
                if len(re.findall(r"\b[a-z]+ ", text)) >= 2:
                    yield from _of_text(text, node.lineno, "text")
    yield from _comments(source)


def _literal(node: ast.expr) -> str:
    """A string as it is written; an expression in an f-string is "…"."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_literal(each) for each in values)
        case _:
            return "…" if isinstance(node, ast.FormattedValue) else ""


def _comments(source: str) -> Iterator[Paragraph]:
    """The comments of a module: lines that follow one another are one."""
    lines: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        number = token.start[0]
        alone = token.line.lstrip().startswith("#")
        if lines and not (alone and number == last + 1):
            yield Paragraph(tuple(lines), last - len(lines) + 1, "comment")
            lines = []
        lines.append(token.string.lstrip("#: "))
        last = number
    if lines:
        yield Paragraph(tuple(lines), last - len(lines) + 1, "comment")


_WHY: Final = re.compile(
    r"(?m)^(?P<indent> *)(?:- )?why: (?P<text>.*(?:\n(?P=indent) +(?![a-z_]+:|- ).*)*)"
)


def of_cases(text: str) -> Iterator[Paragraph]:
    """The ``why`` of each case in a file."""
    for match in _WHY.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        yield from _of_text(match["text"], first, "comment")


# ── Findings ─────────────────────────────────────────────────────────────────────────────────────


def paragraphs(path: Path) -> Iterator[Paragraph]:
    """All paragraphs of a file that the check reads."""
    text = path.read_text("utf-8")
    match path.suffix:
        case ".md":
            yield from of_markdown(text)
        case ".py":
            name = path.relative_to(ROOT)
            is_command = name.parent.name == "commands" or name.name in ("command.py", "cli.py")
            with_texts = name.parts[0] in _PACKAGES
            yield from of_python(text, with_texts=with_texts, is_command=is_command)
        case _:
            yield from of_cases(text)


def objections(paragraph: Paragraph) -> Iterator[tuple[int, Rule, str]]:
    """Each match of a rule in a paragraph: its line, the rule, and the text around it."""
    joined = " ".join(paragraph.lines)
    # Code and links keep their length, so that a place in the text is one in the file.
    plain = _CODE.sub(lambda code: f"`{'·' * (len(code[0]) - 2)}`", joined)
    plain = _LINK.sub(lambda link: "·" * len(link[0]), plain)
    rules = () if paragraph.is_heading else RULES
    for rule in (*rules, *((_AFTER_BLOCK,) if paragraph.follows_block else ())):
        for match in rule.pattern.finditer(plain):
            around = joined[max(0, match.start() - 30) : match.end() + 30]
            if any(allowed in joined for allowed in ALLOWED):
                continue
            yield paragraph.first + _lines_before(paragraph.lines, match.end() - 1), rule, around


def _lines_before(lines: Sequence[str], place: int) -> int:
    """How many lines end before a place in the lines, joined with blanks."""
    for number, line in enumerate(lines):
        place -= len(line) + 1
        if place < 0:
            return number
    return len(lines) - 1


def findings(path: Path) -> list[Finding]:
    """The findings in one file, in the order of its lines."""
    name = path.relative_to(ROOT).as_posix()
    found = [
        Finding(name, line, paragraph.kind, rule, around)
        for paragraph in paragraphs(path)
        for line, rule, around in objections(paragraph)
    ]
    return sorted(found, key=lambda each: each.line)


def files() -> list[Path]:
    """All files that the check reads, pages first."""
    code = [path for each in (*_PACKAGES, *_OTHERS) for path in sorted((ROOT / each).rglob("*.py"))]
    cases = sorted((ROOT / "tck" / "cases").rglob("*.yaml"))
    return [
        path
        for path in (*PAGES, *sorted(ROOT.glob("*.py")), *code, *cases)
        if not path.relative_to(ROOT).as_posix().startswith(tuple(_LEFT_OUT))
    ]


# ── Counts that may only shrink ──────────────────────────────────────────────────────────────────

#: The number of findings by file and kind.
Counts = Counter[tuple[str, str]]


def listed() -> Counts:
    """The findings that each file may have, by kind; none if it is not listed."""
    found: Counts = Counter()
    for line in COUNTS.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            number, kind, file = line.split()
            found[file, kind] = int(number)
    return found


def counted(found: Sequence[Finding]) -> Counts:
    """The number of findings of each kind in each file."""
    return Counter((each.file, each.kind) for each in found)


_HEAD: Final = """\
# The number of findings of tests/prose.py in each file that still has some: they may only shrink.
# `python -m tests.prose --lower` writes the smaller numbers.
"""


def write_counts(counts: Counts) -> None:
    """Write the list anew, without files that have none."""
    lines = [f"{n} {kind} {file}\n" for (file, kind), n in sorted(counts.items()) if n > 0]
    COUNTS.write_text(_HEAD + "".join(lines), "utf-8")


def main(arguments: Sequence[str]) -> int:
    """The command; its exit code."""
    lower = "--lower" in arguments
    named = [Path(each).resolve() for each in arguments if each != "--lower"]
    found = [each for path in named or files() for each in findings(path)]
    if named:
        print(*found, sep="\n")
        return int(bool(found))
    allowed, counts = listed(), counted(found)
    if lower:
        write_counts(allowed & counts)
        return 0
    over = [each for each in found if counts[each.file, each.kind] > allowed[each.file, each.kind]]
    print(*over, sep="\n", end="\n" if over else "")
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
