"""What people may write in trainlint.yaml."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from trainlint.model.settings import ZONE

__all__ = ["ClusterConfig", "CniConfig", "Config", "Profile"]

Profile = Literal["eks", "gke", "aks", "oke", "kind", "generic"]
Version = Annotated[str, StringConstraints(pattern=r"^v?\d+\.\d+(\.\d+)?$")]


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


class GroupConfig(_Strict):
    """What is meant for one group."""

    cross_zone: Literal["allowed", "forbidden"] = Field(
        "forbidden", description="Whether traffic between domains is meant; then split-across-zones is silent."
    )


class Config(_Strict):
    """The whole file."""

    clusters: list[ClusterConfig] = Field(default_factory=list, description="The clusters of this repository.")
    groups: dict[str, GroupConfig] = Field(default_factory=dict, description="Groups by their name, namespace/name.")
