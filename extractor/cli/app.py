"""The commands by name, the default one, and what every ending of a run looks like."""

from __future__ import annotations

import importlib
import keyword
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from extractor.errors import ExtractFixtureError
from extractor.version import __version__

from .completing import PROGRAM, SHELLS, VARIABLE, answer, script
from .console import visible
from .near import Group, meant, refuse_mistyped

DEFAULT = "extract"
COMMANDS = {
    "extract": "Turn one trace into a proved case (the default command).",
    "inspect": "Say which traces an export holds.",
    "index": "Index exports, so that a trace in them is found at once.",
    "show": "Show a case on one screen, its proofs, the timing of its attempts, or the reasons of one span.",
    "validate": "Check that cases are whole and fit their schema.",
    "annotate": "Say what went wrong and what must hold, in a quarantined case.",
    "review": "Review cases: read them in a browser, settle what is open, say what must hold.",
    "controls": "Make neighbouring cases beside a quarantined one, so that a fix which overshoots is caught.",
    "recapture": "Make the next version of a case from a trace of the fixed code.",
    "minimise": "Take from a red case all that a command does not need to stay red.",
    "replay": "Replay cases with one implementation, without network, clock or live tool, and write a manifest each.",
    "check": "Hold the project's checks to recorded runs: which check must reject which run, for which property.",
    "compare": "Compare the results of two replays: red on the old code, green on the new.",
    "mutate": "Corrupt passing runs by one change each, and see which checks notice.",
    "audit": "Say of each assertion how often it judged and rejected; first those that never have.",
    "approve": "Approve a case in one role.",
    "reject": "Reject a case: it leaves quarantine, and what was said of it stays with it.",
    "retire": "Retire an approved case, with a reason and, where one takes its place, a successor.",
    "register": "List every case with its state, its people and its dates.",
    "purge": "Remove expired cases from quarantine and from the rejected ones, and expired captures of approved cases.",
    "export": "Write what continuous integration needs of the approved cases, or one case in another tool's format.",
    "bulk": "Turn many traces into proved cases, in quarantine.",
    "import": "Turn another tool's recording into a proved case, in quarantine.",
    "retain": "Keep the raw traces of possible incidents before the backend forgets them.",
    "redact": "Redact any JSON, JSON lines or text.",
    "rules": "Show, test and explain the rules of redaction.",
    "doctor": "Say whether everything is there that an extraction needs, and what to do where it is not.",
    "key": "Make, name and check the workspace key; make a key to sign with.",
}
"""Names and one-line helps, so that ``--help`` loads no command; a test holds them to the commands' own."""

# \b keeps a paragraph's lines as they are.
_HELP = """Turn the trace of an agent incident into a small, safe, replayable regression case.

\b
extract-fixture --trace-id ID SOURCE…   is short for
extract-fixture extract --trace-id ID SOURCE…

\b
Exit status:
0  done
1  a judged failure: validation, a refused approval, a case that would be overwritten or has vanished
2  usage, project settings, keys, rules
3  trace not found
4  evidence missing: the case cannot be replayed
5  a proof or redaction failed, nothing was written
6  input unreadable
7  approval or provenance invalid
10 to 15  what a comparison came to: compare --help
"""

INTERNAL = 70
INTERRUPTED = 130
BROKEN_PIPE = 141
_OURS = Path(__file__).parent.parent


def module_of(name: str) -> str:
    """Return the module of a command; Python keeps some names for itself."""
    return f"extractor.cli.{name}_" if keyword.iskeyword(name) else f"extractor.cli.{name}"


class Commands(Group):
    """A group that loads a command's module when it is called, and takes any other first word for ``extract``'s."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the line."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loading its module; None when there is none of that name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(module_of(cmd_name)).command
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        own = {"--help", "-h", "--version", "--completion", *COMMANDS}
        if not args or args[0] in own or args[0].startswith("--completion="):
            return super().parse_args(ctx, args)
        if not args[0].startswith("-") and not ctx.resilient_parsing:
            refuse_mistyped(args[0], COMMANDS)
        return super().parse_args(ctx, [DEFAULT, *args])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return commands without loading them; the default one's options and files stand beside them."""
        if incomplete.startswith("-"):
            own = click.Command.shell_complete(self, ctx, incomplete)
            default = self.get_command(ctx, DEFAULT)
            known = {item.value for item in own}
            theirs = default.shell_complete(click.Context(default, parent=ctx), incomplete) if default else []
            return [*own, *(item for item in theirs if item.value not in known)]
        return [  # what the shell adds stands first: bash's script forgets what came before it
            CompletionItem(incomplete, type="file"),
            *(CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)),
        ]


def _print_script(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    del param
    if value is not None and not ctx.resilient_parsing:
        sys.stdout.write(script(app, value))
        ctx.exit(0)


@click.group(
    cls=Commands, help=_HELP, context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name=PROGRAM)
@click.option(
    "--completion",
    type=click.Choice(SHELLS),
    is_eager=True,
    expose_value=False,
    callback=_print_script,
    help='Print what makes a shell complete this command line: eval "$(extract-fixture --completion bash)".',
)
def app() -> None:
    """Run a command; without the name of one, `extract`."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return the exit status; whatever goes wrong is told without quoting any input."""
    logging.disable(logging.CRITICAL)  # libraries log what they choke on
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    if instruction := os.environ.get(VARIABLE):
        return answer(app, instruction)
    try:
        status = _ended(arguments)
        sys.stdout.flush()  # here, where a reader that has gone can still be met in silence
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter's last flush must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return status


def _ended(arguments: Sequence[str]) -> int:
    try:
        # Not app.main, which ends a broken pipe with the status of a judged failure.
        with app.make_context(PROGRAM, list(arguments)) as context:
            app.invoke(context)
    except ExtractFixtureError as error:
        return _told(error.message, error.hint, error.exit_status)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        return _told(_usage(error), _help_hint(error), 2)
    except (click.Abort, KeyboardInterrupt):
        return _told("interrupted", None, INTERRUPTED)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  # the last line of defence: a library's message may quote an original
        return _told(f"{type(error).__name__} in {_place(error)}; this is a fault of extract-fixture", None, INTERNAL)
    return 0


def _told(message: str, hint: str | None, status: int) -> int:
    sys.stderr.write(f"error: {visible(message)}\n")
    if hint:
        sys.stderr.write(f"hint:  {visible(hint)}\n")
    return status


def _usage(error: click.ClickException) -> str:
    """Return what is wrong with the command line, naming options but never the values given."""
    if isinstance(error, click.NoSuchOption):
        name = error.option_name
        return f"no such option: {name}" if name.lstrip("-").replace("-", "").isalpha() else "no such option"
    if isinstance(error, click.MissingParameter):
        return f"missing: {_parameter(error)}"
    if isinstance(error, click.BadParameter):
        return f"{_parameter(error)}: this value is not accepted{_wanted(error)}"
    if isinstance(error, click.BadOptionUsage):
        return f"option {error.option_name} is not used rightly: a value is missing, or one too many"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return "a command, or --trace-id ID SOURCE…, is needed"
    return "the arguments are not understood"


def _parameter(error: click.BadParameter) -> str:
    if error.param is None:
        return "a parameter"
    return error.param.opts[0] if isinstance(error.param, click.Option) else error.param.make_metavar(_context(error))


def _wanted(error: click.BadParameter) -> str:
    """Return what a parameter takes, where its type says so, with the mark before it."""
    match error.param.type if error.param else None:
        case click.Choice(choices=choices):
            return f"; it is one of {', '.join(map(str, choices))}"
        case click.IntRange(min=least, max=most) if least is not None:
            return f"; it is a number from {least}{f' to {most}' if most is not None else ''}"
        case click.Path(exists=True, file_okay=files, dir_okay=folders):
            return f"; it names a {' or '.join(('file',) * files + ('folder',) * folders)} that is there"
        case _:
            return ""


def _context(error: click.UsageError) -> click.Context:
    return error.ctx or click.Context(app)


def _help_hint(error: click.ClickException) -> str:
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else PROGRAM
    if isinstance(error, click.NoSuchOption) and (near := meant(error.option_name, error.possibilities or ())):
        return f"{near} {path} --help"
    return f"{path} --help"


def _place(error: BaseException) -> str:
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_OURS)
    ]
    if not frames:
        return "a library"
    return f"{Path(frames[-1].filename).relative_to(_OURS).as_posix()}:{frames[-1].lineno}"
