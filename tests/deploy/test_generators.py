"""Generators of ApplicationSets that put others together or leave some out (Argo CD: merge, matrix, selectors)."""

from __future__ import annotations

import pytest
from tests.deploy.deployers import job, names, snapshots
from tests.deploy.test_argo import application, application_set, template

LIST = "list: {elements: [{cluster: east, space: x, tier: gpu}, {cluster: west, space: z, tier: cpu}]}"


def made(generators: str, *, go: bool = False) -> dict[str, set[str]]:
    destination = (
        '{name: "{{.cluster}}", namespace: "{{.space}}"}' if go else '{name: "{{cluster}}", namespace: "{{space}}"}'
    )
    files = {"set.yaml": application_set(generators, template("apps", destination), go), "apps/job.yaml": job()}
    return {name: names(each) for name, each in snapshots(files).items()}


EAST, WEST = {"east": {"Job x/train"}}, {"west": {"Job z/train"}}


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("{}", EAST | WEST),
        ("{matchLabels: {tier: gpu}}", EAST),
        ("{matchLabels: {tier: gpu, cluster: west}}", {}),
        ("{matchLabels: {none: gpu}}", {}),
        ("{matchExpressions: [{key: tier, operator: In, values: [cpu, tpu]}]}", WEST),
        ("{matchExpressions: [{key: tier, operator: NotIn, values: [cpu]}]}", EAST),
        ("{matchExpressions: [{key: none, operator: NotIn, values: [cpu]}]}", EAST | WEST),
        ("{matchExpressions: [{key: tier, operator: Exists}]}", EAST | WEST),
        ("{matchExpressions: [{key: none, operator: Exists}]}", {}),
        ("{matchExpressions: [{key: none, operator: DoesNotExist}]}", EAST | WEST),
        ("{matchExpressions: [{key: tier, operator: DoesNotExist}]}", {}),
        ("{matchLabels: {tier: gpu}, matchExpressions: [{key: cluster, operator: In, values: [west]}]}", {}),
    ],
)
def test_a_selector_leaves_out_what_it_does_not_match(selector: str, found: dict[str, set[str]]) -> None:
    assert {name: jobs for name, jobs in made(f"  - {LIST}\n    selector: {selector}").items() if name != "."} == found


@pytest.mark.parametrize("go", [False, True])
@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("{cluster: east, space: v}", {"east": {"Job v/train"}} | WEST),  # the later generator wins
        ("{cluster: north, space: v}", EAST | WEST),  # nothing is added that the first one has not
        ("{cluster: west, tier: gpu}", EAST | WEST),
    ],
)
def test_a_merge_overrides_what_has_equal_keys(other: str, found: dict[str, set[str]], go: bool) -> None:
    generators = f"""  - merge:
      mergeKeys: [cluster]
      generators:
      - {LIST}
      - list: {{elements: [{other}]}}"""
    assert made(generators, go=go) == found


def test_a_merge_by_two_keys_wants_both() -> None:
    generators = f"""  - merge:
      mergeKeys: [cluster, tier]
      generators:
      - {LIST}
      - list: {{elements: [{{cluster: east, tier: cpu, space: a}}, {{cluster: west, tier: cpu, space: b}}]}}"""
    assert made(generators) == EAST | {"west": {"Job b/train"}}


def unknowns(generators: str) -> list[str]:
    files = {"root.yaml": application("apps"), "apps/set.yaml": application_set(generators, template("jobs"))}
    found = snapshots(files | {"jobs/job.yaml": job(namespace="a")})
    return [each.missing for made in found.values() for each in made.unknowns]


@pytest.mark.parametrize(
    ("generator", "words"),
    [
        ("merge: {mergeKeys: [a], generators: []}", "the merge generator"),
        (f"merge: {{mergeKeys: [a], generators: [{{{LIST}}}]}}", "the merge generator"),
        (f"matrix: {{generators: [{{{LIST}}}]}}", "the matrix generator"),
        (f"matrix: {{generators: [{{{LIST}}}, {{{LIST}}}, {{{LIST}}}]}}", "the matrix generator"),
        ("list: {elementsYaml: '{{ .key | toJson }}'}", "the list generator"),
        ("scmProvider: {}", "the scmProvider generator"),
        ("clusters: {}\n    selector: {}", "the clusters generator"),
        ("selector: {}", "the empty generator"),
    ],
)
def test_what_cannot_be_decided_is_an_unknown(generator: str, words: str) -> None:
    missing = unknowns(f"  - {generator}")
    assert any(words in each for each in missing), missing


@pytest.mark.parametrize(("count", "taken"), [(31, True), (32, False)])
def test_more_applications_than_the_limit_are_not_made(count: int, taken: bool) -> None:
    elements = ", ".join(f"{{a: '{each}'}}" for each in range(count))
    more = ", ".join(f"{{cluster: c, space: 's{each}'}}" for each in range(32))
    generators = f"""  - matrix:
      generators:
      - list: {{elements: [{elements}]}}
      - list: {{elements: [{more}]}}"""
    assert any("more than 1000" in each for each in unknowns(generators)) is not taken
