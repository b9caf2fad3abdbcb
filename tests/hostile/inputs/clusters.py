"""Many zones and nodes, and groups that repeat themselves."""

from __future__ import annotations

from tests.hostile.inputs.made import Files, Made, isolating, job, joined, node, policy

__all__ = ["CLUSTERS"]

HELD = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: train}}}]}}"
)


def _zones(count: int, gpus: int = 8, pod: str = "", *, denied: bool = False) -> Files:
    files: Files = {
        "nodes.yaml": joined(node(f"n{n}", f"zone-{n}", gpus) for n in range(count)),
        "job.yaml": job("a", workers=7, pod=pod),
    }
    return {**files, "policy.yaml": isolating("p")} if denied else files


def _zonal_policies(count: int) -> Files:
    """What policies see of a pod differs from zone to zone."""
    peers = ", ".join(
        f"{{podSelector: {{matchLabels: {{topology.kubernetes.io/zone: zone-{n}}}}}}}" for n in range(count)
    )
    return {
        **_zones(count),
        "trainlint.yaml": "clusters:\n  - name: lab\n    kubernetes: '1.35'\n    profile: generic\n"
        "    cni: {name: calico, version: '3.31'}\n",
        "p.yaml": policy("p", f"podSelector: {{}}, ingress: [{{from: [{peers}]}}]"),
    }


def _workers(count: int) -> Files:
    """A RayCluster in which one worker group is written many times."""
    spec = "containers: [{name: ray, image: rayproject/ray:2.9.0, resources: {limits: {nvidia.com/gpu: 64}}}]"
    groups = "".join(
        f"    - {{groupName: w, replicas: 2, minReplicas: 2, maxReplicas: 2, rayStartParams: {{}}, "
        f"template: {{spec: {{nodeSelector: {{a: b{n}}}, {spec}}}}}}}\n"
        for n in range(count)
    )
    return {
        "nodes.yaml": joined(node(f"n{n}", f"z{n % 3}") for n in range(9)),
        "ray.yaml": "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r, namespace: train}\nspec:\n"
        f"  headGroupSpec: {{rayStartParams: {{}}, template: {{spec: {{{spec}}}}}}}\n  workerGroupSpecs:\n{groups}",
    }


def _twice(count: int) -> Files:
    """Jobs of one name in many files, none of which fits."""
    spec = "nodeSelector: {pool: none}"
    files: Files = {f"j{n}.yaml": job("a", workers=9, pod=spec) for n in range(count)}
    return {"nodes.yaml": joined(node(f"n{n}", f"z{n % 3}") for n in range(9)), **files}


CLUSTERS = {
    "4,000 zones": Made(lambda: _zones(4000)),
    "4,000 zones, one fits": Made(lambda: {**_zones(4000, 1), "one.yaml": node("big", "zone-big", 8)}),
    "4,000 zones, none fits": Made(lambda: _zones(4000, 1, HELD)),
    "4,000 zones, all denied": Made(lambda: _zones(4000, denied=True)),
    "4,000 zones, repairs": Made(lambda: _zones(4000, 1, HELD, denied=True), ("--diff",)),
    "1,000 zones that policies name": Made(lambda: _zonal_policies(1000)),
    "4,000 zones that policies name": Made(lambda: _zonal_policies(4000)),
    "a worker group 2 times": Made(lambda: _workers(2), ("--diff",)),
    "a worker group 50 times": Made(lambda: _workers(50), ("--diff",)),
    "a job 60 times": Made(lambda: _twice(60), ("--diff",)),
    "2,000 jobs that fit nowhere": Made(
        lambda: {
            "nodes.yaml": joined(node(f"n{n}", f"z{n}") for n in range(20)),
            "jobs.yaml": joined(job(f"j{n}", pod=f"nodeSelector: {{a: b{n}}}") for n in range(2000)),
        }
    ),
}
