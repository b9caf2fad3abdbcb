"""Directories of test tools and the assertions in them (decision 11)."""

from __future__ import annotations

from textwrap import dedent

import pytest

from trainlint.source.document import Document
from trainlint.source.loader import load
from trainlint.source.testdata import find_test_homes, home_of_test, is_assertion, is_assertion_file


def document(text: str) -> Document:
    return Document("a.yaml", 0, 1, text, load(text).data)


@pytest.mark.parametrize(
    "file", ["chainsaw-test.yaml", ".chainsaw-test.yml", "kyverno-test.yaml", "kuttl-test.yaml", "00-assert.yaml"]
)
def test_the_directory_of_a_tools_own_file_is_a_test(file: str) -> None:
    homes = find_test_homes([f"deploy/test/{file}", "deploy/job.yaml"])
    assert homes == {"deploy/test/"}
    assert home_of_test("deploy/test/step/job.yaml", homes) == "deploy/test/"
    assert home_of_test("deploy/job.yaml", homes) == ""


def test_the_outermost_test_owns_what_lies_in_it() -> None:
    homes = find_test_homes(["t/chainsaw-test.yaml", "t/inner/chainsaw-test.yaml"])
    assert home_of_test("t/inner/pod.yaml", homes) == "t/"


def test_the_root_of_a_repository_is_no_test() -> None:
    # kuttl's own file stands at the root and names the directories of tests.
    assert find_test_homes(["kuttl-test.yaml", "job.yaml"]) == frozenset()


@pytest.mark.parametrize(
    "name", ["assert.yaml", "00-assert.yaml", "pod-assert.yaml", "step-1-error.yml", "errors.yaml"]
)
def test_an_assertion_says_so_by_its_name(name: str) -> None:
    assert is_assertion_file(f"t/{name}")


@pytest.mark.parametrize("name", ["asserted.yaml", "terror.yaml", "job.yaml", "assert.json"])
def test_another_name_is_none(name: str) -> None:
    assert not is_assertion_file(f"t/{name}")


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\nspec:\n  (length(containers)): 2\n",
        "kind: Pod\nstatus:\n  (conditions[?type == 'Ready']):\n  - status: 'True'\n",
        "kind: Pod\nspec:\n  containers:\n  - (image): x\n",
        "kind: Pod\nspec:\n  ~.(containers): {}\n",
    ],
)
def test_keys_in_parentheses_make_an_assertion(text: str) -> None:
    assert is_assertion(document(text))


def test_text_in_parentheses_makes_none() -> None:
    text = """\
        kind: ConfigMap
        data:
          note: |
            (a): remark
          "(quoted)": 1
        """
    assert not is_assertion(document(dedent(text).replace('  "(quoted)": 1\n', "")))
