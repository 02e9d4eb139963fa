"""Message sizes and times as bcastgen and its documentation write them."""


def bytes_of(text):
    """240 of "240", 65536 of "64K"."""
    factor = {"K": 1 << 10, "M": 1 << 20}.get(text[-1])
    return int(text[:-1]) * factor if factor else int(text)


def size_text(size):
    return f"{size >> 20}M" if size >= 1 << 20 else f"{size >> 10}K" if size >= 1 << 10 else f"{size}"


def three_digits(ms):
    return f"{ms:.0f}" if ms >= 99.5 else f"{ms:.1f}" if ms >= 9.95 else f"{ms:.2f}"
