"""What is refused of any object: names, values that its schema does not allow, forms of labels."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from trainlint.admission.flaws import FlawRole, FormFlaw, ObjectFlaw, SchemaFlaw, ValueType

__all__ = ["OBJECTS"]

_FLAWS: Final[Mapping[Enum, tuple[str, str]]] = {
    ObjectFlaw.FULL_NAME: (
        "a pod of {0} would be called {1}, {2} characters with setHostnameAsFQDN, and a node takes {3}",
        "remove setHostnameAsFQDN, or shorten the name of the object or of the role",
    ),
    ObjectFlaw.ONE_OF: ("{0} is {1}, and must be one of {2}", "[write {3}|write one of them]"),
    ObjectFlaw.BOUNDS: ("{0} is {1}, and must be [{3?}{2} or more|{2} to {4}]", "write [{3?}{2} or more|{2} to {4}]"),
    ObjectFlaw.NO_CONTAINERS: ("[{0}|the pod] has no containers", "add one"),
    ObjectFlaw.NO_IMAGE: ("container {0} has no image", "set image"),
    ObjectFlaw.RESTART_POLICY: ("restartPolicy of {0} is {1}, and the pods of [{2?}a Job|a {3}] have {4}", "write {4}"),
    ObjectFlaw.NO_RESTART_POLICY: (
        "there is no restartPolicy, which is Always by default, and the pods of a Job have OnFailure or Never",
        "set restartPolicy to Never, or to OnFailure",
    ),
    ObjectFlaw.NAME: (
        (
            "{0} is no name of an object: the API server takes lower case letters, digits, dashes and dots, with a "
            "letter or digit at both ends"
        ),
        "[call it {1}|choose a name of lower case letters and dashes]",
    ),
    ObjectFlaw.NAMESPACE_NAME: (
        "{0} is no name of a namespace: it must have no dots, because hosts are named after it",
        "[call it {1}|choose a name of lower case letters and dashes]",
    ),
    ObjectFlaw.KIND_NAME: (
        (
            "{0} is no name of a {2}: it must begin with a letter and hold only lower case letters, digits and "
            "dashes, because hosts and Services are named after it"
        ),
        "[call it {1}|choose a name of lower case letters and dashes]",
    ),
    ObjectFlaw.DOTTED_NAME: (
        "{0} holds a dot, and the host names of its pods are made from it",
        "[call it {1}|choose a name of lower case letters and dashes]",
    ),
    ObjectFlaw.BY_POLICY: ("{0}", "change it so that {1} holds, or let the binding leave it out"),
    SchemaFlaw.REQUIRED: ("{0} is missing, and must be there", "write {1}"),
    SchemaFlaw.TYPE: ("{0} is [{5?}the {1} {2}|{1}], and must be {3}", '[{4?}write it in quotes: "{2}"|write {3}]'),
    SchemaFlaw.CONST: ("{0} is {1}, and must be {2}", "write that"),
    SchemaFlaw.ENUM: ("{0} is {1}, and must be one of {2}[ and {3} more]", "write one of {2}[ and {3} more]"),
    SchemaFlaw.FORMAT: ("{0} is {1}, which is no {2}", "write it as {2}"),
    SchemaFlaw.PATTERN: ("{0} is {1}, and must match {2}", "write a value that matches"),
    SchemaFlaw.MINIMUM: ("{0} is {1}, and must be at least {2}", "raise it to {2}"),
    SchemaFlaw.MAXIMUM: ("{0} is {1}, and must be at most {2}", "lower it to {2}"),
    SchemaFlaw.EXCLUSIVE_MINIMUM: ("{0} is {1}, and must be more than {2}", "raise it above {2}"),
    SchemaFlaw.EXCLUSIVE_MAXIMUM: ("{0} is {1}, and must be less than {2}", "lower it below {2}"),
    SchemaFlaw.MIN_LENGTH: ("{0} has {1} characters, and must have at least {2}", "raise it to {2}"),
    SchemaFlaw.MAX_LENGTH: ("{0} has {1} characters, and must have at most {2}", "lower it to {2}"),
    SchemaFlaw.MIN_ITEMS: ("{0} has {1} elements, and must have at least {2}", "raise it to {2}"),
    SchemaFlaw.MAX_ITEMS: ("{0} has {1} elements, and must have at most {2}", "lower it to {2}"),
    SchemaFlaw.MIN_PROPERTIES: ("{0} has {1} entries, and must have at least {2}", "raise it to {2}"),
    SchemaFlaw.MAX_PROPERTIES: ("{0} has {1} entries, and must have at most {2}", "lower it to {2}"),
    SchemaFlaw.RULE: ("{0} breaks a rule of its CRD: [{1}|{2} must hold]", "change it so that the rule holds"),
    SchemaFlaw.RULE_NOT_EVALUATED: ("{0}: its rule {1} cannot be evaluated, for {2}", "ask the cluster"),
    SchemaFlaw.RULES_LEFT_OUT: ("{0}: more rules of its CRD than can be evaluated here", "ask the cluster"),
    SchemaFlaw.MULTIPLE: ("{0} is {1}, and must be a multiple of {2}", "write a multiple of {2}"),
    SchemaFlaw.NO_FORM: ("{0} has none of the forms that its CRD allows ({1})", "write it in one of them"),
    SchemaFlaw.EXCLUDED_FORM: ("{0} has a form that its CRD excludes", "write it in another form"),
    SchemaFlaw.DUPLICATE: ("{0} holds {1} twice", "keep one of them"),
    SchemaFlaw.NOT_SERVED: ("{0} is no version of {1} that its CRD serves", "write [one of {2}|another version]"),
    SchemaFlaw.DEFINITION_UNREAD: ("what its CRD demands of {0} is unknown: {1}", "ask the cluster"),
    SchemaFlaw.OTHER: ("{0} is not what the schema of the kind allows: {1}", "write what the kind allows there"),
}
_FORMS: Final[Mapping[Enum, str]] = {
    FormFlaw.LENGTH: "it has {} characters, and {} are allowed",
    FormFlaw.NAME_LENGTH: "its name has {} characters, and {} are allowed",
    FormFlaw.LABEL_1123: "only lower case letters, digits and dashes are allowed, with a letter or digit at both ends",
    FormFlaw.LABEL_1035: "only lower case letters, digits and dashes are allowed, a letter first and no dash last",
    FormFlaw.SUBDOMAIN: (
        "only lower case letters, digits, dashes and dots are allowed, with a letter or digit at both ends"
    ),
    FormFlaw.QUALIFIED: (
        "only letters, digits, dashes, dots and underscores are allowed, with a letter or digit at both ends"
    ),
    FormFlaw.PORT: "only lower case letters, digits and single dashes are allowed, and one letter at least",
    FormFlaw.VARIABLE: "only printable ASCII characters without = are allowed",
    FormFlaw.DATA_KEY: "letters, digits, '-', '_' and '.' are allowed, and no .. at the beginning",
    FormFlaw.HEADER: "letters, digits and '-' are allowed",
    FormFlaw.SYSCTL: "lower case letters, digits, '-', '_', '.' and '/' are allowed",
    FormFlaw.NO_NAME: "its name is empty",
    FormFlaw.NO_PREFIX: "nothing stands before the slash",
    FormFlaw.PREFIX: "the part before the slash is no domain: {}",
    ValueType.TEXT: "text",
    ValueType.NUMBER: "number",
    ValueType.BOOLEAN: "boolean",
    ValueType.A_NUMBER: "a number",
    ValueType.A_WHOLE_NUMBER: "a whole number",
    ValueType.TRUE_OR_FALSE: "true or false",
    ValueType.A_LIST: "a list",
    ValueType.A_MAPPING: "a mapping",
    FlawRole.OTHER_ONE: "the other one",
    FlawRole.OTHER_MOUNT: "the other mount",
    FlawRole.SAME_FAULT: "the same fault",
    FlawRole.FIRST_OF_NAME: "the first of this name",
    FlawRole.NEEDS_IT: "needs it",
    FlawRole.DEFINITION: "the CRD demands it",
    FlawRole.ANNOTATION: "{}",
    FlawRole.POLICY_RULE: "the rule of the policy",
    FlawRole.POLICY_BINDING: "what binds the policy",
}
OBJECTS: Final[Mapping[Enum, str | tuple[str, str]]] = {**_FLAWS, **_FORMS}
