"""A subject written from protocol.md with nothing but the standard library, that goes wrong as its argument says.

It implements rows of width 4 in F32: row t is t, t+1, t+2, t+3.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import time

from strays import leave_strays

wrong = sys.argv[1] if len(sys.argv) > 1 else "nothing"


def exactly(size):
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def read():
    header = json.loads(exactly(struct.unpack("<Q", exactly(8))[0]))
    words = header.pop("__metadata__")
    end = max([part["data_offsets"][1] for part in header.values()] + [0])
    data = exactly(end)
    values = {}
    for name, part in header.items():
        begin, stop = part["data_offsets"]
        kind = {"I64": "q", "F64": "d", "U8": "B"}[part["dtype"]]
        values[name] = struct.unpack("<%d%s" % ((stop - begin) // struct.calcsize(kind), kind), data[begin:stop])
    return words, values


def frame(words, tensors=None, data=b""):
    text = json.dumps(dict({"__metadata__": words}, **(tensors or {}))).encode()
    return struct.pack("<Q", len(text)) + text + data


def write(data):
    while data:
        data = data[os.write(1, data):]


def rows(positions, shape=None, dtype="F32", offsets=None, name="result"):
    data = b"".join(struct.pack("<4" + ("d" if dtype == "F64" else "f"), t, t + 1, t + 2, t + 3) for t in positions)
    return {name: {"dtype": dtype, "shape": shape or [len(positions), 4], "data_offsets": offsets or [0, len(data)]}}, data


if wrong == "exits":
    sys.stderr.write("no module named rope\n")
    sys.exit(3)
if wrong == "all_bytes_first":
    os.write(2, bytes(range(256)))
    sys.exit(3)
if wrong == "killed":
    os.kill(os.getpid(), signal.SIGABRT)
if wrong == "prints":
    write(b"loading checkpoint shards\n")
if wrong == "sleeps":
    time.sleep(100)
if wrong == "hang_deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "100"])
    os.write(2, b"%d %d" % (os.getpid(), child.pid))

if wrong == "hangs_in_its_third_life":
    with open(sys.argv[2], "a") as lives:
        lives.write("x")

asked, _ = read()
said = {"answer": "hello", "id": "0", "protocol": "1", "name": "bad", "version": "2.5", "kinds": "rows", "dtype": "F32"}
if wrong == "other_protocol":
    said["protocol"] = "2"
if wrong == "nothing_implemented":
    said["kinds"] = ""
if wrong == "other_kind":
    said["kinds"] = "rows teleport"
if wrong == "other_dtype":
    said["dtype"] = "I64"
if wrong == "other_precision":
    said["precision"] = "fp31"
if wrong == "commanding_precision":
    said["precision"] = "\033[2J"
if wrong == "other_way":
    said["takes_positions"] = "pairs"
if wrong == "backward_of_rows":
    said["backward"] = "yes"
if wrong == "heads_of_keys_alone":
    said["heads"] = "8"
if wrong == "too_many_heads":
    said["heads"] = "8 16385"
if wrong == "no_key_head":
    said["heads"] = "8 0"
if wrong == "backward_or_not":
    said["backward"] = "perhaps"
if wrong == "told_its_processor":
    said["processor"] = "yes"
if wrong == "renews":
    said["renews"] = "yes"
if wrong == "processor_or_not":
    said["processor"] = "perhaps"
if wrong.startswith("domain_of_"):
    said["domain"] = wrong.removeprefix("domain_of_").replace("_", " ")
if wrong == "domain":
    said.update(domain="2 9 ends", precision="bf16/f32", conventions="counts from two")
if wrong == "no_name":
    del said["name"]
if wrong == "changes" and os.path.exists(sys.argv[2]):
    said["version"] = "2.6"
if wrong == "repeats_parameters":
    said["conventions"] = asked["encoding"] + " " + asked["parameters"]
if wrong == "declines_hello":
    write(frame({"answer": "declined", "id": "0", "reason": "there is no CUDA device"}))
elif wrong == "number_for_word":
    write(frame(dict(said, protocol=1)))
elif wrong == "long_header":
    write(struct.pack("<Q", 2 << 20) + b"{")
elif wrong == "huge_header":
    write(struct.pack("<Q", 1 << 62))
elif wrong == "cut_hello":
    write(frame(said)[:50])
    sys.exit(0)
else:
    write(frame(said))

calls = renewed = 0
while True:
    words, values = read()
    if words["call"] == "renew":
        calls, renewed = 0, renewed + 1
        write(frame(said))
        continue
    calls += 1
    result = {"answer": "result", "id": words["id"]}
    t = values["positions"]
    tensors, data = rows(t)
    if wrong == "crash" and t[0] == 13:
        sys.stderr.write("about to read past the end\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    if wrong == "all_bytes" and calls > int(sys.argv[2]):
        os.write(2, bytes(range(256)))
        os._exit(5)
    if wrong == "error_of_all_characters" and calls > int(sys.argv[2]):
        result = {"answer": "error", "id": words["id"], "text": "".join(map(chr, range(0xD800)))}
        tensors, data = {}, b""
    if wrong == "declines_with_all_characters" and calls > int(sys.argv[2]):
        result = {"answer": "declined", "id": words["id"], "reason": "".join(map(chr, range(0xD800)))}
        tensors, data = {}, b""
    if wrong == "exit_later" and t[0] == 13:
        os._exit(5)
    if wrong == "changes" and t[0] == 13:
        open(sys.argv[2], "w").close()
        os._exit(0)
    if wrong == "busy" and calls > int(sys.argv[3]):
        leave_strays(sys.argv[2])
    if wrong == "hangs_in_its_third_life" and os.path.getsize(sys.argv[2]) >= 3:
        open(sys.argv[2] + ".hangs", "w").close()
        time.sleep(100)
    if wrong == "hang" and t[0] == 13:
        time.sleep(100)
    if wrong == "hang_deaf" and t[0] == 13:
        time.sleep(100)
    if wrong == "leaves_a_child" and t[0] == 13:
        child = subprocess.Popen(["sleep", "100"])
        sys.stderr.write("%d" % child.pid)
        sys.stderr.flush()
        os._exit(1)
    if wrong == "closes_stdin":
        os.close(0)
    if wrong == "complains_for_ever" and t[0] == 13:
        while True:
            os.write(2, b"problem\n" * 1000)
    if wrong == "slow":
        time.sleep(1.2)
        write(frame(result, tensors))
        time.sleep(1.2)
        write(data)
        time.sleep(1000)
    if wrong == "nan":
        data = struct.pack("<f", float("nan")) * (4 * len(t))
    if wrong == "other_shape":
        tensors, data = rows(t[1:])
    if wrong == "shape_without_bytes":
        tensors, data = rows(t, offsets=[0, len(data) - 4])
    if wrong == "huge_shape":
        tensors, data = rows(t, shape=[1 << 40, 1 << 40])
    if wrong == "huge_result":
        tensors, data = rows(t, shape=[1 << 36, 4], offsets=[0, 1 << 40])
    if wrong.endswith("_at_13"):
        data = struct.pack("<4f", calls, calls, calls, calls) * len(t)
    if wrong == "other_shape_at_13" and t[0] == 13:
        tensors, data = rows(t[1:])
    if wrong == "too_large_at_13" and t[0] == 13:
        tensors, data = rows(t, shape=[(1 << 20) + 1, 4], offsets=[0, (1 << 24) + 16])
    if wrong == "double":
        tensors, data = rows(t, dtype="F64")
    if wrong == "other_name":
        tensors, data = rows(t, name="rows")
    if wrong == "two_names":
        tensors["more"] = {"dtype": "U8", "shape": [0], "data_offsets": [len(data), len(data)]}
    if wrong == "other_id":
        result["id"] = "7"
    if wrong == "other_answer":
        result["answer"] = "maybe"
    if wrong == "declined":
        result = {"answer": "declined", "id": words["id"], "reason": "this model has no positions"}
        tensors, data = {}, b""
    if wrong == "error":
        result = {"answer": "error", "id": words["id"], "text": "KeyError: 'inv_freq'"}
        tensors, data = {}, b""
    if wrong == "values_with_an_error":
        result = {"answer": "error", "id": words["id"], "text": "KeyError: 'inv_freq'"}
    if wrong == "prints_later" and calls == 2:
        write(b"step 2 of 10\n")
    if wrong == "floods_stderr":
        sys.stderr.write("x" * 300000 + "\n")
        sys.stderr.flush()
    if wrong == "cut":
        write(frame(result, tensors, data)[:-4])
        os._exit(0)
    if wrong == "counts":
        data = struct.pack("<4f", calls, calls, calls, calls) * len(t)
    if wrong in ("renews", "renews_not"):
        data = struct.pack("<4f", calls, renewed, calls, renewed) * len(t)
    if wrong == "told_its_processor" or wrong == "told_no_processor":
        data = struct.pack("<f", float(words.get("processor", -1))) * (4 * len(t))
    if wrong == "dies_after":
        with open(sys.argv[2], "w") as pid:
            pid.write(str(os.getpid()))
    answer = frame(result, tensors, data)
    if wrong == "answers_twice":
        answer += answer
    if wrong == "says_more":
        answer += b"\1\2\3"
    write(answer)
    if wrong == "closes_stdin" or wrong == "stops_reading":
        time.sleep(1000)
    if wrong == "dies_after":
        os._exit(9)
