"""What a container runs: the argument vector, or the script that it gives a shell."""

from __future__ import annotations

from tests.launch.containers import container

from trainlint.launch.command import commands, variables_of


def words(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in commands(container(text))]


def test_command_and_args_are_one_argument_vector() -> None:
    assert words("{command: [torchrun, --nnodes=2], args: [train.py]}") == [["torchrun", "--nnodes=2", "train.py"]]


def test_a_script_among_the_args_of_a_shell_is_split() -> None:
    text = "{command: [bash, -c], args: ['pip install x && exec torchrun train.py']}"
    assert words(text) == [["pip", "install", "x"], ["torchrun", "train.py"]]


def test_a_shell_inside_a_script_is_split_too() -> None:
    assert words("""{command: [sh, -c, "bash -c 'a b; c'"]}""") == [["a", "b"], ["c"]]


def test_every_word_knows_its_element() -> None:
    (first, *_, last) = commands(container('{command: [sh, -c], args: ["a\\n b"]}'))
    assert (first.words[0].at.path, last.words[0].at.path) == (("args", 0), ("args", 0))
    (only,) = commands(container("{command: [a], args: [b, c]}"))
    assert [word.at.path for word in only.words] == [("command", 0), ("args", 0), ("args", 1)]


def test_options_have_values_after_an_equals_sign_or_in_the_next_word() -> None:
    (command,) = commands(
        container("{args: [run, --nnodes=2, --node_rank, '0', --verbose, --rate, '-1', x.y=z, file.py]}")
    )
    assert [(option.name, option.value) for option in command.options()] == [
        ("nnodes", "2"),
        ("node-rank", "0"),
        ("verbose", None),
        ("rate", "-1"),
        ("x.y", "z"),
    ]


def test_the_module_of_python_is_known() -> None:
    (command,) = commands(container("{command: [/usr/bin/python3, -u, -m, torch.distributed.run, x]}"))
    assert command.module == "torch.distributed.run"


def test_variables_are_set_before_a_command_by_export_and_by_env() -> None:
    found = commands(container("{command: [sh, -c, 'A=1 run; export B=2 C=3; env D=4 go E=5']}"))
    assert [(name, value) for command in found for name, value, _ in variables_of(command)] == [
        ("A", "1"),
        ("B", "2"),
        ("C", "3"),
        ("D", "4"),
    ]


def test_elements_that_are_no_text_are_left_out() -> None:
    assert words("{command: [run, {a: b}, 3, true]}") == [["run", "3", "true"]]
