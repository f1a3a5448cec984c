"""The opponent as a gRPC service."""
