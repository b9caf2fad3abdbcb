"""What people get wrong in settings of NCCL and its neighbours, one module per subject."""
