"""The words of the design as frozen data; no behaviour beyond what a word means."""
