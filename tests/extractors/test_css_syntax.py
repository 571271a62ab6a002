"""Splitting CSS: the same rules and declarations as a full tokenizer finds, broken sheets included."""

from __future__ import annotations

import pytest
import tinycss2
from hypothesis import example, given
from hypothesis import strategies as st

from extractors.css import syntax
from extractors.css.syntax import Declaration, Rule, block_contents, declaration, nesting, stylesheet
from extractors.css.tokens import component_values

CHARACTERS = st.sampled_from("ab1-_.#:;,{}()[]@!\"'\\/*<> \n%")
CSS = st.text(alphabet=CHARACTERS, max_size=80)


def described(tokens: list[object]) -> list[tuple[object, ...]]:
    names = ("type", "value", "unit", "int_value", "is_identifier", "representation", "name", "kind")
    return [tuple(getattr(token, name, None) for name in names) for token in tokens]


@given(CSS)
@example("a{b:c}d{e:f}")
@example("a{b:'}'}c{d:e}")
@example("a{b:url(x}y)}c{d:e}")
@example("@media x{a{b:c}}d{e:f}")
@example("@import 'x;y';a{b:c}")
@example('a{b:"\n}c{d:e}')
@example("}a{b:c}d{e:f}")
@example("a(b{c:d}e){f:g}h{i:j}")
@example("@")
@example("@ a{b:c}")
@example("@-a;@--b;@_c;@\\64;d{e:f}")
def test_rules_are_those_of_the_tokenizer(text: str) -> None:
    expected = [
        (getattr(rule, "lower_at_keyword", ""), rule.content is not None)
        for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        if rule.type != "error"
    ]
    found = [(rule.name, rule.block is not None) for rule in stylesheet(text)]
    if "\\" in text:  # an escape in an at-keyword is left as it is written
        assert [has_block for _, has_block in found] == [has_block for _, has_block in expected]
    else:
        assert found == expected


@given(CSS)
@example("color:red;background:url(a;b)")
@example("font-family:'a;b';color:red")
def test_the_shortcut_splits_as_the_long_way_does(text: str) -> None:
    quick = [item if isinstance(item, Rule) else declaration(item) for item in block_contents(text)]
    careful = [
        syntax._rule(text, start, stop, block)
        if block is not None or syntax._AT.match(text, start)
        else declaration(text[start:stop])
        for start, stop, block in syntax._items(text, nested=True)
    ]
    assert [item for item in quick if item] == [item for item in careful if item]


@given(CSS)
@example("12px #fff .5em -1% a-b")
@example("1e3 1e3px 1.5.5 +.5 -a --b 1-2 a(b)")
def test_plain_tokens_are_those_of_the_tokenizer(text: str) -> None:
    assert described(component_values(text)) == described(tinycss2.parse_component_value_list(text, skip_comments=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("color: red", Declaration("color", "red", False)),
        ("COLOR:Red ! IMPORTANT", Declaration("color", "Red", True)),
        ("--Name: x", Declaration("--Name", "x", False)),
        ("color:red!important/**/", Declaration("color", "red", True)),
        ("co\\6cor: red", Declaration("color", "red", False)),
        ("*color: red", None),
        ("color red", None),
        (": red", None),
    ],
)
def test_declarations(text: str, expected: Declaration | None) -> None:
    assert declaration(text) == expected


def test_the_end_of_the_text_closes_everything() -> None:
    assert stylesheet("a{b:c") == [Rule("", "a", "b:c")]
    assert stylesheet("@media x{a{b:c") == [Rule("media", "x", "a{b:c")]
    assert stylesheet("a{b:'x") == [Rule("", "a", "b:'x")]


def test_comments_of_html_are_nothing_between_rules() -> None:
    assert [rule.prelude for rule in stylesheet("<!-- a{b:c} --> d{e:f}")] == ["a", "d"]


def test_nested_rules_stand_among_declarations() -> None:
    contents = block_contents("color:red; .b{color:blue} padding:1px; @media x{color:lime}")
    assert [item for item in contents if isinstance(item, Rule)] == [
        Rule("", ".b", "color:blue"),
        Rule("media", "x", "color:lime"),
    ]


def test_nesting_counts_brackets_outside_strings() -> None:
    assert nesting("a(b[c{d}])") == 3
    assert nesting("'((('") == 0
    assert nesting("/* ((( */ (") == 1
