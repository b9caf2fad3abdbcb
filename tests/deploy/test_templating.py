"""Templates of ApplicationSets: the older language (fasttemplate) and Go's text/template with functions of sprig."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.deploy.templating import flat, normalized, rendered

PARAMETERS: dict[str, Any] = {
    "name": "Prod-EU",
    "empty": "",
    "count": 3,
    "on": True,
    "off": False,
    "nothing": None,
    "path": {"segments": ["clusters", "eu", "prod"], "basename": "prod"},
    "metadata": {"labels": {"zone": "a", "app.kubernetes.io/name": "x"}},
    "list": [{"name": "first"}, "second"],
    "spaced": "  a b ",
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{.name}}", "Prod-EU"),
        ("{{ .name }}", "Prod-EU"),
        ("{{- .name -}}", "Prod-EU"),
        ("a-{{.name}}-b-{{.count}}", "a-Prod-EU-b-3"),
        ("{{.on}} {{.off}}", "true false"),
        ("{{.nothing}}", ""),
        ("{{.path.basename}}", "prod"),
        ("{{.metadata.labels.zone}}", "a"),
        ('{{ "text" }}', "text"),
        ('{{ "" }}', ""),
        ("{{ 7 }}", "7"),
        ("{{ -7 }}", "-7"),
        ("{{ index .path.segments 1 }}", "eu"),
        ('{{ index .metadata.labels "app.kubernetes.io/name" }}', "x"),
        ('{{ index .list 0 "name" }}', "first"),
        ("{{ last .path.segments }}", "prod"),
        ("{{ first .path.segments }}", "clusters"),
        ("{{ .name | lower }}", "prod-eu"),
        ("{{ upper .name }}", "PROD-EU"),
        ("{{ .name | lower | upper }}", "PROD-EU"),
        ('{{ .empty | default "x" }}', "x"),
        ('{{ .name | default "x" }}', "Prod-EU"),
        ('{{ default "x" .empty }}', "x"),
        ("{{ .name | normalize }}", "prod-eu"),
        ("{{ quote .name }}", '"Prod-EU"'),
        ("{{ .on | quote }}", '"true"'),
        ('{{ .name | replace "-" "_" }}', "Prod_EU"),
        ("{{ .count | toString }}", "3"),
        ("{{ trim .spaced }}", "a b"),
        ('{{ .name | trimPrefix "Prod-" }}', "EU"),
        ('{{ .name | trimSuffix "-EU" }}', "Prod"),
        ("no tag", "no tag"),
        ("{{.name", "{{.name"),
        ("}}{{.name}}", "}}Prod-EU"),
        ("{{.name}} }} {{", "Prod-EU }} {{"),
    ],
)
def test_go_templates(text: str, said: str) -> None:
    assert rendered(text, PARAMETERS, go=True) == said


@pytest.mark.parametrize(
    "text",
    [
        "{{.unknown}}",
        "{{.path.unknown}}",
        "{{.name.deeper}}",
        "{{ name }}",
        "{{ . }}",
        "{{}}",
        "{{ | lower }}",
        "{{ if .on }}x{{ end }}",
        "{{ range .path.segments }}",
        "{{ $x := .name }}",
        "{{ (lower .name) }}",
        "{{ `raw` }}",
        "{{ index .path.segments 3 }}",
        '{{ index .metadata.labels "none" }}',
        "{{ lower .count }}",
        "{{ lower .name .name }}",
        "{{ .name | .empty }}",
        "{{ .name .name }}",
        '{{ "open }}',
        "{{ b64enc .name }}",
    ],
)
def test_what_is_not_understood_stays_a_placeholder(text: str) -> None:
    assert rendered(text, PARAMETERS, go=True) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{name}}", "Prod-EU"),
        ("{{ name }}", "Prod-EU"),
        ("{{path.basename}}", "prod"),
        ("{{path.segments[1]}}", "eu"),
        ("{{metadata.labels.app.kubernetes.io/name}}", "x"),
        ("{{list[0].name}}/{{list[1]}}", "first/second"),
        ("{{on}} {{nothing}} {{count}}", "true  3"),
        ("{{.name}}", "{{.name}}"),
        ("{{name | lower}}", "{{name | lower}}"),
        ("{{unknown}}", "{{unknown}}"),
    ],
)
def test_the_older_language_knows_names_alone(text: str, said: str) -> None:
    assert rendered(text, PARAMETERS, go=False) == said


def test_keys_and_elements_are_rendered_and_other_values_stay() -> None:
    value = {"{{.name}}": ["{{.count}}", 1, True, None, {"a": "{{.on}}"}]}
    assert rendered(value, PARAMETERS, go=True) == {"Prod-EU": ["3", 1, True, None, {"a": "true"}]}


def test_nested_parameters_have_flat_names() -> None:
    assert flat({"a": {"b": 1, "c": [True, {"d": None}]}, "e": []}) == {"a.b": "1", "a.c[0]": "true", "a.c[1].d": ""}


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Feature/ABC_1", "feature-abc-1"),
        ("-a.b-", "a.b"),
        (".a.", "a"),
        ("x" * 300, "x" * 253),
        ("x" * 252 + "-y", "x" * 252),
        ("été", "t"),
    ],
)
def test_a_normalized_name_is_a_dns_name(name: str, made: str) -> None:  # argo-cd: SanitizeName
    assert normalized(name) == made
