"""The environment that a container's processes see, and what set each variable."""

from __future__ import annotations

from dataclasses import replace

from tests.launch.containers import container

from trainlint.finding import Location
from trainlint.launch.environment import Carrier, environment, hidden_carriers
from trainlint.model.known import Undetermined
from trainlint.model.pod import MountedFile


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


def test_parameters_of_mpi_are_variables_of_the_ranks() -> None:
    found = environment(container("{command: [mpirun, --mca, btl_tcp_if_include, eth0, -genv, I_MPI_FABRICS, ofi, x]}"))
    assert found["OMPI_MCA_btl_tcp_if_include"].value == "eth0"
    assert found["I_MPI_FABRICS"].value == "ofi"


def test_nccls_file_fills_what_is_unset_and_comments_begin_in_the_first_column() -> None:
    # N 1.1.1
    at = Location("config.yaml", 0, ("data", "nccl.conf"))
    text = "# NCCL_NET=IB\nNCCL_DEBUG=INFO\nNCCL_IB_HCA==mlx5_0\nNCCL_X = 1\n"
    base = container("{env: [{name: NCCL_DEBUG, value: WARN}]}")
    found = environment(replace(base, files=(MountedFile("/etc/nccl.conf", text, at),)))
    assert found["NCCL_DEBUG"].value == "WARN"
    assert (found["NCCL_IB_HCA"].value, found["NCCL_IB_HCA"].carrier) == ("=mlx5_0", Carrier.FILE)
    assert found["NCCL_IB_HCA"].at == at
    assert "NCCL_NET" not in found
    assert "NCCL_X" not in found


def test_what_cannot_be_seen_is_named() -> None:
    found = replace(container("{command: [bash, -c, 'source /etc/profile; x']}"), hidden_env=("Secret s",))
    assert hidden_carriers(found) == ("Secret s", "the file /etc/profile")
