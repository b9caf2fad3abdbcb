"""Whether a policy takes an object: yes, no with the message, or why that is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.cel.evaluation import Evaluation
from trainlint.cel.expression import Expression
from trainlint.fact import fact
from trainlint.installed.ground import InstalledGround
from trainlint.installed.validating.body import Body
from trainlint.installed.validating.policy import Policy, Validation, variable_name
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because

__all__ = ["AdmissionVerdict", "Denied", "judged"]

_UNSEEN: Final = lazy_pattern(r"\brequest\.(?:\?)?(?:userInfo|options|uid|dryRun)\b")
_LONGEST: Final = 300


@fact(eq=False)
class Denied:
    """A validation that an object does not pass, with what the API server says, and what that rests on."""

    validation: Validation
    message: str
    assumes: tuple[Because, ...] = ()


@fact(eq=False)
class AdmissionVerdict:
    """What a policy makes of an object: validations that refuse it, and what is not known."""

    denied: tuple[Denied, ...] = ()
    unknown: tuple[str, ...] = ()


def judged(policy: Policy, body: Body, values: Mapping[str, Any]) -> AdmissionVerdict:
    """The verdict on an object; ``values`` are the variables that are known beside it, by name."""
    return _Judge(policy, body, values).verdict()


class _Judge:
    def __init__(self, policy: Policy, body: Body, values: Mapping[str, Any]) -> None:
        self._policy = policy
        self._body = body
        self._values: dict[str, Any] = {"object": body.value, "oldObject": None, **values}

    def verdict(self) -> AdmissionVerdict:
        """What the conditions and validations come to."""
        for name, each in self._policy.variables.items():
            if (found := each.evaluate(self._values)).decided:
                self._values[variable_name(name)] = found.value
        conditions = [self._value(each) for each in self._policy.conditions]
        if any(each.value is False for each in conditions):
            return AdmissionVerdict()
        unknown = [
            f"{_short(rule.text)}: {each.unknown}"
            for rule, each in zip(self._policy.conditions, conditions, strict=True)
            if each.unknown
        ]
        if not unknown and any(each.error for each in conditions) and not self._policy.fails:
            return AdmissionVerdict()
        if unknown or any(each.error for each in conditions):
            return AdmissionVerdict(unknown=tuple(unknown) or ("a condition of it fails",))
        denied: list[Denied] = []
        for validation in self._policy.validations:
            found = self._value(validation.rule)
            if found.unknown or found.invalid:
                why = found.unknown or f"it does not compile: {found.error}"
                unknown.append(f"{_short(validation.rule.text)}: {why}")
            elif found.value is not True and (self._policy.fails or not found.error):
                denied.append(self._denied(validation, found))
        return AdmissionVerdict(tuple(denied), tuple(unknown))

    def _value(self, rule: Expression) -> Evaluation:
        """What an expression comes to; unknown where it looks at something that is not known."""
        text = self._policy.whole(rule.text)
        if _UNSEEN.search(text) is not None:
            values = {key: each for key, each in self._values.items() if key != "request"}
            found = rule.evaluate(values)
            if not found.decided:
                return Evaluation(unknown="who creates the object is not known")
        else:
            found = rule.evaluate(self._values)
        if (doubt := self._body.doubt(text)) and not found.unknown:
            return Evaluation(unknown=f"{doubt} is not known")
        missing = [each for each in self._policy.variables if variable_name(each) not in self._values]
        if found.unknown and any(variable_name(each) in found.unknown for each in missing):
            return self._of_variable(missing, found)
        return found

    def _of_variable(self, missing: list[str], found: Evaluation) -> Evaluation:
        """Why a variable has no value decides: one that fails makes the expression fail."""
        name = next(each for each in missing if variable_name(each) in found.unknown)
        return self._policy.variables[name].evaluate(self._values)

    def _denied(self, validation: Validation, found: Evaluation) -> Denied:
        text = self._policy.whole(validation.rule.text)
        assumes: tuple[Because, ...] = ()
        if later := self._body.set_later(text):
            assumes = (Because(InstalledGround.NO_DEFAULT, (later,)),)
        return Denied(validation, self._message(validation, found), assumes)

    def _message(self, validation: Validation, found: Evaluation) -> str:
        """What the API server says: of an expression, of a text, or the expression itself."""
        if found.error:
            return f"the expression {_short(validation.rule.text)} fails: {found.error}"
        if validation.says is not None:
            said = self._value(validation.says)
            if isinstance(said.value, str) and said.value.strip() and "\n" not in said.value.strip():
                return _short(said.value)
        return _short(validation.message) or f"{_short(validation.rule.text)} does not hold"


def _short(text: str) -> str:
    plain = " ".join(text.split()).rstrip(".")
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]} ..."
