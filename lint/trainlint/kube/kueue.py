"""kueue.x-k8s.io, as far as admission is decided by it."""

from __future__ import annotations

from typing import Final

from trainlint.kube.meta import read_meta
from trainlint.kube.node import read_taints
from trainlint.kube.pod import read_tolerations
from trainlint.kube.selectors import read_equalities, read_label_selector
from trainlint.kube.values import is_placeholder, known_text, read_strings, read_text
from trainlint.model.api_kind import declared, names
from trainlint.model.known import Known
from trainlint.model.kueue import (
    AdmissionCheck,
    ClusterQueue,
    Cohort,
    Flavor,
    LocalQueue,
    MultiKueueConfig,
    Quota,
    ResourceGroup,
)
from trainlint.model.operator import Operator
from trainlint.source.document import Field

__all__ = [
    "KINDS",
    "KUEUE",
    "KUEUE_GROUP",
    "KUEUE_KINDS",
    "read_admission_check",
    "read_cluster_queue",
    "read_cohort",
    "read_flavor",
    "read_levels",
    "read_local_queue",
    "read_multikueue_config",
]

KUEUE: Final = Operator(
    "Kueue",
    webhooks=("[mv]*.kb.io",),
    configurations=("kueue-mutating-webhook-configuration", "kueue-validating-webhook-configuration"),
    services=("kueue-webhook-service", "*kueue*-webhook-service"),
    namespace="kueue-system",
    labels=(("app.kubernetes.io/name", "kueue"),),
)
KUEUE_GROUP: Final = "kueue.x-k8s.io"
KINDS: Final = declared(
    KUEUE_GROUP,
    namespaced="LocalQueue",
    cluster="AdmissionCheck ClusterQueue Cohort MultiKueueCluster MultiKueueConfig ResourceFlavor Topology",
)
KUEUE_KINDS: Final = names(KINDS)


def read_local_queue(item: Field, namespace: str) -> LocalQueue:
    """The LocalQueue at the cursor, in this namespace."""
    spec = item["spec"]
    return LocalQueue(namespace, read_meta(item).name, known_text(spec["clusterQueue"]), _stopped(spec), at=item.at)


def read_cluster_queue(item: Field) -> ClusterQueue:
    """The ClusterQueue at the cursor (v1beta1 names its cohort ``cohort``, v1beta2 ``cohortName``)."""
    spec = item["spec"]
    strategy = {
        read_text(each["name"]): read_strings(each["onFlavors"])
        for each in spec.down("admissionChecksStrategy", "admissionChecks").elements()
    }
    checks = (*read_strings(spec["admissionChecks"]), *strategy)
    groups = tuple(_group(group) for group in spec["resourceGroups"].elements())
    cohort = read_text(spec["cohortName"]) or read_text(spec["cohort"])
    names = (*checks, cohort, *(name for group in groups for name in (*group.covered, *group.flavors)))
    return ClusterQueue(
        name=read_meta(item).name,
        groups=groups,
        cohort=cohort,
        namespace_selector=read_label_selector(spec["namespaceSelector"]),
        stopped=_stopped(spec),
        checks=checks,
        on_flavors={name: flavors for name, flavors in strategy.items() if flavors},
        borrows_last=read_text(spec.down("flavorFungibility", "whenCanBorrow")) == "TryNextFlavor",
        undetermined=spec.mapping is None or any(map(is_placeholder, names)),
        at=item.at,
    )


def read_cohort(item: Field) -> Cohort:
    """The Cohort at the cursor (v1alpha1 names its parent ``parent``, later versions ``parentName``)."""
    spec = item["spec"]
    groups = tuple(_group(group) for group in spec["resourceGroups"].elements())
    parent = read_text(spec["parentName"]) or read_text(spec["parent"])
    names = (parent, *(name for group in groups for name in (*group.covered, *group.flavors)))
    return Cohort(read_meta(item).name, parent, groups, undetermined=any(map(is_placeholder, names)), at=item.at)


def read_flavor(item: Field) -> Flavor:
    """The ResourceFlavor at the cursor."""
    spec = item["spec"]
    labels = read_equalities(spec["nodeLabels"])
    taints = read_taints(spec["nodeTaints"])
    texts = (*(value for label in labels for value in label.values), *(taint.value for taint in taints))
    return Flavor(
        name=read_meta(item).name,
        node_labels=labels,
        node_taints=taints,
        tolerations=read_tolerations(spec["tolerations"]),
        topology=read_text(spec["topologyName"]),
        undetermined=any(map(is_placeholder, texts)),
        at=item.at,
    )


def read_admission_check(item: Field) -> AdmissionCheck:
    """The AdmissionCheck at the cursor."""
    parameters = item.down("spec", "parameters")
    conditions = item.down("status", "conditions").elements()
    active = (each["status"].value in {"True", True} for each in conditions if read_text(each["type"]) == "Active")
    return AdmissionCheck(
        read_meta(item).name,
        read_text(item.down("spec", "controllerName")),
        (read_text(parameters["kind"]), read_text(parameters["name"])),
        next(active, None),
        at=item.at,
    )


def read_multikueue_config(item: Field) -> MultiKueueConfig:
    """The MultiKueueConfig at the cursor."""
    clusters = read_strings(item.down("spec", "clusters"))
    return MultiKueueConfig(read_meta(item).name, clusters, any(map(is_placeholder, clusters)), at=item.at)


def read_levels(item: Field) -> tuple[str, ...]:
    """The node labels of the levels of a Topology."""
    return tuple(read_text(level["nodeLabel"]) for level in item.down("spec", "levels").elements())


def _group(group: Field) -> ResourceGroup:
    flavors: dict[str, dict[str, Quota]] = {}
    for flavor in group["flavors"].elements():
        flavors[read_text(flavor["name"])] = {
            read_text(each["name"]): Quota(
                known_text(each["nominalQuota"]),
                _limit(each["borrowingLimit"]),
                _limit(each["lendingLimit"]),
                at=each.at,
            )
            for each in flavor["resources"].elements()
        }
    return ResourceGroup(read_strings(group["coveredResources"]), flavors, at=group.at)


def _limit(field: Field) -> Known[str] | None:
    return known_text(field) if field.present else None


def _stopped(spec: Field) -> str:
    policy = read_text(spec["stopPolicy"])
    return policy if policy in {"Hold", "HoldAndDrain"} else ""
