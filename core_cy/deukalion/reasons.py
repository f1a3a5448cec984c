def reasons(facts, fields, before, after, seat, share):
    return []
