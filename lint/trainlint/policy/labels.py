"""Cilium's label filter: which labels are part of an identity (P 2.4, pkg/labelsfilter/filter.go)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from trainlint.fact import fact
from trainlint.policy.options import CiliumOptions, Version

__all__ = ["LabelFilter", "OpenLabels", "node_label_filter", "pod_label_filter"]

DEFAULT_PATTERNS = (
    r"reserved:.*",
    r"io\.kubernetes\.pod\.namespace",
    r"io\.cilium\.k8s\.namespace\.labels",
    r"app\.kubernetes\.io",
    r"io\.cilium\.k8s\.policy\.cluster",
    r"io\.cilium\.k8s\.policy\.serviceaccount",
    r"!io\.kubernetes",
    r"!kubernetes\.io",
    r"!statefulset\.kubernetes\.io/pod-name",
    r"!apps\.kubernetes\.io/pod-index",
    r"!batch\.kubernetes\.io/job-completion-index",
    r"!batch\.kubernetes\.io/controller-uid",
    r"!.*beta\.kubernetes\.io",
    r"!k8s\.io",
    r"!pod-template-generation",
    r"!pod-template-hash",
    r"!controller-revision-hash",
    r"!controller-uid",
    r"!annotation.*",
    r"!etcd_node",
)
TOPOLOGY_PATTERN = r"!topology\.kubernetes\.io"


def _drops_topology(version: Version) -> bool:
    """Cilium 1.18.7 and 1.19.0 began to drop topology.kubernetes.io labels (P 2.4, cilium#43725)."""
    return version >= (1, 18, 7)


@fact
class _Pattern:
    source: str
    expression: re.Pattern[str]
    ignore: bool

    def length(self, source: str, key: str) -> int:
        """Length of the match at the start of the key; 0 for none."""
        if self.source and self.source != source:
            return 0
        match = self.expression.match(key)
        return match.end() if match else 0


def _parse_pattern(text: str) -> _Pattern | None:
    source, colon, prefix = text.partition(":")
    if not colon:
        source, prefix = "", text
    ignore = prefix.startswith("!")
    try:
        expression = re.compile(prefix.removeprefix("!"))
    except re.error:  # The agent does not start with it, so no cluster runs with it.
        return None
    return _Pattern(source, expression, ignore)


@dataclass(slots=True)
class LabelFilter:
    """Decides for each label whether it counts. ``whitelist``: only included labels do."""

    includes: tuple[_Pattern, ...]
    ignores: tuple[_Pattern, ...]
    whitelist: bool
    _memo: dict[tuple[str, str], bool] = field(default_factory=dict)

    @classmethod
    def everything(cls) -> LabelFilter:
        """The filter that keeps every label."""
        return cls((), (), whitelist=False)

    def keeps(self, source: str, key: str) -> bool:
        """Whether the label with this source and key is part of the identity."""
        memo = self._memo.get((source, key))
        if memo is None:
            included = max((pattern.length(source, key) for pattern in self.includes), default=0)
            matches = (pattern.length(source, key) for pattern in self.ignores)
            ignored = min((length for length in matches if length), default=0)
            memo = (not self.whitelist and ignored == 0) or included > ignored
            self._memo[source, key] = memo
        return memo


@fact
class OpenLabels:
    """Labels that may exist without being known: ``prefixes`` are beginnings of their ``source:key``.

    What the filter drops is not among them.
    """

    prefixes: tuple[str, ...]
    label_filter: LabelFilter | None = field(default=None, compare=False, repr=False)

    def may_hold(self, key: str) -> bool:
        """Whether there may be a label with this ``source:key``."""
        if not key.startswith(self.prefixes):
            return False
        return self.label_filter is None or self.label_filter.keeps("k8s", key.partition(":")[2])


def _build(defaults: Iterable[str], configured: Iterable[str]) -> LabelFilter:
    patterns = [pattern for text in defaults if (pattern := _parse_pattern(text))]
    added = [pattern for text in configured if (pattern := _parse_pattern(text))]
    patterns += added
    return LabelFilter(
        includes=tuple(pattern for pattern in patterns if not pattern.ignore),
        ignores=tuple(pattern for pattern in patterns if pattern.ignore),
        whitelist=any(not pattern.ignore for pattern in added),
    )


@lru_cache(maxsize=256)
def pod_label_filter(options: CiliumOptions) -> LabelFilter:
    """The filter for pods (and for the host's own labels): defaults of the version and the option ``labels``."""
    defaults = (*DEFAULT_PATTERNS, TOPOLOGY_PATTERN) if _drops_topology(options.version) else DEFAULT_PATTERNS
    return _build(defaults, options.labels)


@lru_cache(maxsize=256)
def node_label_filter(options: CiliumOptions) -> LabelFilter:
    """The filter for labels with source ``node``: only the option ``node-labels``, no defaults."""
    return _build((), options.node_labels)
