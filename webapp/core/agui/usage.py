"""Token usage: do the counts of a run add up?

Rules of this file: arithmetic on `usage` of RUN_FINISHED and RUN_ERROR and the words of its findings.
Source: events/lifecycle#token-usage.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui.values import TokenUsage
from webapp.core.agui.world import World, quoted

COUNTS = (
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "reasoningTokens",
    "cachedInputTokens",
    "cacheWriteInputTokens",
)
_INSIDE = {
    "reasoningTokens": "outputTokens",
    "cachedInputTokens": "inputTokens",
    "cacheWriteInputTokens": "inputTokens",
}


def check_usage(w: World, usage: Any) -> None:
    """USG-01 … USG-06 of each entry, USG-04 among them, USG-08 against earlier runs."""
    if usage is UNSET or not usage:
        return
    seen: set[tuple[Any, Any]] = set()
    for entry in usage:
        _check_entry(w, entry)
        pair = (entry.provider, entry.model)
        if pair in seen and pair != (UNSET, UNSET):
            w.find(
                "AGUI-USG-04",
                f"token usage has two entries {_whose(entry)}",
                "An application that reads one entry for each model misses the others.",
                item=("usage", _name(entry)),
            )
        seen.add(pair)
        if entry.provider is not UNSET:
            w.trace.providers.setdefault(entry.provider.lower(), entry.provider)
    _check_runs(w, usage)


def counts(entry: TokenUsage) -> dict[str, int]:
    """The counts an entry carries, by wire name."""
    return {name: value for name in COUNTS if (value := getattr(entry, name)) is not UNSET}


def _check_entry(w: World, entry: TokenUsage) -> None:
    have = counts(entry)
    about: dict[str, Any] = {"item": ("usage", _name(entry))}
    given, answered, total = have.get("inputTokens"), have.get("outputTokens"), have.get("totalTokens")
    if given is not None and answered is not None and total is not None and total != given + answered:
        w.find(
            "AGUI-USG-01",
            f"`totalTokens` {_for(entry)}is {total}, but {given} in and {answered} out are "
            f"{given + answered}",
            "The total counts input and output once each; cached and reasoning tokens are part of them.",
            **about,
        )
    cached = [have[name] for name in ("cachedInputTokens", "cacheWriteInputTokens") if name in have]
    if given is not None and sum(cached) > given:
        what = " and ".join(
            f"`{n}` {have[n]}" for n in ("cachedInputTokens", "cacheWriteInputTokens") if n in have
        )
        w.find(
            "AGUI-USG-02",
            f"{what} {_for(entry)}exceed{'s' if len(cached) == 1 else ''} `inputTokens` {given}",
            "What is read from or written to a cache is part of the input.",
            **about,
        )
    reasoning = have.get("reasoningTokens")
    if reasoning is not None and answered is not None and reasoning > answered:
        w.find(
            "AGUI-USG-03",
            f"`reasoningTokens` {reasoning} {_for(entry)}exceeds `outputTokens` {answered}",
            "Reasoning is part of the output.",
            **about,
        )
    if have and not any(have.values()):
        w.find(
            "AGUI-USG-05",
            f"all token counts {_for(entry)}are 0",
            "Zero says that nothing was used; a count that is not known is left out.",
            **about,
        )
        return
    lone = sorted({_INSIDE[name] for name in have if name in _INSIDE and _INSIDE[name] not in have})
    if lone:
        alone = [f"`{n}`" for n in have if _INSIDE.get(n) in lone]
        come = f"{' and '.join(alone)} {_for(entry)}come{'s' if len(alone) == 1 else ''}"
        w.find(
            "AGUI-USG-06",
            f"{come} without {' and '.join(f'`{n}`' for n in lone)}",
            "A part says little without the total it is a part of.",
            **about,
        )


def _check_runs(w: World, usage: list[TokenUsage]) -> None:
    """USG-08: a run that asked the model nothing, or to the token as much as the run it continues."""
    run = w.run
    if run is None or run.run_id is None:
        return
    earlier = w.trace.usage.get(w.facts.parent_run or "")
    if earlier is None and w.facts.resumed and w.trace.interrupted is not None:
        earlier = w.trace.usage.get(w.trace.interrupted[1] or "")
    w.trace.usage.setdefault(run.run_id, (w.seq, list(usage)))
    if earlier is None:
        return
    w.trace.usage_compared = True
    at, before = earlier
    silent = not any(w.items[kind] for kind in ("text", "tool", "reasoning"))
    known = {(other.provider, other.model): counts(other) for other in before}
    for entry in usage:
        mine, theirs = counts(entry), known.get((entry.provider, entry.model))
        if theirs is None or not any(theirs.values()) or mine.keys() != theirs.keys():
            continue
        if mine == theirs or (silent and all(mine[name] >= theirs[name] for name in mine)):
            w.find(
                "AGUI-USG-08",
                f"token usage {_for(entry)}seems to count the tokens of #{at} again",
                "It holds everything the run that is continued here has already reported.",
                item=("usage", _name(entry)),
                related=((at, "previous"),),
            )
            return


def _name(entry: TokenUsage) -> str:
    return "/".join(value for value in (entry.provider, entry.model) if isinstance(value, str))


def _for(entry: TokenUsage) -> str:
    name = _name(entry)
    return f"of {quoted(name)} " if name else ""


def _whose(entry: TokenUsage) -> str:
    return f"for {quoted(_name(entry))}"
