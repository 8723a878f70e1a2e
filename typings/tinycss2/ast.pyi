class Node:
    type: str
    def serialize(self) -> str: ...

class QualifiedRule(Node):
    prelude: list[Node]
    content: list[Node]

class AtRule(Node):
    lower_at_keyword: str
    prelude: list[Node]
    content: list[Node] | None

class Declaration(Node):
    name: str
    lower_name: str
    value: list[Node]
    important: bool

class LiteralToken(Node):
    value: str

class StringToken(Node):
    value: str

class URLToken(Node):
    value: str

class NumberToken(Node):
    value: float

class DimensionToken(Node):
    value: float
    lower_unit: str

class FunctionBlock(Node):
    lower_name: str
    arguments: list[Node]

class ParenthesesBlock(Node):
    content: list[Node]
