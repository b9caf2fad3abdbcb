"""What an API server, a webhook or an operator refuses of an object, or of the pods, Jobs and Services made of it."""
