"""Child Jobs of a JobSet that have a domain each, by an annotation or by nodes that are labelled for them (W 5)."""

from __future__ import annotations

from typing import Final

from trainlint.kube.meta import read_labels
from trainlint.source.document import Field

__all__ = ["EXCLUSIVE", "NODE_SELECTOR", "placed_by_labels"]

EXCLUSIVE: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"

NODE_SELECTOR: Final = "alpha.jobset.sigs.k8s.io/node-selector"
"""The annotation that says that nodes are labelled for each child Job beforehand; then no webhook places pods."""


def placed_by_labels(job_set: Field, entry: Field) -> bool:
    """Whether the pods of a replicated job go to nodes that were labelled for it, so that the webhook passes them over.

    The annotation counts where the exclusive topology stands beside it, or on the pod template itself (js-0070,
    js-0073, js-0077, js-0085).
    """
    for holder in (job_set, entry["template"]):
        written = read_labels(holder.down("metadata", "annotations"))
        if EXCLUSIVE in written and NODE_SELECTOR in written:
            return True
    return NODE_SELECTOR in read_labels(entry.down("template", "spec", "template", "metadata", "annotations"))
