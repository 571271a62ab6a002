"""The one exception a user sees as one line: what is wrong, where, and what to do."""

from __future__ import annotations


class HnnError(Exception):
    """A problem the user can act on; the command line prints it without a traceback and exits with 1."""


class LastingError(HnnError):
    """Another try would end the same."""


class UsageError(HnnError):
    """The command or the configuration is wrong; exit code 2."""
