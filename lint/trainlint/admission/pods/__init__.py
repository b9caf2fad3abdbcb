"""Pods as the API server validates them (kubernetes:pkg/apis/core/validation), after defaulting."""
