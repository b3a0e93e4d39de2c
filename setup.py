"""Give the README links that work on the page of a package index; all else is in pyproject.toml."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
site, version = project["urls"]["Repository"], project["version"]
readme = Path("README.md").read_text(encoding="utf-8")
readme = re.sub(r"(!\[[^]]*\]\()(?!https?:|#)", rf"\1{site}/raw/v{version}/", readme)
readme = re.sub(r"(?<=\]\()(?!https?:|#)", f"{site}/blob/v{version}/", readme)
setup(long_description=readme, long_description_content_type="text/markdown")
