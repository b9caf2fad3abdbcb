"""What would have to be known to say whether an entry is about two endpoints."""

from __future__ import annotations

from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.policy import PolicyEntry
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import NAMESPACE_LABELS, Endpoint
from trainlint.policy.selector import Matcher, keys_asked

__all__ = ["doubt"]

QUIRK = "1.20 (cilium#46949)"


def doubt(entry: PolicyEntry, subject: Endpoint, peer: Endpoint) -> Because:
    """The first thing that is not known."""
    if entry.doubtful is not None:
        return Because(VerdictGround.DOUBTFUL, (entry.policy, entry.doubtful))
    for each in entry.peers or ():
        if each.undecidable:
            return Because(VerdictGround.UNDECIDABLE, (entry.policy, each.undecidable))
    keys = keys_asked(entry.subject)
    peer_keys = {key for each in entry.peers or () for key in keys_asked(each.selector)}
    for endpoint, wanted in ((subject, keys), (peer, peer_keys)):
        for key in sorted(wanted):
            value = endpoint.labels.get(key)
            if isinstance(value, Undetermined):
                return Because(VerdictGround.LABEL, (entry.policy, key.partition(":")[2], endpoint.name, value.why))
            if key not in endpoint.labels and endpoint.unknown and endpoint.unknown.may_hold(key):
                return _unread(entry, endpoint, key.partition(":")[2])
    for end, selectors in ((subject, [entry.subject]), (peer, [each.selector for each in entry.peers or ()])):
        for selector in selectors:
            if selector.expression is not None and Matcher.of(selector).matches(end.labels, end.unknown) is None:
                return Because(VerdictGround.SELECTOR, (entry.policy, end.name))
    if peer.namespace and any(Matcher.of(each.selector).only_excludes for each in entry.peers or ()):
        return Because(VerdictGround.ONLY_EXCLUDES, (entry.policy, QUIRK))
    return Because(VerdictGround.ADDRESS, (entry.policy, peer.name))


def _unread(entry: PolicyEntry, endpoint: Endpoint, name: str) -> Because:
    """A label that no document gives or denies the end."""
    if name.startswith(NAMESPACE_LABELS) and endpoint.namespace:
        label = name.removeprefix(NAMESPACE_LABELS)
        return Because(VerdictGround.NAMESPACE_LABEL, (entry.policy, label, endpoint.namespace))
    return Because(VerdictGround.UNREAD_LABEL, (entry.policy, name, endpoint.name))
