"""Opens JupyterLab on the start page: `python -m utils.learner.lab`, with any option of `jupyter lab`."""

import sys
from pathlib import Path

import zmq
from jupyter_client.manager import KernelManager
from jupyterlab.labapp import main

from utils.course import ROOT
from utils.learner.lab import ADDRESS


def options() -> list[str]:
    """What JupyterLab is told: where to begin, and the settings of overrides.json, which turn a question off."""
    # kernels warn of a channel without encryption; where it can be had, they get it
    knows_encryption = "transport_encryption" in KernelManager.class_trait_names()
    can_encrypt = knows_encryption and zmq.has("curve")
    encryption = ["--KernelManager.transport_encryption=auto"] if can_encrypt else []
    return [
        f"--ServerApp.root_dir={ROOT}",
        f"--ServerApp.jpserver_extensions={__package__}=True",
        f"--LabApp.default_url={ADDRESS}",
        f"--LabApp.app_settings_dir={Path(__file__).parent}",
        *encryption,
    ]


if __name__ == "__main__":
    main([*options(), *sys.argv[1:]])
