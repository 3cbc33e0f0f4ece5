"""Laws as functions of PyTorch on native kernels: autograd, torch.func and torch.compile, on the CPU.

Needs PyTorch: `pip install rikigaku[torch]`. Kernels read and write the memory of the tensors.
"""

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rikigaku.torch needs PyTorch: pip install 'rikigaku[torch]'.", name=error.name
    ) from error

from rikigaku.torch.torch_law import law as law

__all__ = ["law"]
