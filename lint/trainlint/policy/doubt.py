"""What would have to be known to say whether an entry is about two endpoints."""

from __future__ import annotations

from trainlint.model.known import Undetermined
from trainlint.model.policy import PolicyEntry
from trainlint.policy.identity import NAMESPACE_LABELS, Endpoint
from trainlint.policy.selector import Matcher

__all__ = ["doubt"]

QUIRK = "1.20 (cilium#46949)"


def doubt(entry: PolicyEntry, subject: Endpoint, peer: Endpoint) -> str:
    """The first thing that is not known, in one sentence."""
    for each in entry.peers or ():
        if each.undecidable:
            return f"{entry.policy}: {each.undecidable}"
    keys = {item.key for item in entry.subject.requirements}
    peer_keys = {item.key for each in entry.peers or () for item in each.selector.requirements}
    for endpoint, wanted in ((subject, keys), (peer, peer_keys)):
        for key in sorted(wanted):
            value = endpoint.labels.get(key)
            if isinstance(value, Undetermined):
                return f"{entry.policy} asks for the label {key.partition(':')[2]} of {endpoint.name}: {value.why}"
            if key not in endpoint.labels and endpoint.unknown and endpoint.unknown.may_hold(key):
                return _unread(entry, endpoint, key.partition(":")[2])
    if peer.namespace and any(Matcher.of(each.selector).only_excludes for each in entry.peers or ()):
        return f"{entry.policy} has a peer that only excludes, which matches every pod in builds of Cilium {QUIRK}"
    return f"{entry.policy} may be about {peer.name}: its address, or a placeholder in the policy, is not known"


def _unread(entry: PolicyEntry, endpoint: Endpoint, name: str) -> str:
    """A label that no document gives or denies the end."""
    if name.startswith(NAMESPACE_LABELS) and endpoint.namespace:
        label = name.removeprefix(NAMESPACE_LABELS)
        return f"{entry.policy} asks for the label {label} of namespace {endpoint.namespace}, which is not in Git"
    return f"{entry.policy} asks for the label {name}, and whether {endpoint.name} has it is not known"
