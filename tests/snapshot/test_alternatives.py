"""Which parts of a repository are alternatives of each other (design, section 7.3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import write

from trainlint.model.settings import Settings
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.repository import Repository, read_repository
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read_file


def repository(root: Path, files: dict[str, str]) -> Repository:
    world = discover([write(root, files)])
    readings = [read_file(file, KindFilter(READ_KINDS)) for file in world.files]
    return read_repository(readings, [file.name for file in world.files], world.real)


def snapshots(root: Path, files: dict[str, str]) -> dict[str, Snapshot]:
    return {each.name: each for each in build_snapshots(repository(root, files), [Settings()])}


def holds(snapshot: Snapshot) -> list[str]:
    return sorted(f"{each.file}:{each.meta.kind}/{each.meta.name}" for each in snapshot.objects)


def job(name: str = "train", image: str = "a", namespace: str = "ml") -> str:
    return f"""apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{template: {{spec: {{containers: [{{name: train, image: {image}}}]}}}}}}
"""


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: train, namespace: ml}\nspec: {clusterIP: None}\n"


def test_two_directories_that_define_an_object_differently_are_two_snapshots(tmp_path: Path) -> None:
    found = snapshots(tmp_path, {"before/a.yaml": job(image="a"), "after/b.yaml": job(image="b"), "svc.yaml": SERVICE})
    assert {name: holds(each) for name, each in found.items()} == {
        "before": ["before/a.yaml:Job/train", "svc.yaml:Service/train"],
        "after": ["after/b.yaml:Job/train", "svc.yaml:Service/train"],
    }
    assert found["before"].why == "Job train is defined differently in after"


def test_what_stands_beside_the_differing_object_goes_with_its_alternative(tmp_path: Path) -> None:
    found = snapshots(
        tmp_path,
        {"before/a.yaml": job(image="a"), "before/more/x.yaml": job("extra"), "after/b.yaml": job(image="b")},
    )
    assert "before/more/x.yaml:Job/extra" in holds(found["before"])
    assert holds(found["after"]) == ["after/b.yaml:Job/train"]


def test_the_alternatives_are_children_of_the_nearest_common_directory(tmp_path: Path) -> None:
    files = {"apps/x/overlays/dev/deep/a.yaml": job(image="a"), "apps/x/overlays/prod/b.yaml": job(image="b")}
    assert list(snapshots(tmp_path, files)) == ["apps/x/overlays/dev", "apps/x/overlays/prod"]


def test_identical_copies_are_no_alternatives_and_count_once(tmp_path: Path) -> None:
    (found,) = snapshots(tmp_path, {"a/job.yaml": job(), "b/job.yaml": job()}).values()
    assert found.name == "."
    assert [each.meta.name for each in found.objects] == ["train"]


def test_order_of_keys_and_style_make_no_difference(tmp_path: Path) -> None:
    block = "kind: Service\nspec:\n  clusterIP: None\nmetadata:\n  namespace: ml\n  name: train\napiVersion: v1\n"
    assert len(snapshots(tmp_path, {"a/s.yaml": SERVICE, "b/s.yaml": block})) == 1


def test_a_namespace_that_two_parts_define_differently_separates_nothing(tmp_path: Path) -> None:
    one = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {a: x}}\n"
    other = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {b: z}}\n"
    (found,) = snapshots(tmp_path, {"a/ns.yaml": one + "---\n" + job(), "b/ns.yaml": other}).values()
    assert found.namespaces["ml"] == {"a": "x", "b": "z", "kubernetes.io/metadata.name": "ml"}


def test_a_namespace_whose_label_has_two_values_is_an_unknown(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: Namespace\nmetadata: {{name: ml, labels: {{tier: {}, team: x}}}}\n"
    (found,) = snapshots(tmp_path, {"a/ns.yaml": text.format("one"), "b/ns.yaml": text.format("two")}).values()
    (unknown,) = found.unknowns
    assert unknown.subject == "namespace ml"
    assert "tier" in unknown.missing
    assert "team" not in unknown.missing


@pytest.mark.parametrize(
    ("name", "namespace"), [("${NAME}", "ml"), ("{{ name }}", "ml"), ("train", "${NS}"), ("<name>", "ml")]
)
def test_a_name_with_a_placeholder_is_no_identity(tmp_path: Path, name: str, namespace: str) -> None:
    files = {"a/j.yaml": job(f"'{name}'", "a", f"'{namespace}'"), "b/j.yaml": job(f"'{name}'", "b", f"'{namespace}'")}
    (found,) = snapshots(tmp_path, files).values()
    assert len(found.objects) == 2


def test_generated_names_are_no_identity(tmp_path: Path) -> None:
    text = job().replace("{name: train,", "{generateName: train-,")
    assert len(snapshots(tmp_path, {"a/j.yaml": text, "b/j.yaml": text.replace("image: a", "image: b")})) == 1


@pytest.mark.parametrize(
    "other",
    [
        job(namespace="research"),
        job().replace("kind: Job", "kind: Deployment").replace("batch/v1", "apps/v1"),
        job("other"),
    ],
    ids=["namespace", "kind", "name"],
)
def test_objects_that_differ_in_identity_are_not_alternatives(tmp_path: Path, other: str) -> None:
    assert len(snapshots(tmp_path, {"a/j.yaml": job(), "b/j.yaml": other})) == 1


def test_an_object_without_namespace_is_the_one_in_default(tmp_path: Path) -> None:
    plain = job().replace(", namespace: ml", "")
    files = {"a/j.yaml": plain, "b/j.yaml": job(image="b", namespace="default")}
    assert list(snapshots(tmp_path, files)) == ["a", "b"]


def test_another_version_of_one_api_group_is_the_same_object(tmp_path: Path) -> None:
    files = {"a/j.yaml": job(), "b/j.yaml": job().replace("batch/v1", "batch/v1beta1")}
    assert list(snapshots(tmp_path, files)) == ["a", "b"]


def test_cluster_scoped_objects_are_one_whatever_namespace_they_name(tmp_path: Path) -> None:
    one = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, namespace: x}\nstatus: {allocatable: {cpu: 1}}\n"
    other = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 2}}\n"
    assert list(snapshots(tmp_path, {"a/n.yaml": one, "b/n.yaml": other})) == ["a", "b"]


def test_independent_sets_add_up_and_do_not_multiply(tmp_path: Path) -> None:
    files = {
        "jobs/one/j.yaml": job(image="a"),
        "jobs/two/j.yaml": job(image="b"),
        "services/x/s.yaml": SERVICE,
        "services/y/s.yaml": SERVICE.replace("None", "10.0.0.1"),
        "shared/t.yaml": job("other"),
    }
    found = snapshots(tmp_path, files)
    # Of each object one definition is in force at a time, so every snapshot holds one Job and one Service.
    assert {name: holds(each) for name, each in found.items()} == {
        "jobs/one": ["jobs/one/j.yaml:Job/train", "services/x/s.yaml:Service/train", "shared/t.yaml:Job/other"],
        "jobs/two": ["jobs/two/j.yaml:Job/train", "services/x/s.yaml:Service/train", "shared/t.yaml:Job/other"],
        "services/y": ["jobs/one/j.yaml:Job/train", "services/y/s.yaml:Service/train", "shared/t.yaml:Job/other"],
    }
    assert "of other alternatives it takes services/x" in found["jobs/two"].why


def test_of_other_sets_a_snapshot_takes_what_has_its_name(tmp_path: Path) -> None:
    files = {
        f"{app}/overlays/{stage}/j.yaml": job(app, image=stage) for app in ("a", "b", "c") for stage in ("dev", "prod")
    }
    found = snapshots(tmp_path, files)
    assert {name: holds(each) for name, each in found.items()} == {
        f"a/overlays/{stage}": [f"{app}/overlays/{stage}/j.yaml:Job/{app}" for app in ("a", "b", "c")]
        for stage in ("dev", "prod")
    }


def test_of_very_many_sets_a_snapshot_takes_only_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint.snapshot.alternative_parts.MOST", 10)
    files = {f"{app}/{stage}/j.yaml": job(app, image=stage) for app in ("a", "b") for stage in ("x", "y")}
    found = snapshots(tmp_path, {**files, "shared.yaml": job("other")})
    assert {name: holds(each) for name, each in found.items()} == {
        f"{app}/{stage}": [f"{app}/{stage}/j.yaml:Job/{app}", "shared.yaml:Job/other"]
        for app in ("a", "b")
        for stage in ("x", "y")
    }
    assert all(each.may_hold_more("ml") for each in found.values())


def test_one_object_that_two_directories_define_differently_alternates_alone(tmp_path: Path) -> None:
    files = {
        "shared/redis.yaml": job("redis", image="7"),
        "shared/deny.yaml": job("deny"),
        "shared/more.yaml": job("more"),
        "team/cache/redis.yaml": job("redis", image="6"),
        "team/job.yaml": job("train"),
        "team/other.yaml": job("other"),
    }
    found = snapshots(tmp_path, files)
    rest = ["shared/deny.yaml:Job/deny", "shared/more.yaml:Job/more"]
    own = ["team/job.yaml:Job/train", "team/other.yaml:Job/other"]
    assert {name: holds(each) for name, each in found.items()} == {
        "shared/redis.yaml": [*rest, "shared/redis.yaml:Job/redis", *own],
        "team/cache/redis.yaml": [*rest, "team/cache/redis.yaml:Job/redis", *own],
    }
    assert "Job redis is defined differently in team/cache/redis.yaml" in found["shared/redis.yaml"].why


def test_states_of_one_thing_are_told_by_most_of_what_the_smaller_one_defines(tmp_path: Path) -> None:
    both = {"before/a.yaml": job("a", "1"), "after/a.yaml": job("a", "2"), "before/b.yaml": job("b")}
    # `after` defines a, b, c and d: of the smaller one, a and b, both are in it; of a, x and y one of three.
    states = {**both, "after/b.yaml": job("b"), "after/c.yaml": job("c"), "after/d.yaml": job("d")}
    assert list(snapshots(tmp_path / "one", states)) == ["after", "before"]
    others = {**both, "before/x.yaml": job("x"), "after/y.yaml": job("y"), "after/z.yaml": job("z")}
    found = snapshots(tmp_path / "two", others)
    assert list(found) == ["after/a.yaml", "before/a.yaml"]
    assert all(len(each.objects) == 5 for each in found.values())


def test_sets_that_share_a_part_are_one_set(tmp_path: Path) -> None:
    files = {
        "a/1.yaml": job("p", "1"),
        "b/1.yaml": job("p", "2") + "---\n" + job("q", "1"),
        "c/1.yaml": job("q", "2"),
    }
    found = snapshots(tmp_path, files)
    assert list(found) == ["a", "b", "c"]
    assert holds(found["b"]) == ["b/1.yaml:Job/p", "b/1.yaml:Job/q"]


def test_nested_sets_take_the_alternative_that_contains_them(tmp_path: Path) -> None:
    files = {
        "before/x/j.yaml": job("inner", "x"),
        "before/y/j.yaml": job("inner", "y"),
        "before/j.yaml": job("outer", "1"),
        "after/j.yaml": job("outer", "2"),
    }
    found = snapshots(tmp_path, files)
    assert {name: holds(each) for name, each in found.items()} == {
        "after": ["after/j.yaml:Job/outer"],
        "before/x": ["before/j.yaml:Job/outer", "before/x/j.yaml:Job/inner"],
        "before/y": ["before/j.yaml:Job/outer", "before/y/j.yaml:Job/inner"],
    }


def test_a_file_and_a_directory_beside_it_can_be_alternatives(tmp_path: Path) -> None:
    files = {"a/j.yaml": job(image="1"), "a/other/j.yaml": job(image="2")}
    assert list(snapshots(tmp_path, files)) == ["a/j.yaml", "a/other"]


def test_files_of_one_directory_are_alternatives_and_the_reason_says_so(tmp_path: Path) -> None:
    found = snapshots(tmp_path, {"ex/a.yaml": job(image="1"), "ex/b.yaml": job(image="2"), "ex/c.yaml": job("other")})
    assert {name: holds(each) for name, each in found.items()} == {
        "ex/a.yaml": ["ex/a.yaml:Job/train", "ex/c.yaml:Job/other"],
        "ex/b.yaml": ["ex/b.yaml:Job/train", "ex/c.yaml:Job/other"],
    }
    assert "defined differently in b.yaml" in found["ex/a.yaml"].why
    assert "files of one directory" in found["ex/a.yaml"].why
    assert "ex" in found["ex/a.yaml"].why


def test_directories_carry_no_such_note(tmp_path: Path) -> None:
    found = snapshots(tmp_path, {"a/j.yaml": job(image="1"), "b/j.yaml": job(image="2")})
    assert all("files of one directory" not in each.why for each in found.values())


def test_one_object_twice_in_one_file_is_a_duplicate_and_the_last_one_counts(tmp_path: Path) -> None:
    found = repository(tmp_path, {"j.yaml": job(image="1") + "---\n" + job(image="2")})
    (duplicate,) = found.duplicates
    assert duplicate.where == "the file j.yaml"
    assert [each.field.document.index for each in found.objects] == [1]


def test_without_alternatives_there_is_one_snapshot_of_everything(tmp_path: Path) -> None:
    (found,) = snapshots(tmp_path, {"a/j.yaml": job(), "b/k.yaml": job("other")}).values()
    assert (found.name, found.documents) == (".", 2)


def test_items_of_a_list_are_objects_of_their_own(tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- {kind: Service, apiVersion: v1, metadata: {name: a}}\n"
        "- {kind: Service, apiVersion: v1, metadata: {name: b}}\n"
    )
    (found,) = snapshots(tmp_path, {"l.yaml": text}).values()
    assert [each.field.path for each in found.objects] == [("items", 0), ("items", 1)]
    assert found.documents == 1
