"""What a file of one array holds, as JSON, read by numpy, or by the description of safetensors and torch if it is there.

    read_array.py FILE.npy | FILE.safetensors
"""

import io
import json
import struct
import sys

import numpy as np

path = sys.argv[1]
data = open(path, "rb").read()
said = {}
if path.endswith(".npy"):
    array = np.load(path)
    written = io.BytesIO()
    np.save(written, array)
    said["as_numpy_writes_it"] = written.getvalue() == data
    said["dtype"] = array.dtype.name
else:
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    said["metadata"] = header.pop("__metadata__")
    [(said["name"], part)] = header.items()
    begin, end = part["data_offsets"]
    said["dtype"] = part["dtype"]
    said["aligned"] = size % 8 == 0
    said["all"] = 8 + size + end == len(data)
    values = data[8 + size + begin : 8 + size + end]
    if part["dtype"] == "BF16":
        array = (np.frombuffer(values, np.uint16).astype(np.uint32) << 16).view(np.float32)
        try:
            import torch

            as_torch_reads_it = torch.frombuffer(bytearray(values), dtype=torch.bfloat16).double().numpy()
            assert (as_torch_reads_it == array).all()
        except ImportError:
            pass
    else:
        array = np.frombuffer(values, {"F64": "<f8", "F32": "<f4", "F16": "<f2"}[part["dtype"]])
    array = array.reshape(part["shape"])
said["shape"] = list(array.shape)
said["values"] = [x if np.isfinite(x) else None for x in array.astype(np.float64).ravel().tolist()]  # JSON has no others
print(json.dumps(said))
