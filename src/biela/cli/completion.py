"""Scripts by which shells complete command lines, written from the parser and the registries.

A script is all there is: completing starts no Python. It is written again when the library is updated.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from biela.cli.listing import KINDS

VALUES = {  # what options and arguments are completed from; other values are files
    "mechanism": ("mechanisms",),
    "formulation": ("formulations",),
    "integrator": ("integrators",),
    "filter": ("filters", "particle-filters"),
    "resampling": ("resamplers",),
    "function": ("functions",),
    "target": ("targets",),
    "kind": (),
    "rig": ("platforms",),
    "drive": ("drives",),
    "washout": ("washouts",),
    "game": ("games",),
    "players": ("strategies",),
    "opponent": ("strategies",),
    "robots": ("robots",),
    "engine": ("engines",),
}
FIRST = ("mechanism", "kind", "rig", "drive", "game", "players")  # arguments without an option before them


def parsers(parser: ArgumentParser, path: str = "") -> Iterator[tuple[str, ArgumentParser]]:
    """Every command by its path, '' for the program itself, with its parser."""
    yield path, parser
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        choices: Any = action.choices
        if isinstance(choices, dict):
            for name, inner in choices.items():  # pyright: ignore[reportUnknownVariableType]
                yield from parsers(inner, f"{path} {name}".strip())  # pyright: ignore[reportUnknownArgumentType]


def script(parser: ArgumentParser, shell: str) -> str:
    """The script for a shell, bash or zsh."""
    words: list[str] = []
    wanted: set[str] = set()
    for path, one in parsers(parser):
        offered = [o for a in one._actions for o in _offered(a)]  # pyright: ignore[reportPrivateUsage]
        names = {a.dest for a in one._actions} & set(VALUES)  # pyright: ignore[reportPrivateUsage]
        wanted |= names
        # beside its own words a command takes what its first argument is completed from
        after = " ".join(f"$biela_{name}" for name in FIRST if name in names)
        words.append(f'    "{path}") words="{" ".join(offered)} {after}" ;;'.replace(' "', '"'))
    lists = [f'biela_{name}="{" ".join(_names(name))}"' for name in sorted(wanted)]
    options = [f"    --{name}) words=$biela_{name} ;;" for name in sorted(wanted - set(FIRST))]
    return TEMPLATES[shell].format(lists="\n".join(lists), words="\n".join(words), options="\n".join(options))


def _offered(action: Any) -> list[str]:
    """The words that an action adds: its long options, or the names of commands and choices."""
    if action.option_strings:
        return [word for word in action.option_strings if word.startswith("--")]
    return list(map(str, action.choices or []))


def _names(dest: str) -> list[str]:
    return [name for kind in VALUES[dest] for name, _ in KINDS[kind]()] or list(KINDS)


_SHARED = """\
{lists}

_biela_words() {{  # the words that may follow: $1 the word before, $2 the commands so far
  local words=""
  case "$1" in
{options}
  esac
  if [ -n "$words" ]; then echo "$words"; return; fi
  case "$2" in
{words}
  esac
  echo "$words"
}}
"""

TEMPLATES = {
    "bash": "# bash completion of biela; load it by: source <(biela completion bash)\n"
    + _SHARED
    + """
_biela() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" path="" k
  for ((k = 1; k < COMP_CWORD; k++)); do
    case "${{COMP_WORDS[k]}}" in -*) break ;; esac
    path="${{path:+$path }}${{COMP_WORDS[k]}}"
  done
  while [ -n "$path" ] && [ -z "$(_biela_words "" "$path" | tr -d ' ')" ]; do
    case "$path" in *" "*) path="${{path% *}}" ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$(_biela_words "$before" "$path")" -- "$word"))
}}
complete -o default -F _biela biela
""",
    "zsh": "#compdef biela\n# zsh completion of biela; put it on your fpath as _biela\n"
    + _SHARED
    + """
_biela() {{
  local word path="" k
  for ((k = 2; k < CURRENT; k++)); do
    case "${{words[k]}}" in -*) break ;; esac
    path="${{path:+$path }}${{words[k]}}"
  done
  while [ -n "$path" ] && [ -z "$(_biela_words "" "$path" | tr -d ' ')" ]; do
    case "$path" in *" "*) path="${{path% *}}" ;; *) path="" ;; esac
  done
  compadd -- $(_biela_words "${{words[CURRENT-1]}}" "$path" | tr ' ' '\\n')
  [[ "${{words[CURRENT]}}" == -* ]] || _files
}}
compdef _biela biela
""",
}
