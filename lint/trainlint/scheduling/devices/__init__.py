"""Dynamic resource allocation as kube-scheduler's plugin DynamicResources decides it (version 1.36).

``offer`` holds what drivers publish, ``taken`` what claims have, ``needs`` what a pod asks for, and ``allocation`` asks
the ``search`` for one pod on one node. Selectors are evaluated by ``selection``.
"""
