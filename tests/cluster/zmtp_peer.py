"""A peer of a leaf or a broker that writes ZMTP by itself, so that a test decides about each byte."""
import socket
import struct

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" + bytes(31)
HELLO = bytes.fromhex("0000000005000000000000000200020001000000000000000200000000000000") + bytes(16)
PONG = b"\x04\x05\x04PONG"


def frame(body, flags=0):
    return bytes([flags | 2]) + struct.pack(">Q", len(body)) + body if len(body) > 255 else bytes([flags, len(body)]) + body


def ready(kind):
    return frame(b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind, 4)


def exhaustive(number, terms):
    """A search that scores every document of partition 0 in generation 1: one hour, 200 hits. Cap'n Proto, word by word."""
    count, texts, pairs = len(terms), b"", b""
    for i, term in enumerate(terms):
        behind = 2 * (count - i - 1) + len(texts) // 8
        pairs += struct.pack("<QII", 0, behind << 2 | 1, (len(term) + 1) << 3 | 2)
        texts += term.encode().ljust(len(term) // 8 * 8 + 8, b"\0")
    head = struct.pack("<IIQQIIQ", 0, 0x20002, number, 0, 4, 0x40005, 0)  # a request of the first kind, a struct of 5 and 4 words
    head += bytes.fromhex("01000000000000000300030000000000c20000000000000000a493d6000000000000000000000000")
    head += struct.pack("<IIIIQQ", 3 << 2 | 1, 2 * count << 3 | 7, (3 + 2 * count + len(texts) // 8) << 2 | 1, 1 << 3 | 4, 0, 0)
    words = head + struct.pack("<II", count << 2, 0x10001) + pairs + texts + bytes(8)
    return struct.pack("<II", 0, len(words) // 8) + words


def stranger(port, source="127.0.0.1", whole=True):
    """A connection whose handshake is done, as a broker's."""
    peer = socket.socket()
    peer.bind((source, 0))
    peer.settimeout(5)
    peer.connect(("127.0.0.1", port))
    if whole:
        peer.sendall(GREETING + ready(b"DEALER"))
        got = b""
        while len(got) < 64:
            part = peer.recv(64)
            if not part:
                raise ConnectionError("closed")
            got += part
    return peer
