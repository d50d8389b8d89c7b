"""Where a fault can be planted in a source, and what it would read then."""
import collections
import dataclasses
import pathlib
import re
import sys

import syntax

ARITHMETIC = {"bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long",
              "unsigned long", "long long", "unsigned long long", "float", "double", "long double"}
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
EXAMPLES = {"Encoding", "Table", "Rotary", "Bias", "Contextual", "Attention", "Made", "NegativeExample",
            "NegativeExample>"}  # one, or a vector of them
# The list of them at the foot of a property.
EXAMPLE_LIST = re.compile(r"^ +\.must_reject =.*?(?=^ +\.\w+ =|^};)", re.M | re.S)
AN_EXAMPLE = "negative example: another wrong encoding"
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConversionDecl", "CXXConstructorDecl", "CXXDestructorDecl"}
LOOPS = {"ForStmt", "WhileStmt", "DoStmt", "CXXForRangeStmt"}
EXTREMES = {"max": "min", "min": "max", "fmax": "fmin", "fmin": "fmax"}
MAGNITUDES = {"abs", "fabs", "llabs", "labs"}
# Where a statement may stand: from which child on.
STATEMENTS_IN = {
    "CompoundStmt": lambda node: 0,
    "IfStmt": lambda node: 1 + bool(node.raw.get("hasInit")) + bool(node.raw.get("hasVar")),
    "ForStmt": lambda node: 4,
    "WhileStmt": lambda node: len(node.children) - 1,
    "CXXForRangeStmt": lambda node: len(node.children) - 1,
}
# What no run of a program evaluates.
UNEVALUATED = {"UnaryExprOrTypeTraitExpr", "ConceptSpecializationExpr", "RequiresExpr", "CXXNoexceptExpr", "TypeTraitExpr",
               "DecltypeType", "StaticAssertDecl", "TemplateArgument", "NonTypeTemplateParmDecl", "EnumConstantDecl",
               "ConstantExpr", "AlignedAttr"}


@dataclasses.dataclass
class Site:
    """One fault. An expression in [begin, end) becomes `code` where the mutant runs; a statement is inserted at `begin`."""
    operator: str
    file: str
    begin: int
    end: int
    code: str           # what takes the expression's place; of an insertion: the statement
    type: str           # to which both are cast; of an insertion: empty
    line: int
    before: str
    after: str
    at_run_time: bool   # in a function that the compiler may evaluate itself

    @property
    def inserts(self):
        return self.begin == self.end


_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*|/\*.*?\*/|\s+', re.S)


def flat(text):
    """A piece of source on one line, without comments."""
    def one(match):
        token = match.group()
        return token if token[0] in "\"'" else " "
    return _TOKEN.sub(one, text).strip()


def _strip(node):
    """The expression under what the compiler adds to it."""
    while node.children and node.kind in ("ImplicitCastExpr", "ExprWithCleanups", "MaterializeTemporaryExpr",
                                          "CXXBindTemporaryExpr", "ConstantExpr", "SubstNonTypeTemplateParmExpr"):
        node = node.children[0]
    return node


def _called(node):
    """The name of the function that a call names."""
    named = _strip(node.children[0]) if node.children else None
    if named is None:
        return ""
    if named.kind == "DeclRefExpr":
        return named.raw.get("referencedDecl", {}).get("name", "")
    if named.kind in ("UnresolvedLookupExpr", "MemberExpr"):
        return named.raw.get("name", "")
    return ""


def _arithmetic(type_):
    type_ = type_.removeprefix("const ")
    return type_ if type_ in ARITHMETIC else None


class Sites:
    """The sites of one file, in the order of the text, and how many were left out, by reason."""

    def __init__(self, file, text):
        self.file = file
        self.text = text
        self.found = []
        self.excluded = collections.Counter()
        self._reason = None
        self._constexpr = False
        self._examples = []
        if "properties" in pathlib.PurePath(file).parts:
            self._examples = [match.span() for match in EXAMPLE_LIST.finditer(text)]
        self._lines = [0]
        for at, char in enumerate(text):
            if char == "\n":
                self._lines.append(at + 1)

    def line_of(self, offset):
        low, high = 0, len(self._lines)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._lines[middle] <= offset else (low, middle)
        return low + 1

    # -- what is written down ---------------------------------------------------------------------------------------

    def _source(self, node):
        return self.text[node.begin:node.end]

    def _add(self, operator, begin, end, code, type_, before, after, line=None):
        reason = self._reason
        if any(first <= begin < last for first, last in self._examples):
            reason = AN_EXAMPLE
        if reason:
            self.excluded[reason] += 1
            return
        if 'R"' in self.text[begin:end]:
            self.excluded["raw string"] += 1
            return
        self.found.append(Site(operator, self.file, begin, end, code, type_, line or self.line_of(begin), before, after,
                               self._constexpr))

    def _expression(self, operator, node, code, type_=None):
        """`node` reads `code` instead."""
        if not self._in_text(node):
            return
        before = flat(self._source(node))
        code = flat(code)
        if code == before:
            return
        self._add(operator, node.begin, node.end, code, type_ if type_ is not None else self._cast(node), before, code)

    def _cast(self, node):
        """The type that both readings of `node` are cast to."""
        builtin = _arithmetic(node.type)
        return builtin or f"std::decay_t<decltype({flat(self._source(node))})>"

    def _in_text(self, node):
        if node.file != self.file or node.begin is None:
            return False
        if node.in_macro:
            self.excluded["macro"] += 1
            return False
        return True

    # -- the walk ---------------------------------------------------------------------------------------------------

    def walk(self, node, parent=None):
        kind = node.kind
        if node.raw.get("isImplicit") or kind in ("BindingDecl", "CXXDefaultArgExpr", "CXXDefaultInitExpr"):
            return
        if kind in ("ClassTemplateSpecializationDecl", "ClassTemplatePartialSpecializationDecl", "VarTemplateSpecializationDecl"):
            return
        saved = self._reason, self._constexpr
        if kind in UNEVALUATED:
            self._reason = self._reason or "not evaluated at run time"
        if kind == "VarDecl" and node.raw.get("constexpr"):
            self._reason = self._reason or "constexpr variable"
        if kind in FUNCTIONS:
            if self._makes_an_example(node):
                self._reason = self._reason or AN_EXAMPLE
            self._constexpr = bool(node.raw.get("constexpr"))
        getattr(self, "_at_" + kind, lambda *_: None)(node, parent)
        for child in self._evaluated(node):
            self.walk(child, node)
        self._reason, self._constexpr = saved

    def _makes_an_example(self, node):
        """What a property must refute is wrong already: changed, it is wrong in another way."""
        gives = node.type.split("(")[0].split("::")[-1].strip()
        return "properties" in pathlib.PurePath(self.file).parts and gives in EXAMPLES

    def _evaluated(self, node):
        """The children whose text stands in the file: not what the compiler makes of them."""
        children = node.children
        if node.kind == "CXXForRangeStmt":
            return [children[0], children[1], children[-1]]
        if node.kind == "FunctionTemplateDecl":
            functions = [child for child in children if child.kind in FUNCTIONS]
            return functions[:1]
        if node.kind == "CXXRewrittenBinaryOperator":
            return self._operands(node) or []
        if node.kind == "IfStmt" and node.raw.get("isConstexpr"):
            return children[1 + bool(node.raw.get("hasInit")) + bool(node.raw.get("hasVar")):]
        if node.kind == "CaseStmt":
            return children[-1:]
        return children

    # -- operators: one method for each kind of node ----------------------------------------------------------------

    def _at_BinaryOperator(self, node, parent):
        if node.raw.get("opcode") == "=":
            self._left_out(node, parent)
        elif len(node.children) == 2:
            self._binary(node, node.children[0], node.children[1], node.raw.get("opcode", ""))

    def _operands(self, node):
        """Of an operator that is a function, or made of another one: both operands, in the order of the text."""
        here, queue = node, [node]
        while queue:
            here = queue.pop(0)
            if here.kind == "CXXOperatorCallExpr" and len(here.children) == 3:
                return sorted(here.children[1:], key=lambda child: child.begin or 0)
            queue += here.children
        return None

    def _between(self, left, right):
        if None in (left.end, right.begin) or left.file != self.file or right.file != self.file:
            return ""
        return flat(self.text[left.end:right.begin]).replace(")", "").replace("(", "").strip()

    def _at_CXXRewrittenBinaryOperator(self, node, parent):
        operands = self._operands(node)
        if operands:
            self._binary(node, *operands, self._between(*operands))

    def _at_CXXOperatorCallExpr(self, node, parent):
        if len(node.children) != 3:
            return
        name = _called(node).removeprefix("operator")
        left, right = node.children[1:]
        if name == "[]":
            self._index(right)
        elif name == "=" or name in ("+=", "<<", "*="):
            self._left_out(node, parent)
        else:
            self._binary(node, left, right, name)

    def _binary(self, node, left, right, operator):
        if not self._in_text(node) or left.end is None or right.begin is None or left.end > right.begin:
            return
        if left.file != self.file or right.file != self.file:
            return
        between = self.text[left.end:right.begin]
        if between.count(operator) != 1:
            return

        def with_operator(other):
            return self.text[node.begin:left.end] + between.replace(operator, " " + other + " ") + self.text[right.begin:node.end]

        if operator in COMPARISONS:
            self._expression("comparison", node, with_operator(COMPARISONS[operator]), "bool")
        elif operator in ("&&", "||"):
            self._expression("condition dropped", node, self.text[right.begin:right.end], "bool")
            self._expression("condition dropped", node, self.text[left.begin:left.end], "bool")
        elif operator in ("+", "-", "*", "/", "%"):
            if operator in "+-" and _arithmetic(node.type):
                self._expression("sign", node, with_operator("-" if operator == "+" else "+"))
            self._expression("term dropped", node, self.text[left.begin:left.end])
            if operator in "+*":
                self._expression("term dropped", node, self.text[right.begin:right.end])

    def _at_CompoundAssignOperator(self, node, parent):
        operator = node.raw.get("opcode", "")
        left, right = node.children
        self._left_out(node, parent)
        if operator in ("+=", "-=") and self._in_text(node) and _arithmetic(node.type):
            between = self.text[left.end:right.begin]
            other = "-=" if operator == "+=" else "+="
            if between.count(operator) == 1 and self._is_statement(node, parent):
                self._statement("sign", node, self._source(left) + " " + other + " " + self._source(right))

    def _at_UnaryOperator(self, node, parent):
        operator = node.raw.get("opcode", "")
        if operator == "-":
            self._expression("sign", node, self._source_of(node.children[0]))
        elif operator == "!":
            self._expression("negation dropped", node, self._source_of(node.children[0]), "bool")

    def _source_of(self, node):
        return self.text[node.begin:node.end] if node.begin is not None and node.file == self.file else ""

    def _literal(self, node, parent, times):
        if not self._in_text(node):
            return
        written = flat(self._source(node))
        try:
            value = float(node.raw.get("value", "0"))
        except ValueError:
            return
        if value == 0 or not re.match(r"[0-9.]", written):
            return
        type_ = node.type
        if parent is not None and parent.kind == "ImplicitCastExpr" and (parent.begin, parent.end) == (node.begin, node.end):
            type_ = parent.type
        self._expression("constant times 16", node, f"{times} * {written}", _arithmetic(type_) or node.type)

    def _at_IntegerLiteral(self, node, parent):
        self._literal(node, parent, "16")

    def _at_FloatingLiteral(self, node, parent):
        self._literal(node, parent, "16")

    def _at_CXXBoolLiteralExpr(self, node, parent):
        if parent is not None and parent.kind in LOOPS:
            # A function that ends behind a loop which it leaves by `return` alone does what the compiler likes.
            self.excluded["condition of an endless loop"] += 1
        elif self._in_text(node):
            self._expression("flag flipped", node, "false" if self._source(node) == "true" else "true", "bool")

    def _index(self, index):
        type_ = _arithmetic(index.type)
        if not type_ or not self._in_text(index):
            return
        written = self._source(index)
        literal = _strip(index).kind == "IntegerLiteral"
        self._expression("index off by one", index, f"({written}) + 1", type_)
        if not literal and _strip(index).kind not in ("CXXBoolLiteralExpr",):
            self._expression("only the first", index, "0", type_)

    def _at_ArraySubscriptExpr(self, node, parent):
        self._index(node.children[1])

    def _condition(self, condition, values):
        if not self._in_text(condition):
            return
        for value in values:
            self._expression(f"branch {'always' if value == 'true' else 'never'} taken", condition, value, "bool")

    def _at_IfStmt(self, node, parent):
        if node.raw.get("hasVar"):
            self.excluded["condition that declares a variable"] += 2
            return
        if node.raw.get("isConstexpr"):
            self.excluded["if constexpr"] += 2
            return
        self._condition(node.children[1 if node.raw.get("hasInit") else 0], ("true", "false"))

    def _at_ConditionalOperator(self, node, parent):
        self._condition(node.children[0], ("true", "false"))

    def _at_CallExpr(self, node, parent):
        self._call(node, node.children[1:])
        self._left_out(node, parent)
        if self._in_text(node) and len(node.children) > 1:
            name = _called(node)
            callee = node.children[0]
            if name in EXTREMES and callee.end is not None and callee.file == self.file:
                called = self._source(callee)
                other = re.sub(rf"\b{name}\b", EXTREMES[name], called)
                if other != called:
                    self._expression("max for min", node, other + self.text[callee.end:node.end])
            if name in MAGNITUDES and len(node.children) == 2:
                self._expression("sign", node, self._source_of(node.children[1]))

    def _at_CXXMemberCallExpr(self, node, parent):
        self._call(node, node.children[1:])
        self._left_out(node, parent)

    def _at_CXXConstructExpr(self, node, parent):
        self._call(node, node.children)

    _at_CXXTemporaryObjectExpr = _at_CXXConstructExpr

    def _call(self, node, arguments):
        for argument in arguments:
            type_ = _arithmetic(argument.type)
            if not type_ or argument.raw.get("valueCategory") != "prvalue" or argument.kind == "CXXDefaultArgExpr":
                continue
            if not self._in_text(argument) or _strip(argument).kind in ("IntegerLiteral", "FloatingLiteral", "CXXBoolLiteralExpr",
                                                                        "CharacterLiteral"):
                continue
            self._expression("argument ignored", argument, "false" if type_ == "bool" else "0", type_)

    # -- statements -------------------------------------------------------------------------------------------------

    def _is_statement(self, node, parent):
        if parent is None or parent.kind not in STATEMENTS_IN:
            return False
        at = next((at for at, child in enumerate(parent.children) if _strip(child) is node), -1)
        return at >= STATEMENTS_IN[parent.kind](parent)

    def _at_ExprWithCleanups(self, node, parent):
        """Its child stands where it stands."""
        inner = _strip(node)
        if inner.kind in ("CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr", "BinaryOperator"):
            self._left_out(inner, parent)

    def _left_out(self, node, parent):
        if self._is_statement(node, parent):
            self._statement("statement left out", node, "")

    def _statement(self, operator, node, code):
        if not self._in_text(node):
            return
        before, code = flat(self._source(node)), flat(code)
        self._add(operator, node.begin, node.end, code or "0", "void", before, code or "nothing")

    def _function(self, node, parent):
        body = node.children[-1] if node.children else None
        if body is None or body.kind != "CompoundStmt" or not self._in_text(body) or not body.children:
            return
        if node.kind in ("CXXConstructorDecl", "CXXDestructorDecl"):
            return
        signature = node.raw.get("type", {}).get("qualType", "")
        name = node.raw.get("name", "")
        result = signature.split("(")[0].strip()
        if result.endswith("&") or result.startswith("auto") or result == "":
            self.excluded["early return of a reference or a deduced type"] += 1
            return
        if result == "void":
            statement = "return;"
        else:
            if len(body.children) == 1 and flat(self._source_of(body.children[0])).startswith("return {}"):
                return
            statement = "return {};"
        at = body.begin + 1
        self._add("early return", at, at, statement, "", f"{name}()", statement.rstrip(";"))

    _at_FunctionDecl = _at_CXXMethodDecl = _function

    def _loop(self, node, parent):
        body = node.children[0] if node.kind == "DoStmt" else node.children[-1]
        if not self._in_text(body):
            return
        head = flat(self.text[node.begin:body.begin])
        if body.kind == "CompoundStmt":
            at = body.end - 1
            self._add("loop runs once", at, at, "break;", "", head, "break at its end", self.line_of(node.begin))

    def _at_WhileStmt(self, node, parent):
        self._loop(node, parent)

    def _at_DoStmt(self, node, parent):
        self._loop(node, parent)

    def _at_CXXForRangeStmt(self, node, parent):
        self._loop(node, parent)
        self._loop_of_one(node)

    def _at_ForStmt(self, node, parent):
        self._loop(node, parent)
        self._loop_of_one(node)

    def _loop_of_one(self, node):
        """A body without braces: the statement itself is left out, or followed by a break."""
        body = node.children[-1]
        if body.kind == "CompoundStmt" or not self._in_text(body):
            return
        end = self._end_of(body)
        if end is not None:
            head = flat(self.text[node.begin:body.begin])
            self._add("loop runs once", body.begin, end, "break;", "statement", head, "break at its end", self.line_of(node.begin))

    def _end_of(self, statement):
        """Behind the semicolon or the brace that ends a statement."""
        if statement.kind == "CompoundStmt":
            return statement.end
        if statement.kind in LOOPS - {"DoStmt"} or statement.kind == "IfStmt":
            return self._end_of(statement.children[-1])
        match = re.compile(r"\s*;").match(self.text, statement.end)
        return match.end() if match else None


def sites_in(task):
    """Every site in the files that one source holds or includes: (path, sites, excluded) of each."""
    clang, command, directory, file, texts = task
    found = {}
    try:
        trees = syntax.trees(clang, command, directory, file)
    except syntax.Unreadable as unreadable:
        print(unreadable, file=sys.stderr, flush=True)
        return [(file, [], collections.Counter({"clang cannot print the tree (files)": 1}))]
    for tree in trees:
        queue_ = [tree]
        while queue_:
            node = queue_.pop()
            if node.kind in ("NamespaceDecl", "LinkageSpecDecl"):
                queue_ += node.children
                continue
            if node.file not in texts:
                continue
            if node.file not in found:
                found[node.file] = Sites(node.file, texts[node.file])
            found[node.file].walk(node)
    return [(path, sites.found, sites.excluded) for path, sites in found.items()]
