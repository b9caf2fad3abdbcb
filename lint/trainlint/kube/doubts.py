"""Parts of an object that hold placeholders."""

from __future__ import annotations

from dataclasses import dataclass, field

from trainlint.kube.values import is_placeholder, read_bool, read_int, read_text
from trainlint.model.known import Undetermined
from trainlint.source.document import Field

__all__ = ["Doubts"]


@dataclass(slots=True)
class Doubts:
    """Collects the parts of one spec that hold placeholders."""

    parts: dict[str, None] = field(default_factory=dict)

    def note(self, part: str, value: Field) -> Field:
        """The same field; its part is undetermined if a placeholder stands where a structure is expected."""
        if isinstance(value.value, str) and is_placeholder(value.value):
            self.parts[part] = None
        return value

    def number(self, part: str, value: Field, default: int = 0) -> int:
        """A number; the default, and an undetermined part, where it is not known."""
        number = read_int(value, default)
        if isinstance(number, Undetermined):
            self.parts[part] = None
            return default
        return number

    def text(self, part: str, value: Field) -> str:
        """A text, with any placeholder in it; then the part is undetermined."""
        text = read_text(value)
        if is_placeholder(text):
            self.parts[part] = None
        return text

    def flag(self, part: str, value: Field) -> bool:
        """A boolean; False, and an undetermined part, where a placeholder stands."""
        flag = read_bool(value)
        if isinstance(flag, Undetermined):
            self.parts[part] = None
            return False
        return flag
