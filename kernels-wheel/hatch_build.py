"""Version, requirements and tag of the wheel: what the kernels were compiled with (see tools/build-kernels)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


def read_manifest(root: str) -> dict[str, Any]:
    """The manifest of the compiled kernels."""
    path = Path(root) / "src" / "dragoman_kernels" / "compiled" / "manifest.json"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run tools/build-kernels, or `make kernels`")
    manifest: dict[str, Any] = json.loads(path.read_bytes())
    return manifest


class KernelMetadata(MetadataHookInterface):
    """The wheel has the version of dragoman, and requires exactly what its kernels were compiled with."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in what pyproject.toml leaves open."""
        about = read_manifest(self.root)
        made_with = {"dragoman": about["dragoman"]} | {
            name: about["environment"][name] for name in ("numba", "llvmlite")
        }
        metadata["version"] = about["dragoman"]
        metadata["dependencies"] = [f"{name}=={version}" for name, version in made_with.items()]


class KernelTag(BuildHookInterface[Any]):
    """The wheel is for one version of Python, and for systems on which the same Numba runs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (the interface)
        """Set the tag."""
        about = read_manifest(self.root)
        python = about["environment"]["python"].removeprefix("cpython ").replace(".", "")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{python}-none-{'.'.join(about['platforms'])}"
