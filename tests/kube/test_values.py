"""Which texts are placeholders (decision 15): their value is unknown, wherever they stand."""

from __future__ import annotations

import pytest

from trainlint.kube.values import is_placeholder


@pytest.mark.parametrize(
    "text",
    [
        "${GPU_TYPE}",
        "$GPU_TYPE",
        "$(GPU_TYPE)",
        "<gpu-type>",
        "__GPU_TYPE__",
        "@GPU_TYPE@",
        "%GPU_TYPE%",
        "#{gpu.type}#",
        "{{ gpu_type }}",
        "{% raw %}",
        "%{ if gpu }",
        "((gpu-type))",
        "[[ .GpuType ]]",
        "PLACEHOLDER",
        "PLACEHOLDER_TYPE",
        "GPU_TYPE_PLACEHOLDER",
        "REPLACE_ME",
        "override_me",
        "a-OVERRIDE_ME-app",
        "REPLACE-ME",
        "REPLACE_WITH_YOUR_TYPE",
        "replace-me",
        "CHANGEME",
        "changeme",
        "change-me",
        "YOUR_GPU_TYPE",
        "your-gpu-type",
        "gs://YOUR-BUCKET/data",
        "INSERT_NAME",
        "TODO",
        "fs-xxxxxxxx",
        "XXX",
    ],
)
def test_a_text_to_be_filled_in_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "gpu-placeholder",  # a Deployment that keeps nodes warm is often called so
        "placeholder",
        "exchange-median",
        "interchange-me-not",
        "insert-rows",
        "replace-nodes",
        "four-gpus",
        "ourteam",
        "yours",
        "replacement",
        "todo-app",
        "maxx",
        "xxl",
        "a_b__c",
        "nvidia.com/gpu",
        "p5.48xlarge",
        "50%",
        "a-__dunder",
        "",
    ],
)
def test_a_name_that_people_use_is_none(text: str) -> None:
    assert not is_placeholder(text)
