"""Findings name the page of their rule where the package says where its documentation is, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trainlint.report import address
from trainlint.rule import all_rules

RULE = next(rule for rule in all_rules() if rule.name == "no-viable-zone")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    address._base.cache_clear()
    yield
    address._base.cache_clear()


class Distribution:
    def __init__(self, head: str) -> None:
        self.head = head

    def read_text(self, name: str) -> str | None:
        return self.head if name == "METADATA" else None


def say(monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
    lines = ["Metadata-Version: 2.4", *(f"Project-URL: {url}" for url in urls), "", "Project-URL: Documentation, no"]
    monkeypatch.setattr(address, "distribution", lambda _: Distribution("\n".join(lines)))


@pytest.mark.parametrize("urls", [(), ("Source, https://example.com/x",), ("broken",)])
def test_no_address_is_made_up(monkeypatch: pytest.MonkeyPatch, urls: tuple[str, ...]) -> None:
    say(monkeypatch, *urls)
    assert address.page_url(RULE) == address.url_of(RULE.name) == ""


def test_the_page_stands_below_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "Source, https://example.com/x", "Documentation, https://example.com/trainlint/blob/main/")
    wanted = "https://example.com/trainlint/blob/main/docs/rules/topology/no-viable-zone.md"
    assert address.page_url(RULE) == address.url_of(RULE.name) == wanted
    assert address.url_of("rule-of-another-package") == ""
