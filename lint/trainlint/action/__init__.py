"""What action.yml runs, by file and with the standard library alone; nothing of trainlint is imported here."""
