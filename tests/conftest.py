"""What all tests share."""

import signal

# A shell that starts the tests in the background makes them, and every program they start, deaf to interrupts;
# some tests interrupt a program and wait for it to end.
signal.signal(signal.SIGINT, signal.default_int_handler)
