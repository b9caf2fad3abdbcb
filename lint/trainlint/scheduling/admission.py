"""What the API server makes of a pod before the scheduler sees it (S 1.11), or why it refuses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder
from trainlint.model.admission import Admission, NamespaceDefaults, RuntimeClass
from trainlint.model.because import Because
from trainlint.model.needs import NeedGround
from trainlint.model.pod import PodSpec, Toleration
from trainlint.model.selector import Requirement
from trainlint.model.settings import EXTENDED_RESOURCE_TOLERATION, Settings
from trainlint.model.workload import PodSet
from trainlint.scheduling import limit_ranger
from trainlint.scheduling.gke_networks import with_networks
from trainlint.scheduling.pod import Pod, defaulted
from trainlint.scheduling.refusal import Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.scheduling.requests import is_extended_resource
from trainlint.scheduling.taint_toleration import PLUGIN as TAINT_TOLERATION

__all__ = ["NOTHING_KNOWN", "Admitted", "admit", "tolerates_extended_resources"]

NOTHING_KNOWN: Final = Admission()
_TOLERATING: Final = frozenset({"aks", "eks", "gke", "oke"})
RUNTIME_CLASS: Final = "RuntimeClass"
NODE_SELECTOR: Final = "PodNodeSelector"
TOLERATIONS: Final = "PodTolerationRestriction"


@fact
class Admitted:
    """A pod after admission. ``refusals`` are why the API server makes no such pod, whatever the nodes.

    ``unsure`` says what unknown things admission adds; ``tolerations`` that these may be tolerations, ``need`` what
    must exist outside Git where that is all that is not known.
    """

    pod: Pod
    refusals: tuple[Refusal, ...]
    unsure: Because | None
    tolerations: bool
    need: Because | None

    def judged(self, answers: tuple[Refusal | Doubt, ...]) -> tuple[Refusal | Doubt, ...]:
        """The answers of the filters for a node, as far as they hold whatever admission adds.

        What is added only narrows the choice of nodes or raises the requests, tolerations apart.
        """
        answers = (*self.refusals, *answers)
        if not self.unsure:
            return answers
        doubt = Doubt(RUNTIME_CLASS, self.unsure, self.pod.spec.at, need=self.need)
        if self.tolerations:
            tolerated = replace(doubt, need=None)  # that it is there is not enough: it has to add the toleration
            answers = tuple(tolerated if _untolerated(each) else each for each in answers)
        return answers or (doubt,)


@remembered
def admit(pod_set: PodSet, settings: Settings, known: Admission = NOTHING_KNOWN) -> Admitted:
    """One pod of the set after admission under these settings."""
    limits = known.limits_of(pod_set.namespace, pod_set.at)
    spec = limit_ranger.with_defaults(pod_set.spec, limits)
    if settings.profile == "gke":
        spec = with_networks(spec, pod_set.annotations)
    found = _Plugins(pod_set, spec)
    if settings.admission & {NODE_SELECTOR, TOLERATIONS}:
        found.namespace(known.namespaces.get(pod_set.namespace), settings)
    if tolerates_extended_resources(settings):
        found.add_tolerations(_for_extended_resources(found.spec))
    elif settings.platform_unknown:
        found.spec = replace(found.spec, perhaps_tolerated=tuple(_for_extended_resources(found.spec)))
    if spec.runtime_class:
        found.runtime_class(known.runtime_classes.get(spec.runtime_class))
    refusals = (*limit_ranger.refusals(pod_set.spec, limits), *found.refusals)
    pod = defaulted(pod_set.namespace, pod_set.labels, found.spec)
    need = found.need if len(found.unsure) == 1 else None
    unsure = found.unsure[0] if len(found.unsure) == 1 else Because(DoubtGround.SEVERAL, (tuple(found.unsure),))
    return Admitted(pod, refusals, unsure if found.unsure else None, found.tolerations, need)


def tolerates_extended_resources(settings: Settings) -> bool:
    """Whether the admission plugin ExtendedResourceToleration runs: where it is named, and on the platforms that switch
    it on (GKE; docs.aws.amazon.com/eks/latest/userguide/platform-versions.html; learn.microsoft.com/azure/aks/faq;
    docs.oracle.com/iaas/Content/ContEng/Reference/contengadmissioncontrollers.htm).
    """
    return EXTENDED_RESOURCE_TOLERATION in settings.admission or settings.profile in _TOLERATING


class _Plugins:
    """The plugins that add to a pod spec, in the order of the API server."""

    def __init__(self, pod_set: PodSet, spec: PodSpec) -> None:
        self.pod_set = pod_set
        self.spec = spec
        self.refusals: list[Refusal] = []
        self.unsure: list[Because] = []
        self.tolerations = False
        self.need: Because | None = None

    def add_tolerations(self, more: Iterable[Toleration]) -> None:
        """Append tolerations."""
        self.spec = replace(self.spec, tolerations=(*self.spec.tolerations, *more))

    def namespace(self, defaults: NamespaceDefaults | None, settings: Settings) -> None:
        """PodNodeSelector and PodTolerationRestriction, as far as they run."""
        plugins = sorted(settings.admission & {NODE_SELECTOR, TOLERATIONS})
        if defaults is None or defaults.unreadable:
            what = defaults.unreadable if defaults else ""
            values = (" and ".join(plugins), self._name, self._namespace, what)
            self.unsure.append(Because(DoubtGround.NAMESPACE_PLUGINS, values))
            self.tolerations |= TOLERATIONS in plugins
            return
        if NODE_SELECTOR in plugins:
            self._select(NODE_SELECTOR, NODE_SELECTOR, defaults.node_selector or (), defaults.at)
        if TOLERATIONS in plugins:
            self.add_tolerations(defaults.tolerations or ())
            self._allowed(defaults)

    def _allowed(self, defaults: NamespaceDefaults) -> None:
        for toleration in self.spec.tolerations if defaults.allowed else ():
            parts = (toleration.key, toleration.operator, toleration.value, toleration.effect)
            if any(map(is_placeholder, parts)) or any(_covers(each, toleration) for each in defaults.allowed or ()):
                continue
            reason = Because(Ground.TOLERATION, (self._namespace, toleration.key))
            self._refuse(TOLERATIONS, reason, toleration.at, defaults.at)

    def runtime_class(self, found: RuntimeClass | None) -> None:
        """RuntimeClass: overhead, node selector and tolerations."""
        if found is None or found.undetermined:
            values = (self.spec.runtime_class, self._name, found is not None)
            self.unsure.append(Because(DoubtGround.RUNTIME_CLASS, values))
            self.tolerations = True
            wanted = f"RuntimeClass {self.spec.runtime_class}"
            self.need = Because(NeedGround.OBJECT, (wanted,)) if found is None else None
            return
        if self.spec.overhead and dict(self.spec.overhead) != dict(found.overhead):
            reason = Because(Ground.OVERHEAD, (found.name,))
            self._refuse(RUNTIME_CLASS, reason, self.spec.at.child("overhead") if self.spec.at else None, found.at)
        self.spec = replace(self.spec, overhead=found.overhead)
        self._select(RUNTIME_CLASS, f"RuntimeClass {found.name}", found.node_selector, found.at)
        self.add_tolerations(found.tolerations)

    def _select(self, plugin: str, by: str, more: Iterable[Requirement], at: Location | None) -> None:
        own = {requirement.key: requirement for requirement in self.spec.node_selector}
        for requirement in more:
            mine = own.get(requirement.key)
            if mine is None:
                self.spec = replace(self.spec, node_selector=(*self.spec.node_selector, requirement))
            elif mine.values != requirement.values and not any(map(is_placeholder, mine.values)):
                values = (requirement.key, mine.values[0], by, requirement.values[0])
                self._refuse(plugin, Because(Ground.NODE_SELECTOR, values), mine.at, at)

    def _refuse(self, plugin: str, reason: Because, at: Location | None, by: Location | None) -> None:
        self.refusals.append(Refusal(plugin, Code.UNRESOLVABLE, reason, at or self.spec.at, by))

    @property
    def _name(self) -> str:
        return self.pod_set.name

    @property
    def _namespace(self) -> str:
        return self.pod_set.namespace


def _covers(allowed: Toleration, wanted: Toleration) -> bool:
    """Whether a toleration of the list takes in one of the pod's, as PodTolerationRestriction compares them."""
    if allowed.key != wanted.key and (allowed.key or allowed.operator != "Exists"):
        return False
    if allowed.effect not in ("", wanted.effect):
        return False
    equal = ("", "Equal")
    if allowed.operator in equal:
        return wanted.operator in equal and allowed.value == wanted.value
    return allowed.operator == "Exists"


def _untolerated(answer: Refusal | Doubt) -> bool:
    return isinstance(answer, Refusal) and answer.plugin == TAINT_TOLERATION


def _for_extended_resources(spec: PodSpec) -> Iterator[Toleration]:
    names = {
        name
        for container in (*spec.containers, *spec.init_containers)
        for name in (*container.requests, *container.limits)
        if is_extended_resource(name)
    }
    for name in sorted(names):
        yield Toleration(name, "Exists", effect="NoSchedule")
