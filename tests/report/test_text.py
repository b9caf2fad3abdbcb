"""The whole report for people: what a reader must find in it, and that it looks as it was designed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.report.samples import everything, likely_note, no_viable_zone

from trainlint.finding import Finding, Location, Severity, Span
from trainlint.model.known import Answer
from trainlint.report import Options, reporter
from trainlint.report.terminal import width
from trainlint.result import Failure, GroupVerdict, Placed, PlacedUnknown, Result, SnapshotSummary

render = reporter("text")

AT_80_COLUMNS = """\
error[no-viable-zone]: no zone can run speech/leader+trainers: the leader can
  only land in west, the trainers only in east, so the GPUs of the trainers wait
  for a leader that they cannot reach
   --> broken/training.yaml:17:5
    |
 17 |     spec:
    |     ^^^^^
   ::: cluster/nodes.yaml:112:7
    |
112 |       taints: [{key: reserved-for, value: accelerators, effect: NoSched...
    |       ----- who keeps the leader out
   ::: broken/training.yaml:45:7
    |
 45 | / a:
 46 | |   b:
    | | ...
    | |_- what keeps the trainers in east
    |
    = values: east: leader does not tolerate
                reserved-for=accelerators:NoSchedule
              west: no GPU
    = counterexample: leader -> west (cpu-1)
                      trainers 0-2 -> east (gpu-1, gpu-2, gpu-3)
    = help: let the leader tolerate the taint of the pool east-gpu:
              tolerations: [{key: reserved-for, operator: Equal}]
    = assumes: the CNI is Cilium 1.20
    = snapshots: broken

note[soft-colocation]: only a preference keeps the group together
  --> jobs/a.yaml:3:1
   |
 3 | spec: {}
   | ^^^^
   |
   = certainty: likely: rests on experience, not on a proof
   = snapshots: broken, fixed
   = suppressed: measured, fast enough

snapshots
  name    documents  why
  broken  7          broken/ and fixed/ define Deployment speech/leader
                     differently
  fixed   7          broken/ and fixed/ define Deployment speech/leader
                     differently

groups
  name                    snapshot  pods  can run     every      connections
                                                      placement
  speech/leader+trainers  broken    4     no          no         denied
  lab/elastic             fixed     ?     unknown     unknown    unknown
  speech/leader+trainers  fixed     4     yes (east)  yes        ok
  note: speech/leader+trainers (fixed): the pools are judged at their maximum
        size
  unknown: lab/elastic (fixed): the number of workers is ${WORKERS}

unknown
  - replicas are ${WORKERS}
      group lab/elastic (jobs/elastic.yaml:12)
      help: write the number
  - the chart was not rendered (2 times)
      chart charts/serving
      chart charts/batch
      help: render it: helm template

assumed
  - the CNI is Cilium 1.20 (no file names it)

1 error (1 suppressed); 3 groups: 1 cannot run, 1 proved, 1 unknown; 3 unknown
facts
"""


def sgr_removed(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def finding(**changes: object) -> Placed:
    base = Finding(message="harm", at=Location("a.yaml", 0), rule="some-rule", severity=Severity.WARNING)
    return Placed(replace(base, **changes), Span(1, 1, 1, 2))  # type: ignore[arg-type]


def test_the_report_at_80_columns_without_colour() -> None:
    assert render(everything(), Options(show_suppressed=True)) == AT_80_COLUMNS


def test_colour_adds_colour_and_nothing_else() -> None:
    text = render(everything(), Options(color=True, show_suppressed=True))
    assert sgr_removed(text) == AT_80_COLUMNS
    assert "\x1b[1;31merror[no-viable-zone]:\x1b[0m\x1b[1m no zone can run" in text
    assert "\x1b[1;36mnote[soft-colocation]:\x1b[0m" in text
    assert "\x1b[31mno\x1b[0m          \x1b[31mno\x1b[0m         \x1b[31mdenied\x1b[0m" in text
    assert "\x1b[32myes\x1b[0m " in text
    assert "\x1b[33munknown\x1b[0m" in text


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_lines_keep_within_the_width_unless_one_word_is_wider(columns: int) -> None:
    for line in render(everything(), Options(width=columns, show_suppressed=True)).splitlines():
        # A snippet to be copied, a place to be opened and a single word stay whole.
        whole = "tolerations:" in line or "-->" in line or ":::" in line or " " not in line.strip()
        assert whole or width(line) <= columns, line


def test_paths_are_never_cut() -> None:
    path = "clusters/" + "very-long-directory-name/" * 6 + "training.yaml"
    text = render(Result("/", findings=(finding(at=Location(path, 0)),)), Options())
    assert f"--> {path}:1:1\n" in text


def test_suppressed_findings_are_counted_and_shown_only_when_asked() -> None:
    result = Result("/", suppressed=(likely_note("on purpose"),))
    assert "soft-colocation" not in render(result, Options())
    assert render(result, Options()).endswith("no findings (1 suppressed); 0 groups\n")
    assert "= suppressed: on purpose" in render(result, Options(show_suppressed=True))


def test_quiet_shows_findings_only() -> None:
    text = render(everything(), Options(quiet=True))
    assert text.startswith("error[no-viable-zone]: ")
    assert text.rstrip().endswith("= snapshots: broken")
    assert render(Result("/", groups=everything().groups), Options(quiet=True)) == ""


def test_one_snapshot_needs_no_names_of_snapshots() -> None:
    result = replace(
        everything(), snapshots=(SnapshotSummary("lab", 3),), groups=everything().groups[:1], suppressed=()
    )
    text = render(result, Options())
    assert "snapshot" not in text
    assert "  name                    pods  can run  every placement  connections\n" in text


def test_nothing_to_analyse_is_said_and_hides_no_finding() -> None:
    nothing = Result("/", snapshots=(SnapshotSummary("x", 1),), analysed=False)
    told = "nothing to analyse: no training workload was found in 1 document"
    assert " ".join(render(nothing, Options()).split()) == f"no findings; 0 groups; {told}"
    with_finding = replace(nothing, findings=(finding(),))
    assert " ".join(render(with_finding, Options()).split()).endswith(f"1 warning; 0 groups; {told}")


def test_a_rule_that_broke_is_told_even_when_quiet() -> None:
    text = render(Result("/", failures=(Failure("flow-denied", "KeyError: 'x'"),)), Options(quiet=True))
    assert "  - rule flow-denied broke: KeyError: 'x'\n" in text
    assert "missing above" in text
    assert text.endswith("1 rule failed\n")


def test_many_unknowns_of_one_kind_are_counted_and_the_remedy_stands_once() -> None:
    unknowns = tuple(PlacedUnknown(f"Job ml/j{n}", "no node inventory", "add one", f"j{n}.yaml", 1) for n in range(12))
    text = render(Result("/", unknowns=unknowns), Options())
    assert "  - no node inventory (12 times)\n" in text
    assert "      Job ml/j4 (j4.yaml:1)\n      and 7 more\n" in text
    assert text.count("add one") == 1


def test_why_a_group_is_unknown_is_not_said_again_where_the_unknowns_say_it() -> None:
    group = GroupVerdict("ml/a", "Job", "", 2, Answer.UNKNOWN, Answer.UNKNOWN, missing=("no nodes", "no replicas"))
    text = render(Result("/", groups=(group,), unknowns=(PlacedUnknown("group ml/a", "no nodes"),)), Options())
    assert text.count("no nodes") == 1
    assert "  unknown: ml/a: no replicas\n" in text


def test_a_counterexample_says_how_many_pods_are_where() -> None:
    example = {"workers": {"a": 3, "b": 1}, "launcher": "b", "spare": ["n1", "n2"]}
    text = render(Result("/", findings=(finding(counterexample=example),)), Options())
    assert "= counterexample: workers -> 3 in a, 1 in b\n" in text
    assert " launcher -> b\n" in text
    assert " spare -> n1, n2\n" in text


def test_an_assumption_stands_once() -> None:
    assert render(Result("/", assumptions=("a", "b", "a")), Options()).count("  - a\n") == 1


def test_many_related_places_are_all_named_but_not_all_shown() -> None:
    placed = no_viable_zone()
    related = tuple(replace(placed.related[0], file=f"n{n}.yaml") for n in range(9))
    text = render(Result("/", findings=(replace(placed, related=related),)), Options())
    assert [f"::: n{n}.yaml:112:7" in text for n in range(9)] == [True] * 9
    assert text.count("taints:") == 6
    assert text.count("who keeps the leader out") == 9


def test_a_place_with_several_roles_is_shown_once_and_that_of_the_finding_keeps_its_carets() -> None:
    placed = no_viable_zone()
    taints = placed.related[0]
    same = replace(taints, file="broken/training.yaml", span=placed.span, role="who needs it")
    related = (same, taints, replace(taints, role="what else it does"), taints)
    text = render(Result("/", findings=(replace(placed, related=related),)), Options())
    assert text.count("-->") == text.count(":::") == 1
    assert "    |     ^^^^^ who needs it\n" in text
    assert "    |       ----- who keeps the leader out; what else it does\n" in text


def test_names_and_messages_cannot_steer_the_terminal() -> None:
    evil = "\x1b[2J\u202e"
    placed = finding(
        message=evil,
        at=Location(evil, 0),
        remedy=evil,
        evidence={evil: [evil]},
        counterexample={evil: evil},
        assumes=(evil,),
        snapshots=(evil, "b"),
    )
    related = (replace(no_viable_zone().related[0], role=evil, file=evil, lines=(evil,)),)
    group = GroupVerdict(evil, evil, evil, 1, Answer.UNKNOWN, Answer.UNKNOWN, (evil,), missing=(evil,), notes=(evil,))
    result = Result(
        evil,
        snapshots=(SnapshotSummary(evil, 1, evil), SnapshotSummary(evil, 1, evil)),
        findings=(replace(placed, lines=(evil,), related=related, reason=evil),),
        groups=(group,),
        unknowns=(PlacedUnknown(evil, evil, evil, evil, 1),),
        assumptions=(evil,),
        failures=(Failure(evil, evil),),
    )
    text = render(result, Options())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("\\x1b[2J\\u202e") >= 20


def test_a_table_that_is_too_wide_wraps_the_zones_and_keeps_names_whole() -> None:
    name = "namespace-of-a-team/" + "a-rather-long-name-of-a-training-job-" * 2 + "0"
    zones = tuple(f"europe-west4-{letter}" for letter in "abcdef")
    group = GroupVerdict(name, "Job", "", 4, Answer.PROVED, Answer.REFUTED, zones)
    text = render(Result("/", groups=(group,)), Options())
    assert f"  {name}\n" in text
    lines = [line for line in text.splitlines() if line != f"  {name}"]
    assert max(map(len, lines)) <= 80
    assert all(zone in text for zone in zones)
    assert max(map(len, lines)) <= 80
    assert all(zone in text for zone in zones)


def test_many_assumptions_and_unknowns_are_folded_and_counted() -> None:
    unknowns = tuple(PlacedUnknown(f"subject {number}", f"fact {number}") for number in range(9))
    result = replace(everything(), unknowns=unknowns, assumptions=tuple(f"assumed {number}" for number in range(8)))
    folded = render(result, Options(width=80))
    assert "fact 5" in folded
    assert "fact 6" not in folded
    assert "and 3 more: --verbose shows all of them" in folded
    assert "and 2 more: --verbose shows all of them" in folded
    whole = render(result, Options(width=80, verbose=True))
    assert "fact 8" in whole
    assert "assumed 7" in whole
    assert whole.count("help: write the value in Git") == len(unknowns)
