"""Many policies, ports and peers."""

from __future__ import annotations

from tests.hostile.inputs.made import Files, Made, isolating, job, joined, node, policy

__all__ = ["POLICIES"]

NODES = joined(node(f"n{n}", f"z{n % 2}") for n in range(4))


def _jobs_and_policies(jobs: int, policies: int) -> Files:
    return {
        "nodes.yaml": NODES,
        "jobs.yaml": joined(job(f"j{n}") for n in range(jobs)),
        "policies.yaml": joined(isolating(f"p{n}") for n in range(policies)),
    }


def _ports(count: int) -> Files:
    """Ports that are admitted, none of them one that the pods need."""
    ports = ", ".join(f"{{port: {port}}}" for port in range(2, 2 * count + 2, 2))
    spec = f"podSelector: {{}}, policyTypes: [Ingress], ingress: [{{ports: [{ports}]}}]"
    return {"nodes.yaml": NODES, "jobs.yaml": job("a"), "policies.yaml": policy("p", spec)}


def _all_ports(count: int) -> Files:
    """Every port in an entry of its own, of a Cilium policy."""
    rules = [
        "{toPorts: [{ports: ["
        + ", ".join(f"{{port: '{port}', protocol: TCP}}" for port in range(first, min(first + 40, count)))
        + "]}]}"
        for first in range(1, count, 40)
    ]
    return {
        "nodes.yaml": NODES,
        "jobs.yaml": job("a"),
        "policies.yaml": "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\n"
        "metadata: {name: p, namespace: train}\nspec:\n  endpointSelector: {}\n"
        f"  ingress: [{', '.join(rules)}]\n",
    }


def _peers(count: int) -> Files:
    peers = ", ".join(f"{{ipBlock: {{cidr: 10.{n // 256}.{n % 256}.0/24}}}}" for n in range(count))
    spec = f"podSelector: {{}}, policyTypes: [Ingress], ingress: [{{from: [{peers}]}}]"
    return {"nodes.yaml": NODES, "jobs.yaml": job("a"), "policies.yaml": policy("p", spec)}


def _exceptions(count: int) -> Files:
    excepts = ", ".join(f"10.{n // 256}.{n % 256}.0/24" for n in range(count))
    peers = f"{{ipBlock: {{cidr: 10.0.0.0/8, except: [{excepts}]}}}}"
    spec = f"podSelector: {{}}, policyTypes: [Ingress], ingress: [{{from: [{peers}]}}]"
    return {"nodes.yaml": NODES, "jobs.yaml": job("a"), "policies.yaml": policy("p", spec)}


def _selecting(count: int) -> Files:
    """Policies that each admit one pod of their own."""
    texts = (
        policy(f"p{n}", f"podSelector: {{}}, ingress: [{{from: [{{podSelector: {{matchLabels: {{app: a{n}}}}}}}]}}]")
        for n in range(count)
    )
    return {"nodes.yaml": NODES, "jobs.yaml": job("a"), "policies.yaml": joined(texts)}


def _admitting(jobs: int, policies: int) -> Files:
    """Jobs of which each is cut off, by policies that each admit pods of another label."""
    files = _selecting(policies)
    return {**files, "jobs.yaml": joined(job(f"j{n}", labels=f"app: train-{n}") for n in range(jobs))}


def _roles(roles: int, policies: int) -> Files:
    """A Volcano Job of many tasks, each with labels of its own, against policies for each of them."""
    spec = "containers: [{name: c, image: x, command: [torchrun, --nnodes=2, train.py]}]"
    tasks = "".join(
        f"    - {{name: t{n}, replicas: 1, template: {{metadata: {{labels: {{role: r{n}}}}}, spec: {{{spec}}}}}}}\n"
        for n in range(roles)
    )
    texts = (
        policy(
            f"p{n}",
            f"podSelector: {{matchLabels: {{role: r{n % roles}}}}}, policyTypes: [Ingress, Egress], "
            f"ingress: [{{from: [{{podSelector: {{matchLabels: {{role: r{(n + 1) % roles}}}}}}}]}}], "
            f"egress: [{{to: [{{podSelector: {{matchLabels: {{role: r{(n + 2) % roles}}}}}}}]}}]",
        )
        for n in range(policies)
    )
    volcano = (
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v, namespace: train}\n"
        f"spec:\n  minAvailable: {roles}\n  schedulerName: volcano\n  plugins: {{svc: [], ssh: []}}\n  tasks:\n{tasks}"
    )
    return {"nodes.yaml": NODES, "jobs.yaml": volcano, "policies.yaml": joined(texts)}


def _jobset(roles: int, policies: int = 1) -> Files:
    spec = (
        "containers: [{name: c, image: x, command: [torchrun, --nnodes=2, train.py], "
        "resources: {limits: {nvidia.com/gpu: 1}}}]"
    )
    replicated = "".join(
        f"    - name: r{n}\n      replicas: 1\n      template: {{spec: {{parallelism: 2, completions: 2, template: "
        f"{{metadata: {{labels: {{role: r{n}}}}}, spec: {{restartPolicy: Never, {spec}}}}}}}}}\n"
        for n in range(roles)
    )
    jobset = (
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s, namespace: train}\n"
        f"spec:\n  replicatedJobs:\n{replicated}"
    )
    nodes = joined(node(f"n{n}", f"z{n % 3}") for n in range(60))
    texts = (isolating(f"p{n}", f"matchLabels: {{role: r{n}}}") for n in range(policies))
    return {"nodes.yaml": nodes, "jobs.yaml": jobset, "policies.yaml": joined(texts)}


def _wide(count: int) -> Files:
    """Cluster-wide Cilium policies that deny by labels of namespaces, zones and names."""
    texts = (
        f"apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {{name: w{n}}}\nspec:\n"
        f"  endpointSelector: {{matchExpressions: [{{key: app, operator: NotIn, values: [a{n}]}}]}}\n"
        f"  ingressDeny: [{{fromEndpoints: [{{matchExpressions: [{{key: app, operator: NotIn, values: [b{n}]}}]}}]}}]\n"
        for n in range(count)
    )
    return {
        "nodes.yaml": NODES,
        "jobs.yaml": joined(job(f"j{n}", labels=f"app: a{n}") for n in range(20)),
        "w.yaml": joined(texts),
    }


POLICIES = {
    "50 jobs and 50 isolating policies": Made(lambda: _jobs_and_policies(50, 50)),
    "50 jobs and 50 isolating policies, repairs": Made(lambda: _jobs_and_policies(50, 50), ("--diff",)),
    "500 jobs and 500 isolating policies": Made(lambda: _jobs_and_policies(500, 500)),
    "300 jobs and 500 admitting policies": Made(lambda: _admitting(300, 500)),
    "30 jobs and 50 admitting policies, repairs": Made(lambda: _admitting(30, 50), ("--diff",)),
    "one job and 5,000 isolating policies": Made(lambda: _jobs_and_policies(1, 5000)),
    "3,000 ports": Made(lambda: _ports(3000)),
    "3,000 ports, repairs": Made(lambda: _ports(3000), ("--diff",)),
    "30,000 ports": Made(lambda: _ports(30_000)),
    "50,000 ports in 1,250 rules": Made(lambda: _all_ports(50_000)),
    "5,000 peers": Made(lambda: _peers(5000)),
    "5,000 peers, repairs": Made(lambda: _peers(5000), ("--diff",)),
    "5,000 exceptions": Made(lambda: _exceptions(5000), ("--diff",)),
    "20,000 policies": Made(lambda: _selecting(20_000)),
    "100 tasks against 1,000 policies": Made(lambda: _roles(100, 1000)),
    "300 tasks against 600 policies": Made(lambda: _roles(300, 600)),
    "a JobSet of 200 roles": Made(lambda: _jobset(200)),
    "a JobSet of 200 roles and 200 policies": Made(lambda: _jobset(200, 200), ("--diff",)),
    "300 cluster-wide denials": Made(lambda: _wide(300)),
}
