"""Network interfaces of pods, and what NCCL and its neighbours make of their settings."""
