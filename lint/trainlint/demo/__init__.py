"""The lab that ``trainlint demo`` shows: one training job in a broken and in a fixed state, on one cluster."""
