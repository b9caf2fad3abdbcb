"""The sentences, one table for each enumeration of grounds; ``wording.because`` says how a table is written."""
