"""Connections that stand around the ranks: without them the pods are never made, or the job never advances."""
