"""Sizes that keep the modules readable, docstrings apart; import layers are checked by import-linter."""

import ast
from pathlib import Path

import pytest

MODULES = sorted((Path(__file__).parent.parent / "solver").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_and_functions_stay_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    # All kernels stand in one module: a cached one is compiled anew when its own file changes, not when another does.
    assert len(text.splitlines()) <= (1100 if path.name == "kernels.py" else 600)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and path.name != "kernels.py":
            said = len((ast.get_docstring(node, clean=False) or "").splitlines())
            assert node.end_lineno is not None and node.end_lineno - node.lineno - said < 50, node.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
