"""Where the fault of a pod stands that the API server refuses: each with the nearest states that it takes.

The rules are those of kubernetes:pkg/apis/core/validation/validation.go. ``MAIN`` is the container, ``BASE`` the pod.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from tests.admission.lawful import check_laws

from trainlint.admission.problem import Problem
from trainlint.admission.refusals import problems
from trainlint.source.document import Document
from trainlint.wording.because import because_text, remedy_for

LONG, LONGEST = "b" * 64, "b" * 63
REQUIRED, PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))


def refused(spec: str, container: str = "{}", init: str = "") -> list[Problem]:
    main = {"name": "main", "image": "registry.example/train:1", **yaml.safe_load(container)}
    made: dict[str, Any] = {"containers": [main], **yaml.safe_load(spec)}
    if init:
        made["initContainers"] = [{"name": "first", "image": "registry.example/i:1", **yaml.safe_load(init)}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": made}
    found = list(problems(Document("a.yaml", 0, 1, "", pod).root, "1.36"))
    check_laws(pod, found)
    return found


def places(found: list[Problem], above: tuple[str | int, ...]) -> list[str]:
    assert all(each.at[: len(above)] == above for each in found), found
    assert all(because_text(each.why) and remedy_for(each.why) for each in found)
    return ["/".join(map(str, each.at[len(above) :])) for each in found]


def of_container(container: str, spec: str = "{}") -> list[str]:
    return places(refused(spec, container), ("spec", "containers", 0))


OF_CONTAINERS = [
    # names and images
    ("{name: ''}", [""]),
    ("{name: Main}", ["name"]),
    (f"{{name: {LONG}}}", ["name"]),
    (f"{{name: {LONGEST}}}", []),
    ("{name: train-JOB_NAME}", []),
    ("{image: ' registry.example/train:1'}", ["image"]),
    # ports
    ("{ports: [{containerPort: 0}]}", ["ports/0/containerPort"]),
    ("{ports: [{containerPort: 1}]}", []),
    ("{ports: [{containerPort: 65535}]}", []),
    ("{ports: [{containerPort: 65536}]}", ["ports/0/containerPort"]),
    ("{ports: [{containerPort: 80, hostPort: 0}]}", []),
    ("{ports: [{containerPort: 80, hostPort: -1}]}", ["ports/0/hostPort"]),
    ("{ports: [{containerPort: 80, hostPort: 65536}]}", ["ports/0/hostPort"]),
    ("{ports: [{containerPort: 80, hostPort: 81}]}", []),
    ("{ports: [{hostPort: 80}]}", ["ports/0"]),
    ("{ports: [{containerPort: 80, protocol: SCTP}, {containerPort: 80, protocol: UDP}]}", []),
    ("{ports: [{containerPort: 80}, {containerPort: 81, protocol: tcp}]}", ["ports/1/protocol"]),
    ("{ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]}", ["ports/1/name"]),
    ("{ports: [{containerPort: 80, name: a}, {containerPort: 81, name: b}]}", []),
    ("{ports: [{containerPort: 80, name: 123}]}", ["ports/0/name"]),
    ("{ports: [{containerPort: 80, name: fifteen-letters}]}", []),
    ("{ports: [{containerPort: 80, name: sixteen-letters-}]}", ["ports/0/name"]),
    ("{ports: [{containerPort: 80, name: a--b}]}", ["ports/0/name"]),
    # environment
    ("{env: [{value: x}]}", ["env/0"]),
    ("{env: [{name: A.b-c_d, value: x}]}", []),
    ("{env: [{name: 'A=B', value: x}]}", ["env/0/name"]),
    ("{env: [{name: ä, value: x}]}", ["env/0/name"]),
    ("{env: [{name: A, value: '', valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}", []),
    ("{env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}", ["env/0/valueFrom"]),
    ("{env: [{name: A, valueFrom: {fieldRef: {}, secretKeyRef: {key: k}}}]}", ["env/0/valueFrom"]),
    ("{env: [{name: A, valueFrom: {fieldRef: null, secretKeyRef: {name: s, key: k}}}]}", []),
    ("{env: [{name: A, valueFrom: {}}]}", ["env/0/valueFrom"]),
    ("{env: [{name: A, valueFrom: {secretKeyRef: {name: s}}}]}", ["env/0/valueFrom/secretKeyRef"]),
    ("{env: [{name: A, valueFrom: {configMapKeyRef: {name: s, key: k}}}]}", []),
    # probes
    ("{livenessProbe: {exec: {command: [x]}}}", []),
    ("{livenessProbe: {}}", ["livenessProbe"]),
    ("{livenessProbe: {exec: {command: [x]}, tcpSocket: {port: 1}}}", ["livenessProbe"]),
    ("{readinessProbe: {grpc: {port: 1}, successThreshold: 2}}", []),
    ("{livenessProbe: {grpc: {port: 1}, successThreshold: 1}}", []),
    ("{startupProbe: {grpc: {port: 1}, successThreshold: 2}}", ["startupProbe/successThreshold"]),
    ("{lifecycle: {preStop: {exec: {command: [x]}}}}", []),
    # security
    ("{securityContext: {privileged: true}}", []),
    ("{securityContext: {allowPrivilegeEscalation: false}}", []),
    # validation compares with the name that manifests do not use
    ("{securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [SYS_ADMIN]}}}", []),
    (
        "{securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}}}",
        ["securityContext/allowPrivilegeEscalation"],
    ),
    ("{securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [IPC_LOCK]}}}", []),
    # mounts
    ("{volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /b}]}", []),
    ("{volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]}", ["volumeMounts/1/mountPath"]),
    ("{volumeMounts: [{mountPath: /a}]}", ["volumeMounts/0"]),
    ("{volumeMounts: [{name: w, mountPath: /a}]}", ["volumeMounts/0/name"]),
    ("{volumeMounts: [{name: v}]}", ["volumeMounts/0"]),
    ("{volumeMounts: [{name: v, mountPath: /a, subPath: a/..b}]}", []),
    ("{volumeMounts: [{name: v, mountPath: /a, subPath: a/../b}]}", ["volumeMounts/0/subPath"]),
    ("{volumeMounts: [{name: v, mountPath: /a, subPath: /a}]}", ["volumeMounts/0/subPath"]),
    ("{volumeMounts: [{name: v, mountPath: /a, subPath: a, subPathExpr: b}]}", ["volumeMounts/0"]),
    (
        "{volumeMounts: [{name: v, mountPath: /a}], volumeDevices: [{name: d, devicePath: /a}]}",
        ["volumeMounts/0/mountPath"],
    ),
    ("{volumeMounts: [{name: v, mountPath: /a}], volumeDevices: [{name: d, devicePath: /b}]}", []),
    # resources
    ("{resources: {requests: {cpu: 2}, limits: {cpu: 2}}}", []),
    ("{resources: {requests: {cpu: 2001m}, limits: {cpu: 2}}}", ["resources/requests/cpu"]),
    ("{resources: {requests: {memory: 2Gi}, limits: {memory: 2G}}}", ["resources/requests/memory"]),
    (
        "{resources: {requests: {ephemeral-storage: 2}, limits: {ephemeral-storage: 1}}}",
        ["resources/requests/ephemeral-storage"],
    ),
    ("{resources: {requests: {nvidia.com/gpu: 2}, limits: {nvidia.com/gpu: 1}}}", []),  # another rule tells it
    ("{resources: {limits: {gpu: 1}}}", ["resources/limits/gpu"]),
    ("{resources: {limits: {/gpu: 1}}}", ["resources/limits//gpu"]),
    ("{resources: {limits: {Example.com/gpu: 1}}}", ["resources/limits/Example.com/gpu"]),
    ("{resources: {limits: {cpu: 0}}}", []),
    ("{resources: {limits: {cpu: -1}}}", ["resources/limits/cpu"]),
    ("{resources: {requests: {memory: 16GB}}}", ["resources/requests/memory"]),
    ("{resources: {requests: {memory: '${M}'}}}", []),
    ("{resources: {limits: {memory: true}}}", ["resources/limits/memory"]),
    ("{resources: {limits: {hugepages-2Mi: 4Mi, memory: 1Gi}}}", []),
    ("{resources: {limits: {hugepages-2Mi: 4Mi, cpu: 1}}}", []),
    ("{resources: {limits: {hugepages-2Mi: 4Mi}}}", ["resources/limits/hugepages-2Mi"]),
    ("{resources: {limits: {hugepages-2Mi: 3Mi, cpu: 1}}}", ["resources/limits/hugepages-2Mi"]),
    ("{resources: {limits: {hugepages-1Gi: 2Gi, cpu: 1}, requests: {hugepages-1Gi: 2Gi}}}", []),
    (
        "{resources: {limits: {hugepages-1Gi: 2Gi, cpu: 1}, requests: {hugepages-1Gi: 1Gi}}}",
        ["resources/requests/hugepages-1Gi"],
    ),
    ("{resources: {requests: {hugepages-1Gi: 1Gi, cpu: 1}}}", ["resources/requests/hugepages-1Gi"]),
    ("{imagePullPolicy: IfNotPresent}", []),
    ("{imagePullPolicy: ifNotPresent}", ["imagePullPolicy"]),
]


@pytest.mark.parametrize(("container", "found"), OF_CONTAINERS, ids=[each for each, _ in OF_CONTAINERS])
def test_of_a_container(container: str, found: list[str]) -> None:
    volumes = "{volumes: [{name: v, emptyDir: {}}, {name: d, persistentVolumeClaim: {claimName: c}}]}"
    assert of_container(container, volumes) == found


@pytest.mark.parametrize(
    ("port", "found"),
    [
        ("{containerPort: 80, hostPort: 80}", []),
        ("{containerPort: 80}", []),
        ("{containerPort: 80, hostPort: 0}", []),
        ("{containerPort: 80, hostPort: 81}", ["ports/0/hostPort"]),
    ],
)
def test_on_the_host_network_both_ports_are_one(port: str, found: list[str]) -> None:
    assert of_container(f"{{ports: [{port}]}}", "{hostNetwork: true}") == found


@pytest.mark.parametrize(
    ("init", "found"),
    [
        ("{livenessProbe: {exec: {command: [x]}}}", ["livenessProbe"]),
        ("{lifecycle: {}}", ["lifecycle"]),
        ("{restartPolicy: Always, livenessProbe: {exec: {command: [x]}}, lifecycle: {}}", []),
        ("{name: main}", []),
        ("{ports: [{containerPort: 0}]}", ["ports/0/containerPort"]),
    ],
)
def test_of_an_init_container(init: str, found: list[str]) -> None:
    told = refused("{}", "{}", init)
    if "name: main" in init:  # the later of two equal names is that of the list that is read last
        assert [each.at for each in told] == [("spec", "initContainers", 0, "name")]
        assert [at for _, at in told[0].related] == [("spec", "containers", 0)]
        return
    assert places(told, ("spec", "initContainers", 0)) == found


TERM = "{matchExpressions: [%s]}"
OF_PODS = [
    # volumes
    ("{volumes: [{name: ''}]}", ["volumes/0"]),
    ("{volumes: [{name: a_b}]}", ["volumes/0/name"]),
    ("{volumes: [{name: a}, {name: a}]}", ["volumes/1/name"]),
    ("{volumes: [{name: VOLUME_NAME}, {name: VOLUME_NAME}]}", []),
    ("{volumes: [{name: a, emptyDir: {}, secret: {secretName: s}}]}", ["volumes/0"]),
    ("{volumes: [{name: a, emptyDir: {}, secret: null}]}", []),
    ("{volumes: [{name: a, secret: {}}]}", ["volumes/0/secret"]),
    ("{volumes: [{name: a, configMap: {}}]}", ["volumes/0/configMap"]),
    ("{volumes: [{name: a, hostPath: {}}]}", ["volumes/0/hostPath"]),
    ("{volumes: [{name: a, persistentVolumeClaim: {}}]}", ["volumes/0/persistentVolumeClaim"]),
    ("{volumes: [{name: a, csi: {}}]}", ["volumes/0/csi"]),
    ("{volumes: [{name: a, nfs: {path: /x}}]}", ["volumes/0/nfs"]),
    ("{volumes: [{name: a, ephemeral: {}}]}", ["volumes/0/ephemeral"]),
    ("{volumes: [{name: a, image: {}}]}", ["volumes/0/image"]),
    (
        "{volumes: [{name: a, secret: {secretName: s}}, {name: b, configMap: {name: c}}, {name: c, csi: {driver: d}}]}",
        [],
    ),
    # words and numbers
    ("{restartPolicy: never}", ["restartPolicy"]),
    ("{dnsPolicy: Default}", []),
    ("{dnsPolicy: default}", ["dnsPolicy"]),
    ("{dnsPolicy: None, dnsConfig: {searches: [a]}}", ["dnsPolicy"]),
    ("{dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.10]}}", []),
    ("{hostname: a.b}", ["hostname"]),
    ("{subdomain: A}", ["subdomain"]),
    (f"{{hostname: {LONGEST}}}", []),
    (f"{{subdomain: {LONG}}}", ["subdomain"]),
    ("{activeDeadlineSeconds: 1}", []),
    ("{activeDeadlineSeconds: 0}", ["activeDeadlineSeconds"]),
    ("{terminationGracePeriodSeconds: 0}", []),
    ("{terminationGracePeriodSeconds: -1}", []),
    ("{shareProcessNamespace: true, hostPID: true}", ["shareProcessNamespace"]),
    ("{shareProcessNamespace: true, hostPID: false}", []),
    ("{shareProcessNamespace: false, hostPID: true}", []),
    # claims
    ("{resourceClaims: [{name: a, resourceClaimName: b}]}", []),
    ("{resourceClaims: [{name: a, resourceClaimName: b, resourceClaimTemplateName: ''}]}", []),
    ("{resourceClaims: [{name: a, resourceClaimName: b, resourceClaimTemplateName: c}]}", ["resourceClaims/0"]),
    ("{resourceClaims: [{name: a}]}", ["resourceClaims/0"]),
    # the pod's own resources
    ("{resources: {requests: {cpu: 3}, limits: {cpu: 2}}}", ["resources/requests/cpu"]),
    ("{resources: {limits: {memory: 1GB}}}", ["resources/limits/memory"]),
    # node selectors and tolerations
    ("{nodeSelector: {example.com/a: b}}", []),
    ("{nodeSelector: {-a: b}}", ["nodeSelector/-a"]),
    ("{nodeSelector: {a: -b}}", ["nodeSelector/a"]),
    (f"{{nodeSelector: {{a: {LONGEST}, {LONGEST}: b}}}}", []),
    (f"{{nodeSelector: {{a: {LONG}}}}}", ["nodeSelector/a"]),
    (f"{{nodeSelector: {{{LONG}: a}}}}", [f"nodeSelector/{LONG}"]),
    ("{nodeSelector: {/a: b}}", ["nodeSelector//a"]),
    ("{nodeSelector: {a/: b}}", ["nodeSelector/a/"]),
    ("{tolerations: [{operator: Exists}]}", []),
    ("{tolerations: [{operator: Equal}]}", ["tolerations/0"]),
    ("{tolerations: [{value: x}]}", ["tolerations/0"]),
    ("{tolerations: [{key: a}]}", []),
    ("{tolerations: [{key: a, operator: Exists, value: x}]}", ["tolerations/0/value"]),
    ("{tolerations: [{key: a, operator: exists}]}", ["tolerations/0/operator"]),
    ("{tolerations: [{key: a b, operator: Exists}]}", ["tolerations/0/key"]),
    ("{tolerations: [{key: a, value: b c}]}", ["tolerations/0/value"]),
    ("{tolerations: [{key: a, operator: Equal, value: b c}]}", ["tolerations/0/value"]),
    ("{tolerations: [{key: a, effect: PreferNoSchedule}]}", []),
    ("{tolerations: [{key: a, effect: noSchedule}]}", ["tolerations/0/effect"]),
    ("{tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 0}]}", []),
    ("{tolerations: [{key: a, effect: NoSchedule, tolerationSeconds: 0}]}", ["tolerations/0/tolerationSeconds"]),
    ("{tolerations: [{key: a, tolerationSeconds: 1}]}", ["tolerations/0/tolerationSeconds"]),
    # spread
    *(
        (f"{{topologySpreadConstraints: [{{{spread}}}]}}", [f"topologySpreadConstraints/0{at}" for at in ats])
        for spread, ats in (
            ("maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway", []),
            ("maxSkew: 1, whenUnsatisfiable: ScheduleAnyway", [""]),
            ("maxSkew: 1, topologyKey: a", [""]),
            ("maxSkew: 1, topologyKey: a, whenUnsatisfiable: Never", ["/whenUnsatisfiable"]),
            ("topologyKey: a, whenUnsatisfiable: DoNotSchedule", [""]),
            ("maxSkew: 0, topologyKey: a, whenUnsatisfiable: DoNotSchedule", ["/maxSkew"]),
            ("maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, minDomains: 1", []),
            ("maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, minDomains: 0", ["/minDomains"]),
            ("maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway, minDomains: 1", ["/minDomains"]),
            (
                "maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: -}}",
                ["/labelSelector/matchLabels/a"],
            ),
        )
    ),
    (
        (
            "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule},"
            " {maxSkew: 2, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}"
        ),
        ["topologySpreadConstraints/1"],
    ),
    (
        (
            "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule},"
            " {maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway},"
            " {maxSkew: 1, topologyKey: b, whenUnsatisfiable: DoNotSchedule}]}"
        ),
        [],
    ),
    # affinity
    (f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{}}}}}}}}", [f"affinity/nodeAffinity/{REQUIRED}"]),
    (
        f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: []}}}}}}}}",
        [f"affinity/nodeAffinity/{REQUIRED}"],
    ),
    *(
        (
            f"{{affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{TERM % requirement}]}}}}}}}}",
            [f"affinity/nodeAffinity/{REQUIRED}/nodeSelectorTerms/0/matchExpressions/0{at}" for at in ats],
        )
        for requirement, ats in (
            ("{key: a, operator: In, values: [b]}", []),
            ("{key: a, operator: In, values: []}", [""]),
            ("{key: a, operator: NotIn}", [""]),
            ("{key: a, operator: Exists}", []),
            ("{key: a, operator: Exists, values: [b]}", ["/values"]),
            ("{key: a, operator: DoesNotExist, values: [b]}", ["/values"]),
            ("{key: a, operator: Gt, values: ['4']}", []),
            ("{key: a, operator: Lt, values: ['-4']}", ["/values/0"]),
            ("{key: a, operator: Gt, values: [four]}", []),  # the scheduler finds no node for it
            ("{key: a, operator: Gt, values: ['4', '5']}", ["/values"]),
            ("{key: a, operator: Gt}", [""]),
            ("{key: a}", [""]),
            ("{key: a, operator: in, values: [b]}", ["/operator"]),
            ("{operator: Exists}", [""]),
            ("{key: a b, operator: Exists}", ["/key"]),
        )
    ),
    *(
        (
            f"{{affinity: {{nodeAffinity: {{{PREFERRED}: [{{{weighted}}}]}}}}}}",
            [f"affinity/nodeAffinity/{PREFERRED}/0{at}" for at in ats],
        )
        for weighted, ats in (
            ("weight: 1, preference: {}", []),
            ("weight: 100, preference: {}", []),
            ("weight: 0, preference: {}", ["/weight"]),
            ("weight: 101, preference: {}", ["/weight"]),
            ("preference: {}", [""]),
            (
                "weight: 1, preference: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
                ["/preference/matchExpressions/0/values"],
            ),
        )
    ),
    *(
        (f"{{affinity: {{{kind}: {{{REQUIRED}: [{{{term}}}]}}}}}}", [f"affinity/{kind}/{REQUIRED}/0{at}" for at in ats])
        for kind in ("podAffinity", "podAntiAffinity")
        for term, ats in (
            ("topologyKey: a", []),
            ("labelSelector: {}", [""]),
            ("topologyKey: a b", ["/topologyKey"]),
            ("topologyKey: a, labelSelector: {matchLabels: {a: b c}}", ["/labelSelector/matchLabels/a"]),
            (
                "topologyKey: a, labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['4']}]}",
                ["/labelSelector/matchExpressions/0/operator"],
            ),
        )
    ),
    *(
        (
            f"{{affinity: {{{kind}: {{{PREFERRED}: [{{{term}}}]}}}}}}",
            [f"affinity/{kind}/{PREFERRED}/0{at}" for at in ats],
        )
        for kind in ("podAffinity", "podAntiAffinity")
        for term, ats in (
            ("weight: 100, podAffinityTerm: {topologyKey: a}", []),
            ("podAffinityTerm: {topologyKey: a}", [""]),
            ("weight: 1, podAffinityTerm: {}", ["/podAffinityTerm"]),
            ("weight: 101, podAffinityTerm: {topologyKey: a}", ["/weight"]),
        )
    ),
]


@pytest.mark.parametrize(("spec", "found"), OF_PODS, ids=[each for each, _ in OF_PODS])
def test_of_a_pod(spec: str, found: list[str]) -> None:
    assert places(refused(spec), ("spec",)) == found


@pytest.mark.parametrize(
    ("claims", "asked", "found"),
    [
        ("[{name: gpu, resourceClaimName: b}]", "gpu", []),
        ("[{name: gpu, resourceClaimName: b}]", "gpus", ["resources/claims/0/name"]),
        ("[]", "gpu", ["resources/claims/0/name"]),
        ("[{name: '${CLAIM}', resourceClaimName: b}]", "gpu", []),
    ],
)
def test_a_container_uses_claims_of_its_pod(claims: str, asked: str, found: list[str]) -> None:
    assert of_container(f"{{resources: {{claims: [{{name: {asked}}}]}}}}", f"{{resourceClaims: {claims}}}") == found


@pytest.mark.parametrize(
    ("container", "spec", "remedy", "put"),
    [
        (
            "{volumeMounts: [{name: dta, mountPath: /a}]}",
            "{volumes: [{name: data, emptyDir: {}}]}",
            "mount data",
            "data",
        ),
        (
            "{volumeMounts: [{name: other, mountPath: /a}]}",
            "{volumes: [{name: data, emptyDir: {}}]}",
            "add a volume",
            None,
        ),
        ("{image: 'a:1 '}", "{}", "remove the blank", "a:1"),
        ("{imagePullPolicy: always}", "{}", "write Always", None),
        ("{imagePullPolicy: sometimes}", "{}", "write one of them", None),
        ("{resources: {requests: {cpu: 1, hugepages-2Mi: 4Mi}}}", "{}", "set limits.hugepages-2Mi to 4Mi", "4Mi"),
    ],
)
def test_what_is_nearest_is_offered(container: str, spec: str, remedy: str, put: str | None) -> None:
    (only,) = refused(spec, container)
    assert remedy in remedy_for(only.why)
    assert (None if only.put is None else only.put[1]) == put


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ("{labels: {a: b}, annotations: {Example.com/A: anything at all}}", []),
        ("{labels: {-a: b}}", ["labels/-a"]),
        ("{labels: {a: -b}}", ["labels/a"]),
        ("{labels: {'${K}': b, a: '${V}'}}", []),
        ("{annotations: {a b: x}}", ["annotations/a b"]),
        ("{annotations: {/a: x}}", ["annotations//a"]),
        ("{name: A}", ["name"]),
    ],
)
def test_of_metadata(metadata: str, found: list[str]) -> None:
    spec = {"containers": [{"name": "main", "image": "registry.example/train:1"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **yaml.safe_load(metadata)}, "spec": spec}
    assert places(list(problems(Document("a.yaml", 0, 1, "", pod).root, "1.36")), ("metadata",)) == found


SPREAD = "{topologySpreadConstraints: [{%s}]}"


@pytest.mark.parametrize(
    ("spec", "container", "lacks"),
    [
        (SPREAD % "topologyKey: a, whenUnsatisfiable: DoNotSchedule", "{}", "maxSkew"),
        (SPREAD % "topologyKey: a, whenUnsatisfiable: DoNotSchedule, maxSkew: 0", "{}", ""),
        (SPREAD % "topologyKey: a, maxSkew: 1", "{}", "whenUnsatisfiable"),
        (SPREAD % "topologyKey: a, maxSkew: 1, whenUnsatisfiable: Never", "{}", ""),
        (SPREAD % "maxSkew: 1, whenUnsatisfiable: DoNotSchedule", "{}", "topologyKey"),
        (f"{{affinity: {{nodeAffinity: {{{PREFERRED}: [{{preference: {{}}}}]}}}}}}", "{}", "weight"),
        (f"{{affinity: {{podAffinity: {{{REQUIRED}: [{{}}]}}}}}}", "{}", "topologyKey"),
        ("{tolerations: [{operator: Equal}]}", "{}", "key"),
        ("{volumes: [{name: a, csi: {}}]}", "{}", "driver"),
        ("{volumes: [{emptyDir: {}}]}", "{}", "name"),
        ("{resourceClaims: [{name: a}]}", "{}", "resourceClaimName"),
        ("{}", "{ports: [{name: a}]}", "containerPort"),
        ("{}", "{env: [{value: a}]}", "name"),
        ("{}", "{env: [{name: A, valueFrom: {configMapKeyRef: {name: c}}}]}", "key"),
        ("{volumes: [{name: v, emptyDir: {}}]}", "{volumeMounts: [{name: v}]}", "mountPath"),
        ("{}", "{volumeMounts: [{mountPath: /a}]}", "name"),
    ],
)
def test_a_key_that_is_missing_is_named(spec: str, container: str, lacks: str) -> None:
    (only,) = refused(spec, container)
    assert only.lacks == lacks
