"""What every engine process sets for itself before torch is imported, and the device it finds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

# Offline and quiet; one thread beat two on the measuring machine and keeps sums in one order.
DEFAULTS = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
}


def set_defaults() -> None:
    """Fill in what the caller's environment leaves open."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)


def use_deterministic_kernels() -> None:
    """Ask for the same bits at every run; warn where a device has no such kernel."""
    import torch

    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def device() -> torch.device:
    """The accelerator of this rank, else the CPU."""
    import torch

    if torch.cuda.is_available():
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    return torch.device("cpu")


def wants_bf16(precision: str) -> bool:
    """Whether to compute in bf16: as asked, or where the device is made for it (a CPU may be 60 times slower)."""
    import torch

    if precision == "auto":
        return torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)
    return precision == "bf16"


def is_first_rank() -> bool:
    """Whether this process is the one that writes; true without a launcher."""
    return os.environ.get("RANK", "0") == "0"
