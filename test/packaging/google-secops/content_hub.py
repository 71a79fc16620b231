"""Runs what works without a network of the tool `mp` of chronicle/content-hub on an integration, and prints it as JSON.

Arguments: the folder of a checkout, the folder of the integration.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tomllib
import xml.etree.ElementTree
from unittest.mock import MagicMock

checkout, integration = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(checkout / "packages" / "mp" / "src"))

# For the terminal, uploads and Google's models: nothing of what runs here.
UNUSED = ("typer", "rich", "platformdirs", "PIL", "requests", "packaging", "jinja2", "deepdiff", "questionary", "anyio")
UNUSED += ("tenacity", "google", "toon_format", "ruamel")


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules above that are not installed."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in UNUSED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name, UnidentifiedImageError=ValueError)
        module.__path__ = []
        module.user_config_dir.return_value = str(integration.parent)  # The tool writes its settings there.
        module.Image.open.return_value.__enter__.return_value.format = "PNG"
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(StandIns())
if importlib.util.find_spec("toml") is None:
    sys.modules["toml"] = MagicMock(loads=tomllib.loads, load=lambda file: tomllib.loads(file.read()))
if importlib.util.find_spec("defusedxml") is None:
    sys.modules["defusedxml"] = MagicMock(ElementTree=xml.etree.ElementTree)
    sys.modules["defusedxml.ElementTree"] = xml.etree.ElementTree

from mp.core.code_manipulation import restructure_script_imports  # noqa: E402
from mp.core.data_models.integrations.integration import Integration  # noqa: E402
from mp.validate.validations.integrations.collection import get_integration_validations  # noqa: E402


def refusal(validation):
    """What a validation says against the integration; None when it passes."""
    try:
        validation.run(integration)
    except Exception as error:  # The one of the lock file starts a program that may be missing.
        return f"{error}"
    return None


built = Integration.from_non_built_path(integration).to_built()
scripts = {
    file.relative_to(integration).as_posix(): restructure_script_imports(file.read_text(encoding="utf-8"))
    for folder in ("actions", "connectors", "jobs", "core")
    for file in sorted((integration / folder).glob("*.py"))
}
validations = {validation.name: refusal(validation) for validation in get_integration_validations()}
print(json.dumps({"built": built, "scripts": scripts, "validations": validations}, default=str))
