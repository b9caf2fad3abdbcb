"""What programs that render may take of one run together: counted starts and builds, and seconds of the processor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.hostile.test_limits import CHANGED, POD, checked, stand_in
from tests.source.repositories import write

from trainlint.source import rendering_allowance as allowance
from trainlint.source.rendering_allowance import RenderingAllowance

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


def test_as_many_are_rendered_as_one_run_may_and_the_others_say_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "STARTS", 2)
    given = RenderingAllowance()
    assert [given.refusal() for _ in range(2)] == ["", ""]
    assert given.refusal() == "it was not tried: 2 were rendered before it, and no more are in one run"
    given.renew()
    assert given.refusal() == ""


def test_builds_that_name_each_other_count_as_often_as_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "BUILDS", 10)
    given = RenderingAllowance()
    assert given.refusal(builds=8) == ""
    assert "more than 10 kustomizations" in given.refusal(builds=3)
    assert given.refusal(builds=2) == ""


def test_seconds_of_the_processor_are_shared_and_grow_with_what_is_read() -> None:
    given = RenderingAllowance()
    given.refusal()
    assert given.begin() == allowance.MOST_SECONDS
    assert given.begin(1 << 20) > allowance.MOST_SECONDS
    given.end(allowance.SPARE_SECONDS)
    assert given.begin() == pytest.approx(allowance.EACH_SECONDS)
    given.end(1)
    assert given.begin() == 0
    given.refusal(size=1 << 20)
    assert given.begin() > 1
    for _ in range(20):
        given.refusal(size=64 << 20)
    assert given.begin(64 << 20) <= allowance.SIZE_SECONDS + allowance.SPARE_SECONDS


SPINNING = "import sys\nwhile True:\n    pass\n"


@linux
def test_a_renderer_has_a_limit_of_the_processor_s_time_and_of_what_it_holds(tmp_path: Path) -> None:
    home = tmp_path / "r"
    write(home, dict(CHANGED))
    script = "import resource, sys, time\ntime.sleep(0.5)\n"
    script += "sys.exit(f'it has {resource.getrlimit(resource.RLIMIT_CPU)[1]} s, '\n"
    script += "         f'{resource.getrlimit(resource.RLIMIT_DATA)[1] >> 20} MiB')\n"
    report = str(checked(home, **stand_in(tmp_path, script)))
    assert "it has 11 s, 450 MiB" in report or "it has 10 s, 450 MiB" in report


@linux
@pytest.mark.needs("kustomize")
def test_a_renderer_that_does_not_end_is_told_with_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.source.test_kustomize import rendered, why  # noqa: PLC0415 (it needs the program)

    monkeypatch.setattr(allowance, "MOST_SECONDS", 1.0)
    monkeypatch.setenv("PATH", stand_in(tmp_path, SPINNING)["PATH"])
    made = rendered(tmp_path / "r", dict(CHANGED))
    assert "it takes more than 1.0 seconds of the processor" in why(made["kustomization.yaml"])


@pytest.mark.needs("kustomize")
def test_more_roots_than_one_run_renders_are_unknown_and_the_first_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.source.test_kustomize import rendered, why  # noqa: PLC0415 (it needs the program)

    monkeypatch.setattr(allowance, "STARTS", 2)
    files: dict[str, str | bytes] = {
        f"r{n}/kustomization.yaml": f"namePrefix: x{n}-\nresources: [../base]\n" for n in range(4)
    }
    made = rendered(tmp_path, {**files, "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": POD})
    names = [f"r{n}/kustomization.yaml" for n in range(4)]
    assert [len(made[name].documents) for name in names] == [1, 1, 0, 0]
    assert "it was not tried: 2 were rendered before it" in why(made[names[2]])
