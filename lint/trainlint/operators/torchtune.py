"""The command line that Kubeflow Trainer puts together for torchtune: recipe, configuration, paths (W 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from trainlint.operators.manifest import Manifest, below, text

__all__ = ["ENTRYPOINT", "tuning_command"]

ENTRYPOINT: Final = ["tune", "run"]
_OF_RUNTIME: Final = frozenset({"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file"})
"""Settings that only the runtime makes."""


def tuning_command(
    item: Manifest, meeting: str, nodes: int, processes: Any, gpus: int, written: Sequence[str]
) -> list[str]:
    """The command for so many nodes, with ``processes`` ("auto" or a number) and GPUs on each; ``written`` is the
    runtime's own.
    """
    found = list(ENTRYPOINT)
    if nodes > 1 or (processes != "auto" and processes > 1) or (processes == "auto" and gpus > 1):
        found.append(f"--rdzv_endpoint={meeting}")
    arguments = [str(each) for each in below(item, "spec", "trainer", "args") or []]
    recipe, suffix = _recipe(nodes, processes, gpus, arguments)
    model = _model(text(below(item, "spec", "runtimeRef", "name")))
    found += [recipe, "--config", f"{model}{suffix}"]
    return found + [each for each in written if each.partition("=")[0] in _OF_RUNTIME]


def _recipe(nodes: int, processes: Any, gpus: int, arguments: Sequence[str]) -> tuple[str, str]:
    """The recipe, and how the name of its configuration ends."""
    method = "qlora" if _quantizes(arguments) else "lora" if _adapts(arguments) else "full"
    if nodes == 1 and (processes == 1 or gpus == 1):
        recipe = "full" if method == "full" else "lora"
        return f"{recipe}_finetune_single_device", f"_{method}_single_device"
    if nodes == 1 and method != "full":
        return "lora_finetune_distributed", f"_{method}"
    return "full_finetune_distributed", "_full_multinode" if nodes > 1 else "_full"


def _adapts(arguments: Sequence[str]) -> bool:
    return any("model.lora_attn_modules" in each for each in arguments)


def _quantizes(arguments: Sequence[str]) -> bool:
    return not _switched("model.use_dora", arguments) and _switched("model.quantize_base", arguments)


def _switched(name: str, arguments: Sequence[str]) -> bool:
    for each in arguments:
        key, found, value = each.partition("=")
        if found and name in key and value.strip().lower() == "true":
            return True
    return False


def _model(runtime: str) -> str:
    """The model that a runtime of the form ``torchtune-family-size`` tunes."""
    parts = runtime.split("-")
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}" if len(parts) == 3 else ""
