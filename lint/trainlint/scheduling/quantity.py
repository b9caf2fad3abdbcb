"""Quantities, for the filters."""

from __future__ import annotations

from trainlint.model.quantity import QuantityError, milli, parse_quantity, readable, units

__all__ = ["QuantityError", "milli", "parse_quantity", "readable", "units"]
