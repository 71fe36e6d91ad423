"""ranksh: learn how many GPUs work together."""
