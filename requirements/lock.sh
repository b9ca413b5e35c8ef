#!/bin/sh
# Re-make the locks from pyproject.toml.  torch and what only its CUDA build needs stay outside:
# they differ by machine and are chosen by the installer (config/launch/install.py).
set -eu
cd "$(dirname "$0")/.."
without=""
for package in torch triton cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti \
    nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand \
    nvidia-cusolver nvidia-cusparse nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink \
    nvidia-nvshmem-cu13 nvidia-nvtx; do
    without="$without --no-emit-package $package"
done
compile() {
    # shellcheck disable=SC2086
    .venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-header --no-annotate --quiet $without "$@"
}
compile -o requirements/web.txt
compile --extra train -c requirements/web.txt -o requirements/train.txt
compile --extra train --extra test -c requirements/train.txt -o requirements/test.txt
