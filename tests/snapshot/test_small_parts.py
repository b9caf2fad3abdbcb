"""The small parts of a snapshot, each by itself: sides and parts, what opens a namespace, what deployers hand over."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from trainlint.deploy.deployment import Deployment, Variables
from trainlint.finding import Location, Unknown, UsageError
from trainlint.inventory.external_inventory import GivenNodes
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.snapshot.alternatives import Alternatives, Sides, SnapshotPart, shared_steps
from trainlint.snapshot.closed_kinds import Opening, opened
from trainlint.snapshot.conflicting_deployers import conflicts
from trainlint.snapshot.delivery import carried, keeps_variables, marked
from trainlint.snapshot.external_nodes import assigned, nodes_of
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.objects import ApiObject, api_objects
from trainlint.snapshot.repository import read_repository
from trainlint.snapshot.unlisted_patches import patch_like
from trainlint.source.documents import every_document
from trainlint.source.kustomization import read_kustomizations, resolve
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read
from trainlint.source.rendered_root import RenderedRoot

KEY = ("", "Pod", "ml", "a")


def items(text: str, file: str = "a.yaml") -> list[ApiObject]:
    return list(api_objects(every_document(file, text.encode())))


def one(text: str, file: str = "a.yaml") -> ApiObject:
    (only,) = items(text, file)
    return only


def test_files_stand_on_sides() -> None:
    whole = Alternatives(("x",), ("before", "after"), KEY)
    single = Alternatives((), ("a.yaml", "b.yaml"), KEY, key=KEY)
    sides = Sides((whole, single), {"base.yaml": ("x/before/k.yaml", "x/after/k.yaml")})
    assert sides.of("x/before/d/a.yaml") == ((0, "before"),)
    assert sides.of("x/other/a.yaml") == sides.of("x") == sides.of("before/a.yaml") == ()
    assert sides.places("base.yaml") == ("x/before/k.yaml", "x/after/k.yaml")
    assert sides.places("a.yaml") == ("a.yaml",)
    pod = one("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ml}\n")
    assert sides.of_object(pod) == (("a.yaml", ((1, "a.yaml"),)),)
    other = one("apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: ml}\n", "x/after/a.yaml")
    assert sides.of_object(other) == (("x/after/a.yaml", ((0, "after"),)),)
    assert list(sides.singles([KEY, ("", "Pod", "ml", "b")])) == [1]
    part = SnapshotPart("p", "", ("before", None), own=((0, "before"),), sides=sides)
    assert part.holds("x/before/a.yaml")
    assert not part.holds("x/after/a.yaml")
    assert part.holds("a.yaml")
    assert part.holds("base.yaml")
    assert list(part.taken) == [(0, "before")]
    assert part.takes([(0, "before")])
    assert not part.takes([(1, "a.yaml")])
    assert part.takes([(1, "a.yaml")], everywhere=True)
    assert not part.takes([(0, "after")], everywhere=True)


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        (("a", "b"), ("a", "c"), 1),
        (("a",), ("a", "b"), 1),
        (("a",), ("b",), 0),
        ((), ("a",), 0),
        (("a", "b"),) * 2 + (2,),
    ],
)
def test_steps_in_common(left: tuple[str, ...], right: tuple[str, ...], steps: int) -> None:
    assert shared_steps(left, right) == steps


HELM_RELEASE = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: flux}\n"
HELM_CHART = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: r, namespace: kube-system}\n"
APPLICATION = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: r, namespace: argocd}\n"
FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: r, namespace: flux}\n"


@pytest.mark.parametrize(
    ("text", "namespace", "kind"),
    [
        (f"{HELM_RELEASE}spec: {{}}\n", "flux", "HelmRelease"),
        (f"{HELM_RELEASE}spec: {{targetNamespace: ml}}\n", "ml", "HelmRelease"),
        (f"{HELM_CHART}spec: {{}}\n", "kube-system", "HelmChart"),
        (f"{HELM_CHART}spec: {{targetNamespace: ml}}\n", "ml", "HelmChart"),
        (f"{APPLICATION}spec: {{destination: {{namespace: ml}}}}\n", "ml", "Application"),
        (f"{APPLICATION}spec: {{}}\n", "", "Application"),
        (f"{FLUX}spec: {{targetNamespace: ml}}\n", "", "Kustomization"),
    ],
)
def test_a_deployer_opens_the_namespace_that_it_fills(text: str, namespace: str, kind: str) -> None:
    item = one(text)
    found = opened([item], transformed={}, rendered=(), templates=False)
    assert found == {namespace: Opening(kind, str(item.ref))}
    assert opened([item], transformed={}, rendered=(), templates=False, followed={item.ref}) == {}


def test_what_else_opens_a_snapshot() -> None:
    unknown = Unknown("a", "b")
    root = RenderedRoot("k/kustomization.yaml", (), frozenset(), unknowns=(unknown,))
    idle = RenderedRoot("c/Chart.yaml", (), frozenset(), undeployed=True)

    def found(**changes: Any) -> Any:
        return dict(opened([], **{"transformed": {}, "rendered": (), "templates": False, **changes}))

    assert found() == {}
    assert found(templates=True) == {"": Opening("templates")}
    assert found(transformed={"a.yaml": "k"}) == {"": Opening("kustomization", "k")}
    assert found(rendered=[root]) == {"": Opening("rendered", "k/kustomization.yaml")}
    assert found(rendered=[idle]) == {"": Opening("chart", "c/Chart.yaml")}
    assert found(rendered=[idle], templates=True) == {"": Opening("templates")}
    assert found(rendered=[replace(root, unknowns=())]) == {}
    sides = Sides((Alternatives((), ("k", "c"), KEY),))
    part = SnapshotPart("p", "", ("k",), open=frozenset({"ml"}), sides=sides)
    assert found(part=part) == {"ml": Opening("alternatives")}
    assert found(part=part, rendered=[root]) == {"": Opening("rendered", root.root), "ml": Opening("alternatives")}
    assert found(part=part, rendered=[idle]) == {"ml": Opening("alternatives")}


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {x: '${V}'}\n"


@pytest.mark.parametrize(
    ("own", "given", "moves", "expected"),
    [
        ("", "ml", False, "ml"),
        ("", "ml", True, "ml"),
        ("x", "ml", False, "x"),
        ("x", "ml", True, "ml"),
        ("ml", "ml", True, "ml"),
        ("", "", True, ""),
    ],
)
def test_a_deployer_gives_a_namespace(own: str, given: str, moves: bool, expected: str) -> None:
    item = one(POD.replace("{name: a}", f"{{name: a, namespace: {own}}}" if own else "{name: a}"))
    made = carried(item, namespace=given, moves=moves)
    assert made.meta.namespace == expected
    assert (made is item) is (own == expected)


def test_objects_of_the_cluster_get_no_namespace() -> None:
    item = one("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    assert carried(item, namespace="ml", moves=True) is item
    bare = one("apiVersion: v1\nkind: Pod\n")
    assert carried(bare, namespace="ml") is bare


@pytest.mark.parametrize("where", ["labels", "annotations"])
def test_variables_stay_where_an_object_says_so(where: str) -> None:
    name = "kustomize.toolkit.fluxcd.io/substitute"
    item = one(POD.replace("{name: a}", f"{{name: a, {where}: {{{name}: disabled}}}}"))
    assert keeps_variables(item)
    assert not keeps_variables(one(POD))
    assert not keeps_variables(one(POD.replace("{name: a}", f"{{name: a, {where}: {{{name}: enabled}}}}")))
    variables = Variables({"V": "1"})
    assert carried(item, variables=variables) is item
    assert carried(one(POD), variables=variables).field["spec"]["x"].value in ("1", 1)


def test_common_labels_win_over_those_of_the_object() -> None:
    item = one("apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {a: '1', b: '1'}}\n")
    made = marked(item, {"labels": {"a": "2"}, "annotations": {"c": "3"}})
    assert made.meta.labels == {"a": "2", "b": "1"}
    assert made.meta.annotations == {"c": "3"}
    assert marked(item, {"labels": {}, "annotations": {}}) is item
    assert marked(one("apiVersion: v1\nkind: Pod\n"), {"labels": {"a": "2"}}).meta.labels == {}
    kept = marked(item, {"labels": {}, "annotations": {"c": "3"}})
    assert kept.meta.labels == {"a": "1", "b": "1"}


def nodes(cluster: str = "", *names: str) -> GivenNodes:
    return GivenNodes("nodes.yaml", Inventory("n", ()), cluster, frozenset(names))


EMPTY = read_repository((), ())


def clusters(*names: str) -> list[Any]:
    return [SimpleNamespace(name=name) for name in names]


@pytest.mark.parametrize(
    ("given", "deployed", "settings", "expected"),
    [
        (nodes(), (), (), ""),
        (nodes(), ("a",), (), ""),
        (nodes("a"), ("a",), (), "a"),
        (nodes("a"), (), ("a",), "a"),
        (nodes("", "a", "x"), ("a", "b"), (), "a"),
        (nodes("", "a", "b"), ("a",), (), "a"),
    ],
)
def test_of_which_cluster_nodes_are(
    given: GivenNodes, deployed: tuple[str, ...], settings: tuple[str, ...], expected: str
) -> None:
    stated = [Settings(cluster=name) for name in settings]
    (made,) = assigned([given], EMPTY, clusters(*deployed), stated)
    assert made.cluster == expected


@pytest.mark.parametrize(
    ("given", "deployed", "said"),
    [
        (nodes("c"), (), "--inventory: there is no cluster 'c': no cluster here has a name"),
        (nodes("c"), ("b", "a"), "--inventory: there is no cluster 'c': the clusters here are a, b"),
        (
            nodes(),
            ("b", "a"),
            "--inventory: which of the clusters a, b has the nodes of nodes.yaml? Write --inventory a=nodes.yaml",
        ),
        (
            nodes("", "a", "b"),
            ("b", "a"),
            "--inventory: which of the clusters a, b has the nodes of nodes.yaml? Write --inventory a=nodes.yaml",
        ),
    ],
)
def test_nodes_of_no_one_cluster_are_refused(given: GivenNodes, deployed: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError) as error:
        assigned([given], EMPTY, clusters(*deployed), ())
    assert str(error.value) == said


def test_nodes_that_may_count_in_a_snapshot() -> None:
    given = (nodes(), nodes("a"), nodes("b"))
    assert nodes_of(given, {"a"}) == given[:2]
    assert nodes_of(given, set()) == given


JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ml}\nspec:\n  parallelism: 2\n"
SPEC = "  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}\n"


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (JOB, True),
        (JOB + SPEC, True),
        (f"{JOB}  completions: 2\n{SPEC}", False),
        (f"{JOB}  completions: 3\n  suspend: true\n", False),
        (f"{JOB}  completions: 3\n", True),  # no template, which a Job cannot lack
        (JOB + SPEC.replace(", image: i", ""), True),
        (JOB + SPEC.replace(", containers: [{name: c, image: i}]", ""), True),
        (f"{JOB}  completions: 2\n" + SPEC.replace("name: c, ", ""), False),
        (JOB.replace("name: a", "name: b"), False),
        (JOB.replace("kind: Job", "kind: JobSet"), False),
        (JOB.partition("spec:")[0], False),
        (f"{JOB}---\n{JOB.replace('name: a', 'name: b')}", False),
    ],
)
def test_files_that_look_like_patches(patch: str, expected: bool) -> None:
    whole = JOB + "  completions: 2\n" + SPEC
    files = {"k/job.yaml": whole, "k/extra.yaml": patch, "k/kustomization.yaml": "resources: [job.yaml]\n"}
    kinds = KindFilter(READ_KINDS)
    readings = [read(name, text.encode(), kinds) for name, text in files.items()]
    kustomizations = read_kustomizations(readings)
    found = patch_like(readings, kustomizations, resolve(kustomizations.values(), files))
    assert found == (frozenset({"k/extra.yaml"}) if expected else frozenset())


@pytest.mark.parametrize("field", ["patches: [{path: extra.yaml}]", "configMapGenerator: [{files: [extra.yaml]}]"])
def test_a_file_that_a_kustomization_names_does_not_only_look_like_a_patch(field: str) -> None:
    files = {
        "k/job.yaml": JOB + SPEC,
        "k/extra.yaml": JOB,
        "k/kustomization.yaml": f"resources: [job.yaml]\n{field}\n",
    }
    kinds = KindFilter(READ_KINDS)
    readings = [read(name, text.encode(), kinds) for name, text in files.items()]
    kustomizations = read_kustomizations(readings)
    assert patch_like(readings, kustomizations, resolve(kustomizations.values(), files)) == frozenset()


SETTING = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ml}\ndata: {a: x, b: w}\n"


def brought(*pairs: tuple[str, str], **changes: Any) -> list[Any]:
    found = [(one(text, f"{by}.yaml"), Deployment(by, Location(f"{by}.yaml", 0), by, **changes)) for by, text in pairs]
    return [SimpleNamespace(name="east", brought=found)]


@pytest.mark.parametrize(
    ("other", "path"),
    [
        (SETTING, None),
        (SETTING.replace("a: x", "a: z"), ("data", "a")),
        (SETTING.replace("b: w", "b: z"), ("data", "b")),
        (SETTING.replace("b: w", "c: z"), None),  # what only one says may stand beside the other
        (SETTING.replace("a: x", "a: '${X}'"), None),
        (SETTING.replace("a: x", "a: ['${X}']"), None),
        (SETTING.replace("a: x", "a: {d: '${X}'}"), None),
        (SETTING.replace("a: x", "a: null"), None),
        (SETTING.replace("a: x", "a: [x]"), ("data", "a")),
        (SETTING.replace("name: c,", "name: c, labels: {l: m},"), None),
        (f"{SETTING}status: {{a: 1}}\n", None),
    ],
)
def test_two_deployers_that_differ(other: str, path: tuple[str, ...] | None) -> None:
    found = list(conflicts(brought(("one", SETTING), ("two", other))))
    assert [(each.where, [by for by, _ in each.deployers or ()], each.path) for each in found] == (
        [] if path is None else [("east", ["one", "two"], path)]
    )


def test_deployers_that_do_not_fight() -> None:
    other = SETTING.replace("a: x", "a: z")
    assert list(conflicts(brought(("one", SETTING), ("one", other)))) == []
    assert list(conflicts(brought(("one", SETTING), ("two", other), insists=False))) == []
    for name, value in (
        ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
        ("kustomize.toolkit.fluxcd.io/ssa", "merge"),
        ("argocd.argoproj.io/compare-options", "IgnoreExtraneous"),
    ):
        left = other.replace("name: c,", f"name: c, annotations: {{{name}: {value}}},")
        assert list(conflicts(brought(("one", SETTING), ("two", left)))) == []
    insists = other.replace("name: c,", "name: c, annotations: {kustomize.toolkit.fluxcd.io/reconcile: enabled},")
    assert len(list(conflicts(brought(("one", SETTING), ("two", insists))))) == 1
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\nspec: {a: x}\n"
    assert list(conflicts(brought(("one", space), ("two", space.replace("a: x", "a: z"))))) == []


def test_two_deployers_fight_once() -> None:
    second = SETTING.replace("name: c", "name: d")
    changed = [(by, text.replace("a: x", "a: z")) for by, text in (("two", SETTING), ("two", second))]
    found = list(conflicts(brought(("one", SETTING), ("one", second), *changed)))
    assert [each.path for each in found] == [("data", "a")]
