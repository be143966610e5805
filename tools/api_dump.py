#!/usr/bin/env python3
"""Prints the public header as JSON, for bindings, checks and documentation.

    api_dump.py [--functions] [HEADER]      the default is include/rill/rill.h; --functions: their names alone, one per line
    api_dump.py --self-test

The keys are version, constants (macros with a value, and unnamed enums), enums, structs, handles (opaque structs), typedefs
and functions, each in the order of the header and with its comment: that above it, or behind it on the same line. A type is
written as in C, without the name ("const double *", "double [3]"); that of a pointer to a function has `function` besides,
with its result and parameters. It understands the C that the header is written in and no more: whatever else stands there is
an error that names the line.
"""
import json
import pathlib
import re
import sys

HEADER = pathlib.Path(__file__).resolve().parent.parent / "include" / "rill" / "rill.h"
PLAIN = set("void bool char float double size_t int32_t int64_t uint32_t uint64_t uint8_t int8_t uint16_t int16_t".split())
TOKEN = re.compile(r"""(?P<space>[ \t]+)|(?P<line>\n)|(?P<comment>/\*.*?\*/)|(?P<string>"[^"\n]*")
    |(?P<directive>\#(?:[^\n\\/]|\\\n|/(?!\*))*)|(?P<name>[A-Za-z_]\w*)
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[uUlLfF]*)|(?P<mark><<|>>|[-+*~|&(){}\[\];,=])""",
                   re.VERBOSE | re.DOTALL)


class Unknown(Exception):
    pass


class Token:
    def __init__(self, kind, text, line, first):
        self.kind, self.text, self.line, self.first = kind, text, line, first  # first: nothing before it on its line
        self.last_line = line + text.count("\n")


def tokens_of(text):
    at, line, first, out = 0, 1, True, []
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Unknown(f"line {line}: {text[at:].splitlines()[0]!r}")
        kind = match.lastgroup
        if kind == "line":
            first = True
        elif kind != "space":
            out.append(Token(kind, match[0], line, first))
            first = False
        line += match[0].count("\n")
        at = match.end()
    return out


def plain_comment(text):
    lines = [re.sub(r"^\s*\* ?", "", line).strip() for line in text[2:-2].splitlines()]
    return "\n".join(lines).strip()


def is_heading(text):
    return re.match(r"/\*\s*-{10,}", text) is not None


def value_of(tokens, known):
    """An integer constant as a number, else the text: numbers, known names, ( ), -, ~, |, +, << and what C agrees on."""
    text = " ".join(t.text for t in tokens)
    words = []
    for token in tokens:
        if token.kind == "name":
            if not isinstance(known.get(token.text), (int, float)):
                raise Unknown(f"line {token.line}: the value of {token.text} is not known")
            words.append(repr(known[token.text]))
        elif token.kind == "number":
            words.append(token.text if re.search(r"[.]", token.text) else token.text.rstrip("uUlL"))
        elif token.kind == "mark" and token.text in ("(", ")", "-", "+", "~", "|", "<<", "*"):
            words.append(token.text)
        else:
            raise Unknown(f"line {token.line}: no constant: {text}")
    try:
        return eval(" ".join(words), {"__builtins__": {}})  # nothing but the numbers and marks above
    except (SyntaxError, TypeError):
        raise Unknown(f"line {tokens[0].line if tokens else '?'}: no constant: {text}") from None


class Parser:
    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0
        self.values = {}
        self.types = set(PLAIN)
        self.api = {k: [] for k in ("constants", "enums", "structs", "handles", "typedefs", "functions")}

    # ------------------------------------------------------------------------------------------------------- reading

    def index(self):
        """That of the next token that is no comment."""
        at = self.at
        while at < len(self.tokens) and self.tokens[at].kind == "comment":
            at += 1
        return at

    def peek(self):
        at = self.index()
        return self.tokens[at] if at < len(self.tokens) else Token("end", "", 0, True)

    def next(self):
        token = self.peek()
        self.at = self.index() + 1
        return token

    def fail(self, token, wanted):
        raise Unknown(f"line {token.line}: {token.text or 'the end'!r} where {wanted} was expected")

    def expect(self, text):
        token = self.next()
        if token.text != text or token.kind == "comment":
            self.fail(token, repr(text))
        return token

    def is_next(self, text):
        return self.peek().text == text

    def skip(self, text):
        if self.is_next(text):
            self.next()
            return True
        return False

    def name(self):
        token = self.next()
        if token.kind != "name":
            self.fail(token, "a name")
        return token.text

    def above(self):
        """The comment that ends right above the next token, unless it has been read as one behind."""
        at = self.index()
        comment = self.tokens[at - 1] if at > self.at else None
        near = comment and comment.first and comment.last_line == self.peek().line - 1 and not is_heading(comment.text)
        return plain_comment(comment.text) if near else ""

    def behind(self, line, above):
        """The comment above what ended on this line, with that behind it."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "comment" and self.tokens[self.at].line == line:
            behind = self.tokens[self.at]
            self.at += 1
            return "\n".join(filter(None, (above, plain_comment(behind.text))))
        return above

    # --------------------------------------------------------------------------------------------------------- types

    def base_type(self):
        words = []
        while self.is_next("const") or self.is_next("enum") or self.is_next("struct"):
            token = self.next()
            if token.text != "const":
                self.fail(token, "a type with a name of its own")
            words.append(token.text)
        token = self.next()
        if token.kind != "name" or token.text not in self.types:
            self.fail(token, "a type")
        words.append(token.text)
        if self.is_next("const"):
            self.fail(self.peek(), "const before the type")
        return " ".join(words)

    def declarator(self, base):
        """Name, type and what else there is to it: `*name`, `name[3]`, `(*name)(parameters)`."""
        stars = ""
        while self.skip("*"):
            stars += "*"
        base = f"{base} {stars}".strip()
        if self.skip("("):
            self.expect("*")
            name = self.name()
            self.expect(")")
            parameters = self.parameters()
            text = ", ".join(p["type"] for p in parameters) or "void"
            return {"name": name, "type": f"{base} (*)({text})", "function": {"result": base, "parameters": parameters}}
        name = self.name()
        sizes = ""
        while self.skip("["):
            inside = []
            while not self.is_next("]"):
                inside.append(self.next())
            self.expect("]")
            if not inside:
                self.fail(self.peek(), "a size of the array before it")
            sizes += f"[{value_of(inside, self.values)}]"
        return {"name": name, "type": f"{base} {sizes}".strip()}

    def parameters(self):
        self.expect("(")
        if self.is_next("void") and self.tokens[self.at + 1].text == ")":
            self.next(), self.next()
            return []
        out = [self.declarator(self.base_type())]
        while self.skip(","):
            out.append(self.declarator(self.base_type()))
        self.expect(")")
        return out

    # -------------------------------------------------------------------------------------------------- declarations

    def enum(self):
        """From behind `enum` on: tag and values."""
        tag = self.name() if self.peek().kind == "name" else None
        self.expect("{")
        values, following = [], 0
        while not self.is_next("}"):
            above = self.above()
            name, written = self.name(), []
            if self.skip("="):
                while not (self.is_next(",") or self.is_next("}")):
                    written.append(self.next())
                following = value_of(written, self.values)
            end = self.next() if self.is_next(",") else self.tokens[self.at - 1]
            values.append({"name": name, "value": following, "comment": self.behind(end.line, above)})
            self.values[name] = following
            following += 1
        self.expect("}")
        return tag, values

    def members(self):
        self.expect("{")
        out = []
        while not self.is_next("}"):
            above = self.above()
            base = self.base_type()
            of_line = [self.declarator(base)]
            while self.skip(","):
                of_line.append(self.declarator(base))
            end = self.expect(";")
            comment = self.behind(end.line, above)
            out += [dict(member, comment=comment) for member in of_line]
        self.expect("}")
        if not out:
            self.fail(self.tokens[self.at - 1], "a member")
        return out

    def typedef(self, above):
        if self.skip("enum"):
            tag, values = self.enum()
            self.finish_type("enums", tag, above, values=values)
        elif self.skip("struct"):
            tag = self.name()
            if self.is_next("{"):
                members = self.members()
                self.finish_type("structs", tag, above, members=members)
            else:
                self.finish_type("handles", tag, above)
        else:
            base = self.base_type()
            stars = ""
            while self.skip("*"):
                stars += "*"
            name = self.name()
            entry = {"name": name, "type": f"{base} {stars}".strip()}
            if self.is_next("("):
                entry = {"name": name, "type": entry["type"], "function": {"result": entry["type"],
                                                                           "parameters": self.parameters()}}
                entry["type"] += " (" + (", ".join(p["type"] for p in entry["function"]["parameters"]) or "void") + ")"
            end = self.expect(";")
            self.add("typedefs", dict(entry, comment=self.behind(end.line, above)))
            self.types.add(name)

    def finish_type(self, kind, tag, above, **more):
        token = self.peek()
        if self.name() != tag:
            self.fail(token, f"{tag!r}, as before the braces,")
        end = self.expect(";")
        self.types.add(tag)
        self.add(kind, dict(name=tag, comment=self.behind(end.line, above), **more))

    def add(self, kind, entry):
        if any(entry["name"] == other["name"] for other in self.api[kind]):
            raise Unknown(f"{entry['name']} is declared twice")
        self.api[kind].append(entry)

    def function(self, above):
        entry = self.declarator(self.base_type())
        if "function" in entry or "[" in entry["type"]:
            self.fail(self.peek(), "the name of a function before it")
        parameters = self.parameters()
        end = self.expect(";")
        self.add("functions", {"name": entry["name"], "result": entry["type"], "parameters": parameters,
                               "comment": self.behind(end.line, above)})

    def define(self, token, above):
        match = re.fullmatch(r"#define (RILL_\w+)[ \t]+(.*?)\s*", token.text)
        if not match:
            self.fail(token, "#define RILL_NAME VALUE")
        value = value_of(tokens_of(match[2]), self.values)
        self.values[match[1]] = value
        self.add("constants", {"name": match[1], "value": value, "comment": self.behind(token.line, above)})

    def condition(self, token):
        """Skips #if ... #endif: what is inside is for compilers, not for callers."""
        depth = 1
        while depth:
            token = self.next()
            if token.kind == "end":
                raise Unknown(f"line {token.line}: #if without #endif")
            if token.kind == "directive":
                depth += token.text.startswith("#if")
                depth -= token.text.startswith("#endif")

    def parse(self):
        guard = None
        while True:
            above = self.above()
            token = self.next()
            if token.kind == "end":
                break
            if token.kind == "directive":
                if token.text.startswith("#ifndef ") and guard is None:
                    guard = token.text.split()[1]
                elif token.text.startswith("#if"):
                    self.condition(token)
                elif token.text.split() == ["#define", guard]:
                    pass
                elif token.text.startswith("#define "):
                    self.define(token, above)
                elif token.text.startswith("#endif") and guard:
                    guard = ""
                elif not token.text.startswith("#include "):
                    self.fail(token, "#define, #include or #if")
            elif token.text == "typedef":
                self.typedef(above)
            elif token.text == "RILL_API":
                self.function(above)
            elif token.text == "enum":
                tag, values = self.enum()
                if tag:
                    self.fail(token, "typedef enum")
                self.expect(";")
                for i, value in enumerate(values):
                    head = above if i == 0 else ""
                    self.add("constants", dict(value, comment="\n".join(filter(None, (head, value["comment"])))))
            else:
                self.fail(token, "a declaration of the API")
        if guard != "":
            raise Unknown("the header has no include guard")
        parts = [self.values.get(f"RILL_VERSION_{part}") for part in ("MAJOR", "MINOR", "PATCH")]
        return dict({"version": ".".join(map(str, parts))}, **self.api)


def dump(text):
    return Parser(text).parse()


# ------------------------------------------------------------------------------------------------------------- self-test

SAMPLE = """/* A header. */
#ifndef A_H
#define A_H
#include <stdint.h>
#if defined(_WIN32)
#define RILL_API __declspec(dllexport)
#else
#define RILL_API
#endif

/* ------------------------------ heading */

/* Numbers. */
#define RILL_VERSION_MAJOR 1
#define RILL_VERSION_MINOR 2
#define RILL_VERSION_PATCH 3
#define RILL_AUTO (-1.0) /* chosen */
/* Kinds. */
typedef enum rill_kind {
    RILL_A = 0, /* first */
    RILL_B = 1u << 4,
    RILL_COUNT /* one more */
} rill_kind;
typedef struct rill_world rill_world;
/* Indices. */
enum { RILL_WEST = 0, RILL_EAST };
typedef uint32_t rill_status;
typedef void rill_task(void *context, int32_t index);
/* A thing. */
typedef struct rill_thing {
    double min[3], max[RILL_COUNT]; /* corners,
                                       both */
    /* Calls. */
    void *(*allocate)(size_t size, void *user);
    const char *name;
} rill_thing;
/* Does it.
 *
 * Well. */
RILL_API const char *rill_do(const rill_world *world, const double at[3], rill_task *task); /* or not */
RILL_API void rill_none(void);
#endif
"""

BROKEN = [("union", "typedef union rill_u { int32_t a; } rill_u;"), ("a static function", "static inline int32_t rill_f(void);"),
          ("an unknown type", "RILL_API FILE *rill_f(void);"), ("a macro with arguments", "#define RILL_MAX(a, b) a"),
          ("a value that is none", "#define RILL_X RILL_NOTHING"), ("a bit-field", "typedef struct rill_b { int32_t a : 3; } rill_b;"),
          ("a name for a parameter is missing", "RILL_API void rill_f(int32_t);"), ("two of a name", "RILL_API void rill_none(void);"),
          ("variable arguments", "RILL_API void rill_f(const char *format, ...);"), ("no semicolon", "RILL_API void rill_f(void)"),
          ("another name", "typedef struct rill_c { int32_t a; } rill_d;"), ("a function without RILL_API", "void rill_f(void);")]


def self_test():
    api = dump(SAMPLE)
    thing, do, none = api["structs"][0], *api["functions"]
    seen = [
        (api["version"], "1.2.3"),
        ([(c["name"], c["value"]) for c in api["constants"]][3:], [("RILL_AUTO", -1.0), ("RILL_WEST", 0), ("RILL_EAST", 1)]),
        ([c["comment"] for c in api["constants"]], ["Numbers.", "", "", "chosen", "Indices.", ""]),
        ([(v["value"], v["comment"]) for v in api["enums"][0]["values"]], [(0, "first"), (16, ""), (17, "one more")]),
        (api["enums"][0]["comment"], "Kinds."),
        ([h["name"] for h in api["handles"]], ["rill_world"]),
        ([(t["name"], t["type"]) for t in api["typedefs"]], [("rill_status", "uint32_t"), ("rill_task", "void (void *, int32_t)")]),
        ([(m["name"], m["type"], m["comment"]) for m in thing["members"]],
         [("min", "double [3]", "corners,\nboth"), ("max", "double [17]", "corners,\nboth"),
          ("allocate", "void * (*)(size_t, void *)", "Calls."), ("name", "const char *", "")]),
        (do["comment"], "Does it.\n\nWell.\nor not"), (do["result"], "const char *"),
        ([(p["name"], p["type"]) for p in do["parameters"]],
         [("world", "const rill_world *"), ("at", "const double [3]"), ("task", "rill_task *")]),
        (none["parameters"], []),
    ]
    failed = [f"{got!r} instead of {wanted!r}" for got, wanted in seen if got != wanted]
    for what, line in BROKEN:
        try:
            dump(SAMPLE.removesuffix("#endif\n") + line + "\n#endif\n")
            failed.append(f"it has nothing against {what}: {line}")
        except Unknown:
            pass
    real = dump(HEADER.read_text(encoding="utf-8"))
    declared = len(re.findall(r"^RILL_API ", HEADER.read_text(encoding="utf-8"), re.MULTILINE))
    if declared != len(real["functions"]):
        failed.append(f"{len(real['functions'])} functions of {declared}")
    print("\n".join(failed + [f"{len(seen) + len(BROKEN) + 1 - len(failed)} passed, {len(failed)} failed"]))
    return 1 if failed else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    names_alone = "--functions" in arguments
    files = [a for a in arguments if a != "--functions"]
    if len(files) > 1 or any(a.startswith("-") for a in files):
        sys.exit(__doc__.strip())
    file = pathlib.Path(files[0]) if files else HEADER
    try:
        api = dump(file.read_text(encoding="utf-8"))
    except Unknown as what:
        sys.exit(f"{file}: {what}")
    print("\n".join(f["name"] for f in api["functions"]) if names_alone else json.dumps(api, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
