"""Lists on the command line: one spelling for all of them."""

from pathlib import Path

import pytest

from dampen.cli.lists import read_list, split_list, split_lists
from dampen.errors import ParameterError
from tests.unit.cli.shell import SURE, refusal, tell


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("a,b,c", ("a", "b", "c")),
        (" a , b", ("a", "b")),
        ("a", ("a",)),
        ('"Smith, Ann",Bob', ("Smith, Ann", "Bob")),
        ('a, "b, c"', ("a", "b, c")),
        ("ä,ß", ("ä", "ß")),
    ],
)
def test_words_stand_between_commas(given: str, words: tuple[str, ...]) -> None:
    assert split_list(given, "groups") == words


@pytest.mark.parametrize("given", ["", ",", "a,", ",a", "a,,b", "a, ,b", "a\nb", "\n", '""'])
def test_no_word_is_empty(given: str) -> None:
    with pytest.raises(ParameterError, match=r"^groups must have no empty label"):
        split_list(given, "groups")


def test_repeated_lists_are_one() -> None:
    assert split_lists(["a,b", "c"], "p") == ("a", "b", "c")
    assert split_lists(None, "p") == split_lists([], "p") == ()


def test_what_has_no_comma_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_text("a, of course\n\n b \n")
    assert read_list(str(path), "nodes") == ("a, of course", "b")
    assert read_list("x,y", "nodes") == ("x", "y")
    for none in ("x", str(tmp_path), str(tmp_path / "none.txt")):
        with pytest.raises(ParameterError, match=r"^nodes must be a list such as a,b,c or a file that exists; got"):
            read_list(none, "nodes")


LISTS = [
    ("--categories", ("most-common", "words.csv", "word"), "a\n"),
    ("--groups", ("count", "words.csv", "--by", "word"), "a\t2\nb\t1\n"),
    ("--candidates", ("select", "scores.csv", "--label", "word", "--score", "n", "--sensitivity", "1"), "a\n"),
    ("--nodes", ("top-nodes", "edges.csv", "--src", "x", "--dst", "y", "--k", "1", "--score", "degree"), "a\n"),
]


@pytest.mark.parametrize(("option", "words", "told"), LISTS, ids=lambda value: value if isinstance(value, str) else "")
def test_every_list_is_spelt_alike(
    option: str, words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.csv").write_text("word\na\na\nb\n")
    (tmp_path / "scores.csv").write_text("word,n\na,5\n")
    (tmp_path / "edges.csv").write_text("x,y\n" + "".join(f"a,n{place}\n" for place in range(20)))
    labels = ["a", "b", *(f"n{place}" for place in range(20))] if option == "--nodes" else ["a", "b"]
    (tmp_path / "labels.txt").write_text("\n".join(labels))
    for given in (",".join(labels), "labels.txt"):
        assert tell(*words, option, given, "--epsilon", SURE).stdout == told
    name = option[2:]
    assert refusal(*words, option, "none", "--epsilon", "1").startswith(
        f"{name} must be a list such as a,b,c or a file"
    )
    assert refusal(*words, option, "a,,b", "--epsilon", "1").startswith(f"{name} must have no empty label")
