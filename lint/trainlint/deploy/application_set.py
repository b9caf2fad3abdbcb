"""ApplicationSets: the Applications that they make, and what those bring."""

from __future__ import annotations

from trainlint.deploy.argo import application
from trainlint.deploy.context import DeployContext
from trainlint.deploy.deployment import Deployed
from trainlint.deploy.generators import UndecidedError, generated
from trainlint.deploy.templating import rendered
from trainlint.finding import Unknown
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_text
from trainlint.source.document import Field

__all__ = ["application_set"]


def application_set(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """What the Applications bring that an ApplicationSet makes. Those that cannot be told are an unknown."""
    spec, template = item["spec"], item.down("spec", "template")
    by = f"ApplicationSet {meta.namespace or 'argocd'}/{meta.name}"
    go = spec["goTemplate"].value is True
    made: list[Deployed] = []
    unknowns: list[Unknown] = []
    if spec["templatePatch"].present:
        unknowns.append(Unknown(by, "what its templatePatch makes of the Applications", at=spec["templatePatch"].at))
    for generator in spec["generators"].elements():
        try:
            sets = generated(generator, context, go=go)
        except UndecidedError as error:
            unknowns.append(Unknown(by, f"its Applications: {error}", "lint what Argo CD makes of it", generator.at))
            continue
        for parameters in sets:
            one = Field(template.document, template.path, rendered(template.value, parameters, go=go))
            name = read_text(one.down("metadata", "name"))
            made.append(application(meta, one, context, f"Application {meta.namespace or 'argocd'}/{name} of {by}"))
    return Deployed(
        tuple(each for found in made for each in found.deployments),
        tuple(each for found in made for each in found.releases),
        tuple(dict.fromkeys((*unknowns, *(each for found in made for each in found.unknowns)))),
        closed=not unknowns and bool(made) and all(found.closed for found in made),
        contested=tuple(each for found in made for each in found.contested),
    )
