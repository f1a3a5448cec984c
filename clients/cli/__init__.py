"""The command line: one module for each command, named after it, and small modules for what commands share."""
