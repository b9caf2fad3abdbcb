"""The launcher cannot log in to its workers by ssh, as both are written.

mpirun starts the ranks by ssh. The MPI operator makes the keys, and it starts sshd in a worker only if the first
container has neither command nor args; a worker that runs `sleep` instead has no server. sshd and ssh must also be told
the same port, and the keys must be in the home of the user that both run as.

```yaml bad
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers: [{name: launcher, image: "registry.example/train:1", command: [mpirun, -np, "2", ./train]}]
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: worker
              image: registry.example/train:1
              command: [sleep, infinity]  # expect
```

```yaml good
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers: [{name: launcher, image: "registry.example/train:1", command: [mpirun, -np, "2", ./train]}]
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: worker, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.finding import Certainty, Finding, Severity
from trainlint.kube.values import is_placeholder, read_text
from trainlint.launch.command import Command, commands
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet, Workload
from trainlint.rule import Facts, rule
from trainlint.workload.checks.fault import Fault
from trainlint.workload.mpijob import ssh_arguments_lost, ssh_ports
from trainlint.workload.pod_manifest import containers_of, template_of
from trainlint.workload.volcano_plugins import read_plugins

_NO_SERVER: Final = frozenset(
    {"sleep", "tail", "echo", "cat", "mkdir", "cp", "mv", "ln", "chmod", "chown", "touch", "ls", "true", "false", ":"}
    | {"export", "set", "env", "cd", "date", "trap", "wait", "printf", "nvidia-smi", "ulimit", "test", "[", "hostname"}
    | {"torchrun", "deepspeed", "mpirun", "mpiexec", "python", "python3", "pip", "pip3", "apt-get", "apt", "ray"}
)
"""Programs of which none is an ssh server; a script that cannot be read may start one."""
_HOME_OF_ROOT: Final = lazy_pattern(r"^/root(/|$)")


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and fault."""
    for workload in facts.snapshot.workloads.objects:
        for fault in ssh_faults(workload):
            yield fault.finding()


def ssh_faults(workload: Workload) -> Iterator[Fault]:
    """What keeps launcher and workers of an MPI job from meeting."""
    roles = {pods.role: pods for pods in workload.pod_sets}
    if (workload.owner.kind, workload.api_version) == ("MPIJob", "kubeflow.org/v2beta1"):
        launcher, worker = roles.get("Launcher"), roles.get("Worker")
        if launcher is None or worker is None:
            return
        yield from _server(worker, by_operator=True)
        yield from _ports(launcher, worker)
        yield from _keys(workload, launcher, worker)
    elif workload.owner.kind == "Job.batch.volcano.sh":
        plugins = read_plugins(workload.field.down("spec", "plugins"))
        worker = roles.get(plugins.option("mpi", "worker", "worker"))
        if "mpi" in plugins and worker is not None and plugins.option("mpi", "master", "master") in roles:
            yield from _server(worker, by_operator=False)


def _server(worker: PodSet, *, by_operator: bool) -> Iterator[Fault]:
    """The operator starts sshd in container 0 only where neither command nor args are written (W 3)."""
    if not worker.spec.containers:
        return
    container = worker.spec.containers[0]
    found = commands(container)
    if (not container.command and not container.args) or not all(_serves_nothing(each) for each in found) or not found:
        return
    why = (
        "the operator starts sshd only in a container without command and args"
        if by_operator
        else "nothing starts sshd"
    )
    yield Fault(
        f"{worker.name} runs {_short(container)} and no sshd, so mpirun cannot log in to it: {why}",
        (container.at or worker.template).child("command" if container.command else "args"),
        "remove command and args" if by_operator else "start /usr/sbin/sshd -D in it",
        evidence={"container": container.name, "command": _short(container)},
        cause="server",
        certainty=Certainty.LIKELY,
    )


def _serves_nothing(command: Command) -> bool:
    return not command.words or command.program in _NO_SERVER


def _short(container: Container) -> str:
    words = [word for word in (*container.command, *container.args) if isinstance(word, str)]
    text = " ".join(" ".join(words).split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def _ports(launcher: PodSet, worker: PodSet) -> Iterator[Fault]:
    told, listens = ssh_ports(launcher, worker)
    if listens is None or (told or 22) == listens or not worker.spec.containers:
        return
    if ssh_arguments_lost(launcher) == listens:  # operator-env-overridden says what has become of them
        return
    at = worker.spec.containers[0].at or worker.template
    said = f"ssh to port {told}" if told else "ssh to port 22, since it is told no other"
    yield Fault(
        f"sshd of {worker.name} listens on port {listens}, and mpirun in {launcher.name} connects by {said}",
        at.child("command" if worker.spec.containers[0].command else "args"),
        f"tell both the same: -mca plm_rsh_args '-p {listens}' for mpirun, or no -p for sshd",
        (("connects to another port", (launcher.spec.containers[0].at or launcher.template)),),
        {"sshd": listens, "ssh": told or 22},
        "port",
        Certainty.LIKELY,
    )


def _keys(workload: Workload, launcher: PodSet, worker: PodSet) -> Iterator[Fault]:
    """The keys are mounted in the home of one user, and another one runs ssh or sshd."""
    written = workload.field.down("spec", "sshAuthMountPath")
    path = read_text(written) or "/root/.ssh"
    if is_placeholder(path):
        return
    of_root = _HOME_OF_ROOT.match(path) is not None
    for pods in (launcher, worker):
        user = _user(workload, pods)
        if user is None or (user == 0) is of_root:
            continue
        yield Fault(
            f"{pods.name} runs as user {user}, and the ssh keys are mounted in {path}, which is not the home of this "
            "user",
            written.at,
            "set sshAuthMountPath to the .ssh of the home directory of the user that both roles run as",
            ((f"runs as user {user}", template_of(workload, pods)["spec"].at),),
            {"user": user, "sshAuthMountPath": path},
            "keys",
            Certainty.LIKELY,
        )
        return


def _user(workload: Workload, pods: PodSet) -> int | None:
    """The user that container 0 runs as, where the manifest says it."""
    container = next(containers_of(workload, pods), None)
    places = [template_of(workload, pods).down("spec", "securityContext", "runAsUser")]
    if container is not None:
        places.insert(0, container.down("securityContext", "runAsUser"))
    for place in places:
        if place.present:
            return place.value if isinstance(place.value, int) and not isinstance(place.value, bool) else None
    return None
