"""CEL expressions as Kubernetes evaluates them: rules of CRDs, admission policies, device selectors.

The language is that of cel-expr-python, the bindings of Google's C++ implementation; the functions that Kubernetes adds
stand here (docs/decisions.md says why). The library is loaded when the first expression is asked for; where it
is not installed (the extra ``cel``), every expression is unknown.
"""
