"""Kueue, Volcano and KAI: what queues and gangs admit, of the objects in Git."""
