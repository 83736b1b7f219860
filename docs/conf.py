"""How Sphinx builds these pages; warnings are errors (see the Makefile), and nothing is fetched."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import command_tables
import description_tables
import equation_tables
import tables

import biela

project = "biela"
copyright = "the biela developers"  # noqa: A001 - Sphinx's name
version = release = biela.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "substitution"]
myst_heading_anchors = 3
myst_substitutions = {
    "accuracy": tables.accuracy(),
    "description_fields": description_tables.fields(),
    "description_functions": description_tables.functions(),
    "description_modules": tables.modules("description"),
    "cli_modules": tables.modules("cli"),
    "command_reference": command_tables.reference(),
    "commands": command_tables.commands(),
    "compile_modules": tables.modules("compile"),
    "equation_formalisms": equation_tables.formalisms(),
    "equation_joint": equation_tables.joint(),
    "equation_rules": equation_tables.rules(),
    "equation_sizes": equation_tables.sizes(),
    "expr_modules": tables.modules("expr"),
    "filters": tables.filters(),
    "formalisms": tables.formalisms(),
    "formulations": tables.formulations(),
    "functions": tables.functions(),
    "gallery": tables.gallery(),
    "integrators": tables.integrators(),
    "joints": tables.joints(),
    "mechanics_modules": tables.modules("mechanics"),
    "mechanism_sources": tables.mechanism_sources(),
    "mechanisms": tables.mechanisms(),
    "observe_modules": tables.modules("observe"),
    "operations": tables.operations(),
    "resamplers": tables.resamplers(),
    "sensors": tables.sensors(),
    "simulate_modules": tables.modules("simulate"),
    "targets": tables.targets(),
    "units": command_tables.units(),
}

default_role = "py:obj"  # what docstrings put between backticks
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"biela {release}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["biela.css"]
html_copy_source = False
