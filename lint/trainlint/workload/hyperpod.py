"""HyperPodPyTorchJob (W 13): coarsely, since its operator is closed."""

from __future__ import annotations

from trainlint.kube.values import read_int, read_text
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set

__all__ = ["expand_hyperpod"]


def expand_hyperpod(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """One role for each replica spec; the only label known to be added is HPJob; every role runs ranks."""
    del context
    pod_sets = []
    for number, entry in enumerate(job.down("spec", "replicaSpecs").elements()):
        if not is_template(entry["template"]):
            continue
        most = read_int(entry["maxReplicas"], 0)
        pod_sets.append(
            pod_set(
                owner,
                read_text(entry["name"]) or f"role{number}",
                read_int(entry["replicas"], 0),
                entry["template"],
                entry.at,
                labels={"HPJob": owner.name},
                max_replicas=most if isinstance(most, int) and most > 0 else None,
            )
        )
    return Expansion(tuple(pod_sets), ranks=frozenset(range(len(pod_sets))), training=True)
