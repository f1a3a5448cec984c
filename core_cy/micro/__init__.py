"""Games small enough to be solved by hand, for the tests of the contract and of search."""
