"""What network policies decide: every kind normalised to entries, identities, verdicts.

::

    context = PolicyContext(settings=settings, namespaces={"ml": {"team": "research"}})
    policies = read_policies((document.root for document in documents), context)
    master = endpoint(pod_set, settings, context.namespaces, zone="zone-a")
    worker = endpoint(other_set, settings, context.namespaces, zone="zone-b", node="other")
    verdict = policies.verdict(worker, master, "TCP", 23456)         # or a PortRange, or None for every port
    verdict.answer, verdict.reason, verdict.ingress.deciding[0].at   # Permission.DENY, a sentence, where it stands
    policies.rejected, policies.unenforced, policies.unknowns        # what is not in force, and why

Other ends: ``dns_endpoint``, ``entity("world")`` (``host``, ``remote-node``, ...), ``address("1.2.3.4")``.
Equal endpoints get equal verdicts, which are computed once: ask for every zone, it costs nothing where the zone does
not matter.
"""

from trainlint.policy.context import CidrGroup, PolicyContext, PolicyService
from trainlint.policy.endpoints import address, dns_endpoint, endpoint, entity, zone_dependent
from trainlint.policy.identity import Endpoint
from trainlint.policy.policyset import OWN_POD, REPLY, SECONDARY_INTERFACE, PolicySet
from trainlint.policy.reading import read_policies

__all__ = [
    "OWN_POD",
    "REPLY",
    "SECONDARY_INTERFACE",
    "CidrGroup",
    "Endpoint",
    "PolicyContext",
    "PolicyService",
    "PolicySet",
    "address",
    "dns_endpoint",
    "endpoint",
    "entity",
    "read_policies",
    "zone_dependent",
]
