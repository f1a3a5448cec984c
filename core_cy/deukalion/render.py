def render(position):
    return ""
