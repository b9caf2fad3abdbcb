"""The filter loses nothing: whatever could be an object of a wanted kind passes."""

import json
import random
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.source.podtemplates import POD_OWNERS
from trainlint.source.prefilter import KindFilter, top_kind

KINDS = KindFilter({"Node", "Pod", "PyTorchJob"})

HOLDS = [
    "kind: Node\n",
    '"kind": "Node"\n',
    "'kind' : 'Node'\n",
    '{"kind":"Node"}',
    '{"a": 1,"kind" :\n"Node"}',
    '{"kind"\n: "Node"}',
    "{apiVersion: v1, kind: Node}",
    "kind:\n  Node\n",
    "kind: # which\n  # one\n  Node\n",
    "? kind\n: Node\n",
    "? # c\n  kind\n: Node\n",
    "? !!str kind\n: Node\n",
    "! kind : Node\n",
    "!!str kind: Node\n",
    "&k kind: Node\n",
    "x: &k kind\n*k : Node\n",
    "x: [&k 'kind', 1]\n*k : Node\n",
    "kind: !!str Node\n",
    "kind: &a Node\n",
    "x: &a Node\nkind: *a\n",
    "kind: |-\n  Node\n",
    "kind: >-\n  Node\n",
    'kind: "\\x4eode"\n',
    'kind: "No\\u0064e"\n',
    'kind: "No\\\n  de"\n',
    '"\\x6bind": Node\n',
    '"k\\u0069nd": Node\n',
    '"ki\\U0000006ed": Node\n',
    '"ki\\\n  nd": Node\n',
    '"\\\n  kind": Node\n',
    "!!binary a2luZA==: Node\n",
    "!<tag:yaml.org,2002:binary> a2luZA==: Node\n",
    "%TAG !y! tag:yaml.org,2002:\n---\n!y!binary a2luZA==: Node\n",
    "kind: List\nitems:\n- kind: Node\n",
    "kind: NodeList\nitems:\n- metadata: {name: a}\n",
    "items: [{kind: Pod}]\nkind: List\n",
    "kind: Node # the first\n",
    "\ufeffkind: Node\n",
    "kind:\tNode\n",
    "kind: Node\r\n",
    "a: 1\rkind: Node\r",
    "x: &x {kind: Node}\n<<: *x\n",
    "kind: Foo\nkind: Node\n",
    "kind: {{ .Values.kind }}\n",
    "kind: ${KIND}\n",
]
LACKS = [
    "",
    "kind: Deployment\n",
    '"kind": "Deployment"',
    "kind: Nodes\n",
    "kind: NodePool\n",
    "kind: Node-pool\n",
    "kind: Node.x\n",
    "mykind: Node\n",
    "x.kind: Node\n",
    "kinds: [Node]\n",
    "# this kind of text\n",
    "required:\n- kind\n- name\n",
    "kind:\n  description: Kind is a string.\n  type: string\n",
    '{"kind": {"type": "string"}}',
    "kind: worker\nimage: Node\n",
    "metadata: {name: Node}\n",
    "kind: Deployment # Node\n",
    "run: a \\\n  b\n",
    'x: "\\u003cb\\u003e"\n',
]


@pytest.mark.parametrize("text", HOLDS)
def test_every_way_to_write_a_kind_passes(text):
    assert KINDS.may_hold(text)
    assert KINDS.may_hold(text.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_pass_because_they_must_be_decoded_first(encoding):
    assert KINDS.may_hold("kind: Node\n".encode(encoding))


@pytest.mark.parametrize("text", LACKS)
def test_what_cannot_hold_a_wanted_kind_is_skipped(text):
    assert not KINDS.may_hold(text)


def test_without_kinds_nothing_is_wanted():
    assert not KindFilter(()).may_hold("kind: Node\n")


def wanted(value):
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    if kind in KINDS.kinds:
        return True
    items = value.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
        return kind.removesuffix("List") in KINDS.kinds or any(map(wanted, items))
    return False


LEAVES = st.sampled_from(["kind", "Node", "x", "a b", "kind: Node", "no", "é", ""]) | st.booleans() | st.none()
KEYS = st.sampled_from(["kind", "items", "spec", "Node", "a.kind", "kind "])
OBJECTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)
HEADS = st.sampled_from(["Node", "Pod", "List", "NodeList", "Deployment", "DeploymentList", "PyTorchJob"])
STYLES = st.fixed_dictionaries(
    {
        "default_style": st.sampled_from([None, '"', "'", "|", ">"]),
        "default_flow_style": st.sampled_from([None, True, False]),
        "indent": st.integers(1, 6),
        "width": st.sampled_from([1, 5, 20, 80]),
        "allow_unicode": st.booleans(),
        "line_break": st.sampled_from(["\n", "\r\n", "\r"]),
        "canonical": st.sampled_from([False, False, True]),
    }
)


@given(OBJECTS, HEADS, STYLES, st.booleans())
def test_a_document_dumped_in_any_style_passes_if_it_holds_a_wanted_kind(value, head, style, inside):
    whole = {"spec": value, "kind": head}
    if inside:
        whole = {"items": [{"kind": "Foo"}, whole], "kind": "List"}
    text = yaml.safe_dump(whole, **style)
    assert KINDS.may_hold(text) or not wanted(load(text.replace("\r\n", "\n").replace("\r", "\n")).data)
    assert KINDS.may_hold(json.dumps(whole, indent=len(text) % 3 or None)) or not wanted(whole)


PIECES = [
    *(
        "kind",
        "Node",
        ":",
        " ",
        ": ",
        "\n",
        "\n  ",
        "- ",
        '"',
        "'",
        "{",
        "}",
        ", ",
        "[",
        "]",
        "# c\n",
        "? ",
        "&a ",
        "*a",
    ),
    *("!!str ", "! ", "|-\n  ", "\\\n", "\\x6b", "\\u006e", "k", "ind", "List", "items", "<<: ", "\t", "x", "---\n"),
]


def test_no_text_made_of_awkward_pieces_is_lost():
    chance = random.Random(7)
    deadline = time.monotonic() + 3
    found = 0
    while time.monotonic() < deadline:
        text = "".join(chance.choices(PIECES, k=chance.randint(2, 9)))
        if KINDS.may_hold(text):
            continue
        try:
            data = load(text).data
        except (YamlError, TooDeepError):
            continue
        found += 1
        assert not wanted(data), text
    assert found > 1000


SLOW = [b"kind\n", b" " * 50, b"?\n", b"& ", b"!!a &b ", b"#\n", b"kind: Foo\n", b"\\\n", b"kind:\n", b'"', b"kind : "]


@pytest.mark.parametrize("piece", SLOW)
def test_no_text_makes_the_filter_slow(piece):
    content = (piece * (200_000 // len(piece))) + b"kind"
    begin = time.perf_counter()
    KINDS.may_hold(content)
    assert time.perf_counter() - begin < 3, "a quadratic search would take minutes"


@pytest.mark.parametrize("text", HOLDS)
def test_one_document_that_holds_a_wanted_kind_may_be_one(text):
    assert KINDS.may_be(text)


LINES = [
    "kind: Foo",
    "kind: Node",
    "kind : Node",
    "kind: Foo # c",
    "kind:",
    "  kind: Node",
    "'kind': Node",
    '"kind": Node',
]
LINES += [
    "? kind",
    ": Node",
    "a: |",
    "a: >-",
    'a: "x',
    'y"',
    "a: 'x",
    "z'",
    "a: {",
    "}",
    "a: [",
    "]",
    "- kind: Node",
    "b: 1",
]
LINES += [
    "<<: {kind: Node}",
    "!!str kind: Node",
    "&k kind: Node",
    "x: &k kind",
    "*k : Node",
    "# kind: Node",
    "",
    " |",
    "\tkind: Node",
]
LINES += [
    "items:",
    "- a",
    "kind: NodeList",
    "kind: a\rkind: Node",
    "kind: a\u2028kind: Node",
    "kindly: Node",
    "kind-of: Node",
]


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=6).map("\n".join))
def test_the_kind_at_the_top_is_the_one_that_the_document_has(text):
    kind = top_kind(text)
    try:
        data = load(text).data
    except (YamlError, TooDeepError):
        return
    if kind is not None and isinstance(data, dict) and "kind" in data:
        assert str(data.get("kind")).split()[0] == kind  # a text may go on in the next line, and is no kind then


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=6).map("\n".join))
def test_no_document_is_lost(text):
    try:
        data = load(text).data
    except (YamlError, TooDeepError):
        return
    if isinstance(data, dict) and str(data.get("kind")) in {"Node", "NodeList"}:
        assert KINDS.may_be(text)


def test_the_definition_of_a_kind_is_not_of_it():
    definition = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  names:\n    kind: PyTorchJob\n"
    )
    filters = KindFilter({"PyTorchJob", "ConfigMap/one", POD_OWNERS})
    assert filters.may_hold(definition)
    assert not filters.may_be(definition)
    assert not filters.may_be(definition + "    containers:\n")
    assert filters.may_be("kind: Unheard\nspec:\n  containers: [{}]\n")
    assert filters.may_be("kind: ConfigMap\nmetadata: {name: one}\n")
    assert not filters.may_be("kind: Secret\nmetadata: {name: one}\n")
