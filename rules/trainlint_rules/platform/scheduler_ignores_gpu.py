"""A scheduler configuration that does not count GPUs.

NodeResourcesFit is the only filter that counts GPUs. A profile that switches it off at the filter point, or tells it to
ignore the GPU resource or its whole group, binds pods to nodes whose GPUs are all taken; the kubelet turns them away,
the controller makes new ones, and a group never stands together. Packing pods by score needs none of this.

```yaml bad
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeResourcesFit
        args:
          ignoredResourceGroups: [nvidia.com]  # expect
```

```yaml good
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeResourcesFit
        args:
          ignoredResources: [example.com/license]
          scoringStrategy: {type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 10}]}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.checks.gpu_nodes import accelerators
from trainlint.fact import fact
from trainlint.finding import Finding, Location, Severity
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.inventory.user_data import embedded
from trainlint.kube.values import read_strings, read_text
from trainlint.rule import Facts, rule
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerators_of

KIND: Final = "KubeSchedulerConfiguration"
PLUGIN: Final = "NodeResourcesFit"
_FILTERING: Final = ("multiPoint", "filter")


@fact
class Uncounted:
    """A profile under which the filter does not count a resource: what it says, and where."""

    profile: str
    what: str
    at: Location


@rule(Severity.ERROR)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per profile and place."""
    asked = {accelerators_of(pod_set.spec) for pod_set in facts.snapshot.workloads.pod_sets}
    offered = {name for each in facts.snapshot.every_inventory for pool in each.pools for name in accelerators(pool)}
    resources = sorted({*ACCELERATORS, *asked, *offered} - {""})
    for configuration in configurations(facts.snapshot.objects):
        for each in uncounted(configuration, resources):
            yield Finding(
                message=f"the scheduler profile {each.profile} does not count GPUs: {each.what}",
                at=each.at,
                remedy="let NodeResourcesFit filter, and weigh GPUs in its scoringStrategy instead",
                evidence={"profile": each.profile},
                cause=f"{each.profile} {each.what}",
            )


def configurations(objects: Iterable[ApiObject]) -> Iterator[Field]:
    """Scheduler configurations: files of their own, and those that ConfigMaps hold as text."""
    for each in objects:
        if each.meta.kind == KIND:
            yield each.field
        elif each.meta.kind == "ConfigMap":
            data = each.field["data"]
            held = [data[key] for key, text in (data.mapping or {}).items() if isinstance(text, str) and KIND in text]
            yield from (found for text in held for found in embedded(text) if found["kind"].string == KIND)


def uncounted(configuration: Field, resources: Iterable[str]) -> Iterator[Uncounted]:
    """The faults of every profile. ``resources`` are the accelerators that matter."""
    asked = tuple(resources)
    for profile in configuration["profiles"].elements():
        name = read_text(profile["schedulerName"]) or "default-scheduler"
        yield from _switched_off(profile, name)
        for plugin in profile["pluginConfig"].elements():
            if read_text(plugin["name"]) == PLUGIN:
                yield from _ignored(plugin["args"], name, asked)


def _switched_off(profile: Field, name: str) -> Iterator[Uncounted]:
    """Off at the filter point or at all of them, and not on again at one that filters."""
    points = profile["plugins"]
    on = any(PLUGIN in _names(points[point]["enabled"]) for point in _FILTERING)
    for point in _FILTERING:
        for index, disabled in enumerate(_names(points[point]["disabled"])):
            if disabled in {PLUGIN, "*"} and not on:
                what = f"plugins.{point} disables {disabled}, and nothing enables {PLUGIN} again"
                yield Uncounted(name, what, points[point]["disabled"][index].at)


def _ignored(args: Field, name: str, resources: tuple[str, ...]) -> Iterator[Uncounted]:
    ignored = set(read_strings(args["ignoredResources"]))
    found = sorted(each for each in resources if each in ignored)
    if found:
        yield Uncounted(name, f"ignoredResources holds {', '.join(found)}", args["ignoredResources"].at)
    groups = set(read_strings(args["ignoredResourceGroups"]))
    prefixes = sorted({each.partition("/")[0] for each in resources} & groups)
    if prefixes:
        what = f"ignoredResourceGroups holds {', '.join(prefixes)}"
        yield Uncounted(name, what, args["ignoredResourceGroups"].at)


def _names(plugins: Field) -> list[str]:
    return [read_text(plugin["name"]) for plugin in plugins.elements()]
