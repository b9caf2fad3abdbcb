"""The pod or container that submits the job of a RayJob (W 7)."""

from __future__ import annotations

import json
from typing import Any, Final

from trainlint.operators.cluster import OperatorOptions
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    below,
    containers_of,
    copied,
    count,
    mapping,
    name_of,
    namespace_of,
    object_of,
    own_of,
    set_env,
    text,
)
from trainlint.operators.ray_env import set_token
from trainlint.operators.ray_names import (
    CREATED_BY,
    OPERATOR,
    ORIGIN,
    ORIGIN_KIND,
    address_of,
    enabled,
    login_shell,
    port_named,
)
from trainlint.operators.ray_services import service_ports
from trainlint.source.loader import load

__all__ = ["dashboard_port", "sidecar", "submitter_job", "submitter_requests"]

_NAME: Final = "ray-job-submitter"
_RESOURCES: Final = {
    "limits": {"cpu": "1", "memory": "1Gi"},
    "requests": {"cpu": "500m", "memory": "200Mi"},
}


def submitter_requests(job: Manifest, mode: str) -> list[Manifest]:
    """The containers that submit, whose requests count for a gang."""
    if mode == "K8sJobMode":
        return containers_of(mapping(_template(job, {}).get("spec")))
    return [_container({})] if mode == "SidecarMode" else []


def _container(ray: Manifest) -> Manifest:
    heads = containers_of(mapping(below(ray, "spec", "headGroupSpec", "template", "spec")))
    return {"name": _NAME, "image": heads[0].get("image") if heads else None, "resources": copied(_RESOURCES)}


def _template(job: Manifest, ray: Manifest) -> Manifest:
    given = below(job, "spec", "submitterPodTemplate")
    if isinstance(given, dict):
        written: Manifest = copied(given)
        return written
    return {"spec": {"containers": [_container(ray)], "restartPolicy": "Never"}}


def submitter_job(job: Manifest, ray: Manifest, options: OperatorOptions) -> Manifest:
    """The Job that submits."""
    template = _template(job, ray)
    containers = containers_of(mapping(template.get("spec")))
    _configure(containers[0], job, ray, options, f"{address_of(ray)}:{dashboard_port(ray)}", sidecar=False)
    labels = {ORIGIN: name_of(job), ORIGIN_KIND: "RayJob", CREATED_BY: OPERATOR}
    own_of(own_of(template, "metadata"), "labels").update(labels)
    limit = count(below(job, "spec", "submitterConfig", "backoffLimit"), 2)
    spec = {"backoffLimit": limit, "template": template}
    return object_of("batch/v1", "Job", name_of(job), namespace_of(job), labels=dict(labels), spec=spec)


def dashboard_port(ray: Manifest) -> int | None:
    """The dashboard's port in the head's Service, a user's first; ``None`` where it has none.

    Without one the job is never submitted.
    """
    written = below(ray, "spec", "headGroupSpec", "headService", "spec", "ports")
    for each in written if isinstance(written, list) else []:
        if isinstance(each, dict) and each.get("name") == "dashboard":
            return count(each.get("port"), 0)
    return service_ports(ray).get("dashboard")


def sidecar(job: Manifest, ray: Manifest, options: OperatorOptions) -> Manifest:
    """The container in the head's pod that submits."""
    container = _container(ray)
    head = containers_of(mapping(below(ray, "spec", "headGroupSpec", "template", "spec")))[0]
    address = f"127.0.0.1:{port_named(head, 'dashboard', 8265)}"
    _configure(container, job, ray, options, address, sidecar=True)
    if enabled(options, "SidecarSubmitterRestart"):
        container["restartPolicy"] = "OnFailure"
    return container


def _configure(
    container: Manifest, job: Manifest, ray: Manifest, options: OperatorOptions, address: str, *, sidecar: bool
) -> None:
    if sidecar or not container.get("command"):
        checks = not sidecar or enabled(options, "SidecarSubmitterRestart")
        container["command"] = login_shell(options, "e")
        container["args"] = [" ".join(_command(job, address, checks=checks, sidecar=sidecar))]
    set_env(
        container,
        {"name": "PYTHONUNBUFFERED", "value": "1"},
        {"name": "RAY_DASHBOARD_ADDRESS", "value": "" if sidecar else address},
        {"name": "RAY_JOB_SUBMISSION_ID", "value": _job_id(job)},
    )
    auth = mapping(below(ray, "spec", "authOptions"))
    if auth.get("mode") == "token":
        set_token(ray, container, auth)


def _job_id(job: Manifest) -> str:
    return text(below(job, "spec", "jobId")) or f"{name_of(job)}-{ANY}"


def _command(job: Manifest, address: str, *, checks: bool, sidecar: bool) -> list[str]:
    url, own = f"http://{address}", _job_id(job)
    health = url.replace("127.0.0.1", "localhost") if sidecar else url
    check = (
        f"python -c \"import urllib.request; r=urllib.request.urlopen('{health}/api/gcs_healthz', timeout=10); "
        "exit(0 if b'success' in r.read() else 1)\""
    )
    waiting = _quoted(f"Waiting for Ray Dashboard GCS to become healthy at {url} ...")
    words = ["until", check, ">/dev/null 2>&1 ; do echo", waiting, "; sleep 2 ; done ;"]
    if checks:
        words += ["if ! ray job status --address", url, own, ">/dev/null 2>&1 ; then"]
    words += ["ray job submit --address", url, *(["--no-wait"] if checks else []), *_options(job)]
    words += ["--submission-id", own, *_entrypoint(job), "--", text(below(job, "spec", "entrypoint")).strip(), ";"]
    if checks:
        words += ["fi ; ray job logs --address", url, "--follow", own]
    return words


def _options(job: Manifest) -> list[str]:
    found: list[str] = []
    environment = text(below(job, "spec", "runtimeEnvYAML"))
    if environment:
        found += ["--runtime-env-json", _quoted(_json(load(environment).data))]
    metadata = mapping(below(job, "spec", "metadata"))
    if metadata:
        found += ["--metadata-json", _quoted(_json(metadata))]
    return found


def _entrypoint(job: Manifest) -> list[str]:
    found: list[str] = []
    for key, flag in (("entrypointNumCpus", "cpus"), ("entrypointNumGpus", "gpus")):
        amount = below(job, "spec", key)
        if isinstance(amount, int | float) and amount > 0:
            found += [f"--entrypoint-num-{flag}", f"{amount:f}"]
    resources = text(below(job, "spec", "entrypointResources"))
    if resources:
        found += ["--entrypoint-resources", _quoted(resources)]
    return found


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
