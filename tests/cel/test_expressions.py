"""Expressions come to what Kubernetes documents for its functions; what cannot be evaluated here is unknown."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from trainlint.cel.evaluation import Evaluation
from trainlint.cel.expression import Variables, expression

SELF: Variables = (("self", "dyn"), ("oldSelf", "dyn"))
DATA = {"a": 1, "l": [1, 2, 3], "s": "text", "m": {"k": "v"}, "namespace": "ml"}

TEN = "[1,2,3,4,5,6,7,8,9,10]"


def outcome(text: str, **values: Any) -> Evaluation:
    return expression(text, SELF).evaluate({"self": DATA, **values})


@pytest.mark.parametrize(
    "text",
    [
        # the language
        "self.a + 1 == 2",
        "!has(self.b)",
        "self.?b.orValue(3) == 3",
        "self[?'a'].hasValue()",
        "self.?b.?c.optMap(x, x).orValue('none') == 'none'",
        "self.l.all(i, v, v == i + 1)",
        "self.l.exists(i, v, i == 2 && v == 3)",
        "self.l.transformList(i, v, v * 2) == [2, 4, 6]",
        "cel.bind(x, self.a, x + x == 2)",
        "self.namespace == 'ml'",
        "self.a > 0.5",
        "false && self.b == 1 || true",
        # quantities (library/quantity.go)
        "quantity('50M').isGreaterThan(quantity('25Mi'))",
        "quantity('200M').compareTo(quantity('0.2G')) == 0",
        "quantity('50Mi').add(quantity('50Mi')) == quantity('100Mi')",
        "quantity('50k').sub(20000) == quantity('30k')",
        "quantity('50k').asInteger() == 50000",
        "quantity('9999999999999999999999999999999999999G').isInteger() == true",
        "!isQuantity('1.3Gig') && isQuantity('1.3G')",
        "sign(quantity('-1')) == -1",
        # versions (library/semverlib.go)
        "semver('1.2.3').isLessThan(semver('2.0.0')) && semver('1.2.3').minor() == 2",
        "semver('v1.0', true) == semver('1.0.0') && !isSemver('v1.0')",
        "semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1",
        # addresses (library/ip.go, cidr.go)
        "ip('127.0.0.1').isLoopback() && ip('::1').family() == 6",
        "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD')",
        "!isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('127.0.0.01')",
        "cidr('192.168.0.0/24').containsIP('192.168.0.5') && !cidr('192.168.0.0/24').containsIP(ip('10.0.0.1'))",
        "cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')",
        "cidr('192.168.0.7/24').masked() == cidr('192.168.0.0/24') && cidr('10.0.0.0/8').prefixLength() == 8",
        "cidr('192.168.0.7/24').ip() == ip('192.168.0.7') && string(ip('10.0.0.1')) == '10.0.0.1'",
        "!isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0')",
        # URLs (library/urls.go)
        "url('https://example.com:8080/a%20b?k=1&k=2').getPort() == '8080'",
        "url('https://example.com:80/').getHost() == 'example.com:80'",
        "url('https://[::1]:80/').getHostname() == '::1'",
        "url('https://example.com/path?k=1&k=2').getQuery()['k'] == ['1', '2']",
        "isURL('/absolute') && !isURL('relative/path') && !isURL('../x')",
        # regular expressions, lists, texts, sets (library/regex.go, lists.go)
        "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''",
        "'123 abc 456'.findAll('(1|4)[0-9]+') == ['123', '456']",
        "'123 abc 456'.findAll('[0-9]+', 1) == ['123']",
        "[1, 2, 2].isSorted() && [1, 2].sum() == 3 && [3, 1].min() == 1 && [3, 1].max() == 3",
        "['a', 'b', 'b'].indexOf('b') == 1 && ['a', 'b', 'b'].lastIndexOf('b') == 2 && 'abc'.indexOf('b') == 1",
        "'a-b'.split('-') == ['a', 'b'] && 'Ab'.lowerAscii() == 'ab' && ' x '.trim() == 'x'",
        "'%s has %d'.format(['l', 3]) == 'l has 3'",
        "sets.contains([1, 2], [1]) && [[1], [2]].flatten() == [1, 2] && [1, 1].distinct() == [1]",
        # formats (library/format.go)
        "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A').hasValue()",
        "format.qualifiedName().validate('example.com/').value().size() > 0",
        "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
    ],
)
def test_what_is_true(text: str) -> None:
    assert outcome(text) == Evaluation(value=True)


@pytest.mark.parametrize(
    "text",
    [
        "self.b == 1",
        "self.l[7] == 1",
        "quantity('x').isInteger()",
        "quantity('1.5').asInteger() == 1",
        "[].max() == 1",
        "self.s < self.a",
        "1 / 0 == 1",
        "semver('1').major() == 1",
        "cidr('10.0.0.0/8').containsIP('x')",
    ],
)
def test_what_raises(text: str) -> None:
    found = outcome(text)
    assert found.error
    assert not found.invalid


@pytest.mark.parametrize(
    "text",
    [
        "self.a ==",
        "quantity('1') >= quantity('2')",
        "'a' + 1 == 'a1'",
        "quantity('1') == '1'",
        "other.a == 1",
        "quantity('1').isLessThan(semver('1.0.0'))",
    ],
)
def test_what_does_not_compile(text: str) -> None:
    found = outcome(text)
    assert found.error
    assert found.invalid


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("oldSelf.a == self.a", "oldSelf is not known"),
        ("self.s.brandNew()", "the function brandNew is not known here"),
        ("newlib.fn(self.s)", "the function newlib is not known here"),
        ("format.uuid().validate(self.s).orValue([]).size() > 0", "a function that is not known here"),
        ("self.l.transformMap(i, v, v).size() == 3", "a function that is not known here"),
        ("self.l.all(x, lists.range(20000).all(y, true))", "costs more"),
        (f"{TEN}.all(a, {TEN}.all(b, {TEN}.all(c, {TEN}.all(d, {TEN}.all(e, true)))))", "costs more"),
        ("'x'" + ".replace('', 'yyyyyyyyyy,,,,,,,,,,,,')" * 12 + " == ''", "costs more"),
        ("(" * 400 + "true" + ")" * 400, "costs more"),
    ],
)
def test_what_cannot_be_evaluated_is_unknown(text: str, why: str) -> None:
    found = outcome(text)
    assert why in found.unknown
    assert found.value is None


def test_what_is_not_reached_need_not_be_known() -> None:
    assert outcome("has(self.a) || oldSelf.a == 1") == Evaluation(value=True)


def test_the_library_is_loaded_with_the_first_expression_only() -> None:
    code = "import sys, trainlint.cli.main, trainlint.cel.expression; print('cel_expr_python' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
