# Starts bqemulator without the two extensions that DuckDB would download: spatial, without which it does not start, and avro.
from bqemulator.cli import main
from bqemulator.storage.engine import DuckDBEngine

DuckDBEngine._load_spatial = lambda self: None
DuckDBEngine._load_format_extensions = lambda self: None
main()
