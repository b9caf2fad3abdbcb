"""Names of schedulers that were probably meant for another one."""

from __future__ import annotations

import pytest

from trainlint.queues.schedulers import meant_scheduler


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("kai-schedular", "kai-scheduler"),
        ("kia-scheduler", "kai-scheduler"),
        ("volcan", "volcano"),
        ("default-schduler", "default-scheduler"),
        ("gang-schedler", "gang-scheduler"),  # a profile that Git describes
        ("ali-scheduler", ""),
        ("my-scheduler", ""),
        ("kai-scheduler-2", ""),
        ("kai-scheduler", ""),
        ("gang-scheduler", ""),
        ("", ""),
        ("${SCHEDULER}", ""),
    ],
)
def test_only_a_slip_of_the_pen_is_meant_for_another_scheduler(name: str, meant: str) -> None:
    assert meant_scheduler(name, ("gang-scheduler",)) == meant
