"""What kustomize complains of: the texts are those of kustomize 5.5 (in kubectl 1.32) and 5.8, with other paths."""

from __future__ import annotations

import pytest

from trainlint.source.complaint import Complaint, complaint

MISSING = (
    "accumulating resources: accumulation err='accumulating resources from 'x.yaml': evalsymlink failure on "
    "'/tmp/copy/base/x.yaml' : lstat /tmp/copy/base/x.yaml: no such file or directory': must build at directory: not a "
    "valid directory: evalsymlink failure on '/tmp/copy/base/x.yaml' : lstat /tmp/copy/base/x.yaml: no such file or "
    "directory"
)
BELOW = (
    "accumulating resources: accumulation err='accumulating resources from '../base': '/tmp/copy/base' must resolve to "
    "a file': recursed accumulation of path '/tmp/copy/base': "
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"error: {MISSING}\n", Complaint("base/x.yaml: no such file or directory")),
        (f"Error: {MISSING}\n", Complaint("base/x.yaml: no such file or directory")),
        (f"error: {BELOW}{MISSING}\n", Complaint("base/x.yaml: no such file or directory", "base")),
        (
            f"error: {BELOW}{BELOW.replace('base', 'deep')}no matches for Id Job.v1.batch/a.[noNs]",
            Complaint("no matches for Id Job.v1.batch/a.[noNs]", "deep"),
        ),
        (
            (
                'E1129 19:05:30.90 27690 run.go:72] "command failed" err="invalid Kustomization: json: unknown field '
                '\\"x\\""\n'
            ),
            Complaint('invalid Kustomization: json: unknown field "x"'),
        ),
        (
            (
                'E1129 19:05:30.90 27690 run.go:72] "command failed" err=<\n\ttrouble configuring builtin '
                "PatchTransformer with config: `\n\tpath: ops.yaml\n\t`: unable to parse SM or JSON patch from [path: "
                '"ops.yaml"]\n >\n'
            ),
            Complaint('unable to parse SM or JSON patch from [path: "ops.yaml"]'),
        ),
        (
            (
                'error: accumulating components: accumulateDirectory: "recursed accumulation of path '
                "'/tmp/copy/part': "
                "failed to get the patch file from path(n.yaml): evalsymlink failure on '/tmp/copy/part/n.yaml' : "
                'lstat /tmp/copy/part/n.yaml: no such file or directory"'
            ),
            Complaint("failed to get the patch file from path(n.yaml): part/n.yaml: no such file or directory", "part"),
        ),
        (
            "# Warning: 'commonLabels' is deprecated. Please use 'labels' instead.\nError: namespace is empty\n",
            Complaint("namespace is empty"),
        ),
        (
            (
                'error: merging from generator &{0xc0000aeea0 0xc0004bc480}: id resid.ResId{Gvk:resid.Gvk{Group:"", '
                'Version:"v1", Kind:"ConfigMap", isClusterScoped:false}, Name:"settings", Namespace:"ns1"} '
                "does not exist; cannot merge or replace"
            ),
            Complaint("merging from a generator: ConfigMap ns1/settings does not exist; cannot merge or replace"),
        ),
        (
            "error: unable to find one of 'kustomization.yaml' in '/tmp/trainlint-kustomize-ab12_x/copy/base'",
            Complaint("unable to find one of 'kustomization.yaml' in 'base'"),
        ),
        ("", Complaint("kustomize failed and did not say why")),
    ],
)
def test_the_fault_is_named_once_and_where_it_is(text: str, expected: Complaint) -> None:
    assert complaint(text, "/tmp/copy") == expected


def test_a_message_has_an_end() -> None:
    assert len(complaint(f"error: {'x' * 10_000}", "/tmp/copy").message) < 500
