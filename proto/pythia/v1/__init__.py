"""The wire contract, version 1. The modules in here are generated from the .proto files by the build."""
