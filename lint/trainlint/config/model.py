"""What people may write in trainlint.yaml."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from trainlint.model.settings import ZONE

__all__ = [
    "ClusterConfig",
    "CniConfig",
    "Config",
    "FlowConfig",
    "GroupConfig",
    "IgnoreConfig",
    "Profile",
    "RenderConfig",
    "RoleConfig",
    "RulesConfig",
    "WorkloadConfig",
]

Profile = Literal["eks", "gke", "aks", "oke", "kind", "generic"]
Version = Annotated[str, StringConstraints(pattern=r"^v?\d+\.\d+(\.\d+)?$")]
RuleName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
FilePath = Annotated[str, StringConstraints(min_length=1)]
KindName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$")]
Level = Literal["error", "warning", "note"]
LevelOrOff = Literal["error", "warning", "note", "off", False]
"""YAML 1.1 reads a bare ``off`` as false."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CniConfig(_Strict):
    """The network plugin of a cluster."""

    name: Literal["cilium", "calico", "antrea", "ovn-kubernetes", "kindnet", "vpc-cni", "other"] = Field(
        description="The network plugin that enforces policies."
    )
    version: Version | None = Field(None, description="Its version, quoted: major.minor or major.minor.patch.")
    options: dict[str, str | bool | int] = Field(
        default_factory=dict, description="Options that change verdicts, by the names of the agent's own options."
    )


class ClusterConfig(_Strict):
    """What is true of one cluster and stands in no manifest."""

    name: str = Field(min_length=1, description="A name for messages.")
    kubernetes: Version | None = Field(None, description="The Kubernetes version, quoted.")
    profile: Profile = Field("generic", description="The platform, which adds labels, taints and admission plugins.")
    cni: CniConfig | None = Field(None, description="The network plugin.")
    admission: list[str] = Field(
        default_factory=list, description="Admission plugins that are on beside Kubernetes' defaults."
    )
    topology_key: str = Field(ZONE, min_length=1, description="The node label within which groups should stay.")
    paths: list[FilePath] = Field(
        default_factory=list,
        description="Directories, files and patterns (*, **) of what is deployed to it, relative to the directory of "
        "this file. Without any, the entry only sets what is true of the cluster.",
    )
    namespace: str = Field("", description="The namespace of objects that name none; default if empty.")
    inventories: list[FilePath] = Field(
        default_factory=list, description="Files that describe its nodes; then no others count for it."
    )
    closed: list[KindName] = Field(
        default_factory=list,
        description="Kinds of which Git holds all objects of this cluster, such as PriorityClass: what is not there "
        "does not exist.",
    )
    nodes: Literal["open", "closed"] | None = Field(
        None,
        description="Whether there may be nodes that Git does not describe: open; or closed, where NodePools, node "
        "groups and inventories in Git are all that there is. Without it, each source says so for itself.",
    )


class RoleConfig(_Strict):
    """Where one role of a kind sits. Paths are keys joined by dots; * is each element of a list or map."""

    name: str = Field("", description="The name of the role, where it is always the same.")
    at: str = Field("", description="The path of the role in the object, as spec.tasks.*; the object itself if empty.")
    template: str = Field("template", min_length=1, description="The path of its pod template, from there.")
    replicas: str | int = Field("replicas", description="The path of its number of pods, from there; or the number.")
    name_at: str = Field("", description="The path of its name, from there.")
    ranks: bool = Field(default=True, description="Whether its pods exchange data with each other and other ranks.")


class FlowConfig(_Strict):
    """A connection that one role of a kind opens to another."""

    source: str = Field(min_length=1, alias="from", description="The role that opens it.")
    target: str = Field(min_length=1, alias="to", description="The role that listens.")
    port: int = Field(ge=1, le=65535, description="The port of the pods that listen.")
    protocol: Literal["TCP", "UDP", "SCTP"] = Field("TCP", description="The protocol.")


class WorkloadConfig(_Strict):
    """A kind of workload that trainlint does not know by itself."""

    kind: str = Field(min_length=1, description="The kind, as in its manifests.")
    group: str = Field("", description="Its API group; any if empty.")
    roles: list[RoleConfig] = Field(min_length=1, description="Its roles.")
    flows: list[FlowConfig] = Field(default_factory=list, description="Connections beside those of ranks.")


class GroupConfig(_Strict):
    """What is meant for one group."""

    selector: dict[str, str] = Field(
        default_factory=dict, description="Labels: objects whose pods carry them, in its namespace, are this group."
    )

    cross_zone: Literal["allowed", "forbidden"] = Field(
        "forbidden",
        description="Whether traffic between domains is meant; then a placement over several domains is no finding.",
    )


class RulesConfig(_Strict):
    """Which rules run, and how bad their findings are. A name counts before its category, ignore before select."""

    select: list[RuleName] = Field(
        default_factory=list, description="Rules or categories that run; all if nothing is selected."
    )
    ignore: list[RuleName] = Field(default_factory=list, description="Rules or categories that do not run.")
    severity: dict[RuleName, LevelOrOff] = Field(
        default_factory=dict,
        description="The severity of a rule's findings; off is the same as to ignore the rule.",
        json_schema_extra={"additionalProperties": False},
    )


class IgnoreConfig(_Strict):
    """Findings that are known and accepted in some files."""

    paths: list[Annotated[str, StringConstraints(min_length=1)]] = Field(
        min_length=1, description="Files, as in .gitignore, relative to the directory of this file."
    )
    rules: list[RuleName] = Field(min_length=1, description="Rules or categories whose findings are left out there.")
    reason: str = Field("", description="Why they are accepted.")
    until: dt.date | None = Field(None, description="The last day that this entry counts, as 2027-01-31.")


class RenderConfig(_Strict):
    """What is rendered before it is judged, where the program for it is there."""

    kustomize: Literal["auto", "never"] = Field(
        default="auto", description="Whether kustomizations are rendered, by kustomize or kubectl."
    )
    helm: Literal["auto", "never"] = Field(
        default="auto", description="Whether Helm charts are rendered, by helm or its library."
    )


class Config(_Strict):
    """The whole file."""

    clusters: list[ClusterConfig] = Field(default_factory=list, description="The clusters of this repository.")
    workloads: list[WorkloadConfig] = Field(default_factory=list, description="Kinds of workloads, beside the known.")
    groups: dict[str, GroupConfig] = Field(default_factory=dict, description="Groups by their name, namespace/name.")
    render: RenderConfig = Field(default_factory=RenderConfig, description="What is rendered before it is judged.")
    rules: RulesConfig = Field(default_factory=RulesConfig, description="Which rules run, and their severities.")
    ignore: list[IgnoreConfig] = Field(default_factory=list, description="Findings to leave out, by path.")
    fail_on: Level = Field("error", description="The least severity that makes the exit code 1.")
    require_reason: bool = Field(default=False, description="Whether a suppression counts only if it gives a reason.")
