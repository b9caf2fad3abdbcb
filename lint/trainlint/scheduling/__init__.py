"""What kube-scheduler decides: one module per filter plugin, requests, placements.

A pod becomes a ``Pod`` (pod.py: defaulting, admission, merged keys), a pool's node becomes a ``Node`` (node.py). The
module ``filter`` asks the static filters for one pod on one node, or all filters for a pod among placed pods
(``Occupancy``); ``exploration`` finds everything that can become of a small group. A filter answers with nothing (the
pod passes), a ``Refusal`` or a ``Doubt``.
"""
