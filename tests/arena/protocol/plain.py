"""Protobuf by hand, from field numbers alone: what a client in another language would send and read."""

import struct


def varint(value):
    value &= (1 << 64) - 1
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def whole(number, value):
    return varint(number << 3) + varint(value)


def double(number, value):
    return varint(number << 3 | 1) + struct.pack("<d", value)


def single(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def inside(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def read(data):
    """Fields by number: lists of whole numbers, floating ones or bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        found.setdefault(number, []).append(value)
    return found


def delimited(data):
    return varint(len(data)) + data
