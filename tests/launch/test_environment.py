"""The environment that a container's processes see, and what set each variable."""

from __future__ import annotations

from tests.launch.containers import container

from trainlint.launch.environment import Carrier, environment
from trainlint.model.known import Undetermined


def test_the_last_of_two_entries_counts_as_for_the_kubelet() -> None:
    # W 1.3
    found = environment(container("{env: [{name: A, value: '1'}, {name: A, value: '2'}]}"))
    assert found["A"].value == "2"


def test_references_to_earlier_variables_are_filled_in() -> None:
    found = environment(
        container("{env: [{name: H, value: m}, {name: A, value: x}], command: [sh, -c, 'export B=$A$H']}")
    )
    assert found["B"].value == "xm"
    assert found["B"].carrier is Carrier.SCRIPT


def test_what_a_script_computes_is_undetermined() -> None:
    found = environment(container("{command: [sh, -c, 'export RANK=${HOSTNAME##*-} IP=$(hostname -i)']}"))
    assert isinstance(found["RANK"].value, Undetermined)
    assert isinstance(found["IP"].value, Undetermined)


def test_a_value_from_elsewhere_is_undetermined() -> None:
    found = environment(container("{env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]}"))
    assert isinstance(found["A"].value, Undetermined)


def test_mpirun_passes_variables_to_the_ranks() -> None:
    found = environment(container("{command: [mpirun, -np, '2', -x, NCCL_DEBUG=INFO, -x, LD_LIBRARY_PATH, python]}"))
    assert (found["NCCL_DEBUG"].value, found["NCCL_DEBUG"].carrier) == ("INFO", Carrier.MPI)
    assert "LD_LIBRARY_PATH" not in found
