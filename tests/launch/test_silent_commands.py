"""Commands that open no connection: pods that run nothing else need no connection."""

from __future__ import annotations

import pytest
from tests.unknown_values import unknown

from trainlint.launch.silent_commands import talks
from trainlint.model.pod import Container

LOOP = """
for i in $(seq 10 -1 1)
do
  echo "$i"; sleep 1
done
if [[ "$JOB_COMPLETION_INDEX" == "0" ]]; then exit 1; fi
"""


@pytest.mark.parametrize(
    ("command", "args"),
    [
        (("sleep", "100s"), ()),
        (("/bin/sleep",), ("infinity",)),
        (("bash", "-xc"), (LOOP,)),
        (("sh", "-c", "while true; do echo $(date) >> /mnt/out; sleep 1; done"), ()),
        (("sh", "-c", "trap 'exit 0' TERM; sleep 5 & wait"), ()),
    ],
)
def test_what_only_waits_and_prints_is_quiet(command: tuple[str, ...], args: tuple[str, ...]) -> None:
    assert not talks(Container(command=command, args=args))


@pytest.mark.parametrize(
    "image",
    ["registry.k8s.io/pause:3.9", "localhost:5000/pause", "eks-distro/kubernetes/pause@sha256:0", "perf/sleep:v0.1.0"],
)
def test_images_that_are_there_to_wait_are_quiet(image: str) -> None:
    assert not talks(Container(image=image, args=("10s",)))
    assert talks(Container(image=image, command=("python", "train.py")))
    assert talks(Container(image=f"{image.rpartition('/')[0]}/train"))


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ((), ()),  # the image's own command
        ((), ("sleep", "1")),  # arguments of the image's own entrypoint
        (("python", "train.py"), ()),
        (("sh", "-c", "sleep 1; curl http://x"), ()),
        (("sh", "-c", "echo $(curl http://x)"), ()),
        (("sh", "-c", "echo `wget x`"), ()),
        (("sh", "-c", "trap 'curl http://x' EXIT; sleep 1"), ()),
        (("sh", "-c", "exec 3<>/dev/tcp/host/80; sleep 1"), ()),
        (("sh", "-c", "source /etc/run; sleep 1"), ()),
        (("sh", "/scripts/run.sh"), ()),
        (("sleep", unknown("why")), ()),
    ],
)
def test_anything_else_may_talk(command: tuple[str, ...], args: tuple[str, ...]) -> None:
    assert talks(Container(command=command, args=args))
