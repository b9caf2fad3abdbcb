"""What people get wrong in a job's own contract with its operator (W 17): facts for the rules of ``workload/``."""
