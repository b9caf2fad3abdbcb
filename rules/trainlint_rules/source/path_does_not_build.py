"""A path that a deployer or a kustomization names does not build, so nothing of it is applied.

kustomize builds all of a directory or nothing: one file that is missing, one patch that cannot be applied, one object
that two files define, and everything else in the directory stays out of the cluster as well. A Kustomization of Flux
and an Application of Argo CD go on with what they applied before, and what depends on them waits. Flux refuses, in the
same way, all objects of a Kustomization where one states no namespace and nothing gives it one, and where a text with
`${` is none of the substitutions that it knows.

Nothing is judged from what does not build. Where the repository says what is deployed, and the kustomization is not
among it, this is a note. Silent for files that Git ignores, that come from a submodule or from
another source, and for what is filled in before anything is built.

```yaml bad
# file: prod/kustomization.yaml
resources:
  - policy.yaml
  - quota.yaml  # expect
# file: prod/policy.yaml
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: ml}
spec: {podSelector: {}, policyTypes: [Ingress]}
```

```yaml good
# file: prod/kustomization.yaml
resources:
  - policy.yaml
# file: prod/policy.yaml
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: ml}
spec: {podSelector: {}, policyTypes: [Ingress]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Related, Severity
from trainlint.rule import Repository, rule
from trainlint.snapshot.build_faults import UnbuiltPath


@rule(Severity.ERROR, sees=Repository)
def check(repository: Repository) -> Iterator[Finding]:
    """One finding per fault."""
    for each in repository.unbuilt:
        yield _finding(each)


def _finding(each: UnbuiltPath) -> Finding:
    fault = each.fault
    who = f"{each.deployers[0][0]} deploys" if each.deployers else "it brings"
    more = f" (and {len(each.deployers) - 1} more)" if len(each.deployers) > 1 else ""
    effect = f"nothing of what {who}{more} can be applied"
    if each.unused:
        effect = f"{effect}; no deployer in this repository names it"
    return Finding(
        message=f"{fault.name} {fault.what}: it does not build, and {effect}",
        at=fault.at,
        remedy=fault.remedy,
        related=(
            *(Related(role, at) for role, at in fault.related),
            *(Related(f"who deploys it: {by}", at) for by, at in each.deployers if at is not None),
        ),
        evidence={"kustomization": fault.directory or "."},
        severity=Severity.NOTE if each.unused else None,
        cause=f"{fault.directory} {fault.what}",
    )
