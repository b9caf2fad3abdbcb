"""The ideal cluster: what the pods of a group ask for, and nothing else; what cannot run there can run nowhere."""
