"""What people and programs use: the command line."""
