"""A first trainlint.yaml, and what is still missing."""

from __future__ import annotations

from collections.abc import Iterator
from string import Template
from typing import TYPE_CHECKING, Final

from trainlint.finding import Severity
from trainlint.model.root import Root
from trainlint.model.settings import NEWEST_CILIUM, NEWEST_KUBERNETES
from trainlint.rule import all_rules, told_by

if TYPE_CHECKING:
    from trainlint.start import Start

__all__ = ["configuration_text", "start_text"]

_WORDS: Final = frozenset({"false", "n", "no", "null", "off", "on", "true", "y", "yes"})
_RULES: Final = Template("""\
# Which rules run, and how bad their findings are. `trainlint rule` lists all of them.
# rules:
#   ignore: [$note]
#   severity: {$rule: error}

# Findings that are known and accepted, with a reason and a last day.
# ignore:
#   - paths: [examples/]
#     rules: [$rule]
#     reason: examples run in one zone only
#     until: 2027-01-31

# Groups whose traffic between zones is meant.
# groups:
#   ml/train: {cross_zone: allowed}

# The least severity that fails a run: error, warning or note.
# fail_on: error
""")


def configuration_text(start: Start, schema: str) -> str:
    """The file, all of it comments but for what was found. ``schema`` is where editors find the schema."""
    notes = [each.name for each in all_rules() if each.severity is Severity.NOTE]
    return (
        "\n".join(_configuration(start, schema))
        + "\n\n"
        + _RULES.substitute(rule=told_by()[Root.SPLIT], note=notes[-1])
    )


def _configuration(start: Start, schema: str) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={schema}"
    yield "# What trainlint cannot read from the manifests. Everything is optional; `trainlint config` shows what is in"
    yield "# force and where it comes from."
    yield ""
    yield "clusters:"
    if start.clusters:
        yield "  # Found by their deployers (Flux, Argo CD). An entry with the name of one says what is true of it."
    yield from (f"  - name: {_quoted(name)}" for name in start.clusters[1:])
    yield f"  - name: {_quoted(start.clusters[0]) if start.clusters else 'main'}"
    yield f"    # The Kubernetes version, quoted. Assumed where it is not written: {NEWEST_KUBERNETES}."
    yield f'    # kubernetes: "{NEWEST_KUBERNETES}"'
    yield "    # The platform: eks, gke, aks, oke, kind or generic. It adds labels, taints and admission plugins."
    yield f"    # Here: {start.because}."
    yield f"    {'' if start.profile != 'generic' else '# '}profile: {start.profile}"
    yield "    # The network plugin that enforces policies, and options of its agent that change verdicts."
    known = start.cni or "cilium"
    version = f', version: "{NEWEST_CILIUM}"' if known == "cilium" else ""
    yield f"    # cni: {{name: {known}{version}}}"
    yield "    # Admission plugins that are on beside Kubernetes' defaults."
    yield "    # admission: [ExtendedResourceToleration]"
    yield "    # The node label within which a group should stay."
    yield "    # topology_key: topology.kubernetes.io/zone"
    yield "    # What is deployed to it, where no deployer says it: directories, files and patterns; and the namespace"
    yield "    # of objects that name none."
    yield "    # paths: [apps/prod, 'jobs/*.yaml']"
    yield "    # namespace: research"
    yield "    # The files that describe its nodes, if not the nearest ones count."
    yield "    # inventories: [inventory/prod.yaml]"
    yield "    # Kinds of which Git holds every object of this cluster: what is not there does not exist."
    yield "    # closed: [PriorityClass, LocalQueue]"


def _quoted(name: str) -> str:
    """A name as YAML reads it back as text."""
    return name if name[:1].isalpha() and name.lower() not in _WORDS else f'"{name}"'


def start_text(start: Start, file: str) -> str:
    """What was found, and for each missing fact the command that supplies it."""
    return "".join(f"{line}\n" for line in _found(start, file))


def _found(start: Start, file: str) -> Iterator[str]:
    yield f"wrote {file}"
    groups, policies = _count(start.groups, "training group"), _count(start.policies, "policy entry", "policy entries")
    yield f"found {groups} and {policies}"
    if start.clusters:
        yield f"clusters: {', '.join(start.clusters)}"
    if start.inventories:
        yield f"nodes: {'; '.join(start.inventories)}"
    if not start.missing:
        yield "nothing is missing"
        return
    yield ""
    yield "What is missing, and how to get it:"
    for number, fact in enumerate(start.missing, 1):
        yield f"{number}. {fact.what}{f': {fact.why}' if fact.why else ''}"
        yield f"     {fact.command}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
