"""What few characters stand for, and texts that are long, deep or wide."""

from __future__ import annotations

from tests.hostile.inputs.made import Files, Made, job

__all__ = ["TEXTS"]

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a}]}\n"


def _doubling(form: str) -> Files:
    entries = "".join(f", {{name: A{n + 1}, value: '{form.format(n) * 2}'}}" for n in range(60))
    return {"a.yaml": POD.replace("image: a", f"image: a, env: [{{name: A0, value: xxxxxxxx}}{entries}]")}


def _laughs(leaf: str = "x") -> str:
    text = f"a0: &a0 [{', '.join([leaf] * 9)}]\n"
    return text + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))


def _flux(text: str) -> Files:
    """A Kustomization of Flux whose variables stand many times in what it deploys."""
    return {
        "flux.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: apps, namespace: flux-system}\nspec:\n  path: ./apps\n"
        "  sourceRef: {kind: GitRepository, name: flux-system}\n"
        f"  postBuild: {{substitute: {{v: {'x' * (1 << 20)}, u: ''}}}}\n",
        "source.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
        "metadata: {name: flux-system, namespace: flux-system}\nspec: {url: 'https://example.org/a'}\n",
        "apps/a.yaml": POD.replace("image: a", f"image: a, command: [echo, '{text}']"),
    }


def _application_set(count: int) -> Files:
    elements = ", ".join(f"{{name: a{n}}}" for n in range(count))
    return {
        "set.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s, namespace: argocd}\n"
        f"spec:\n  generators: [{{list: {{elements: [{elements}]}}}}]\n"
        "  template:\n    metadata: {name: '{{name}}'}\n"
        f"    spec: {{destination: {{namespace: '{'{{' * 1000}{{{{ name }}}}'}}, source: {{path: apps}}}}\n",
        "apps/a.yaml": POD,
    }


TEXTS = {
    "a flow sequence of 100,000 maps": Made(lambda: {"a.yaml": POD + f"x: [{', '.join(['{a: b}'] * 100_000)}]\n"}),
    "a flow sequence of 100,000 containers": Made(
        lambda: {"a.yaml": POD.replace("[{", f"[{'{name: b, image: a}, ' * 100_000}{{")}
    ),
    "100,000 variables": Made(
        lambda: {"a.yaml": POD.replace("image: a", "image: a, env: [" + "{name: A, value: '$(A)'}, " * 100_000 + "]")}
    ),
    "variables that double, $(A)": Made(lambda: _doubling("$(A{})")),
    "suppression comments": Made(
        lambda: {"a.yaml": "# trainlint: ignore[x] y\n" * 20_000 + job("a") + "# trainlint: ignore[x] y\n" * 20_000}
    ),
    "suppression comments at the ends of lines": Made(
        lambda: {"a.yaml": POD + "".join(f"k{n}: v # trainlint: ignore[x] y\n" for n in range(20_000))}
    ),
    "a quantity of 200,000 digits": Made(
        lambda: {"a.yaml": job("a").replace("nvidia.com/gpu: 1", f"nvidia.com/gpu: '{'1' * 200_000}x!'")}
    ),
    "quantities of 5,000 digits": Made(
        lambda: {"a.yaml": job("a").replace("nvidia.com/gpu: 1", f"nvidia.com/gpu: '{'9' * 5000}'")}
    ),
    "aliases that double": Made(lambda: {"a.yaml": POD + _laughs()}),
    "an alias of itself": Made(lambda: {"a.yaml": POD.replace("{name: a}", "&m {name: a, x: *m}", 1)}),
    "nesting": Made(lambda: {"a.yaml": POD + "x: " + "[" * 100_000 + "]" * 100_000 + "\n"}),
    "duplicated keys": Made(lambda: {"a.yaml": POD + "a: b\n" * 50_000}),
    "40,000 documents": Made(lambda: {"a.yaml": (POD + "---\n") * 40_000}),
    "substitutions of Flux": Made(lambda: _flux("a${v}" * 10_000)),
    "substitutions of Flux inside each other": Made(lambda: _flux("${u:=${u:=" + "${v}" * 3000 + "}}")),
    "an ApplicationSet of 5,000 elements": Made(lambda: _application_set(5000)),
    "tags of an ApplicationSet": Made(
        lambda: {
            name: text.replace("{{name}}", "{{" * 100_000) if isinstance(text, str) else text
            for name, text in _application_set(2).items()
        }
    ),
    ".gitignore": Made(
        lambda: {".gitignore": "a*" * 40 + "b\n" + "*/" * 60 + "x\n", f"{'a' * 200}.yaml": POD, "a/a/a/a/a.yaml": POD}
    ),
    "a cache that is a pipe": Made(lambda: {"a.yaml": POD}, pipe=True),
}
