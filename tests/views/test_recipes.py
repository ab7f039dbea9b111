"""The recipes: complete, and true as far as it can be tried."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

from ag_ui.core import RunErrorEvent, RunFinishedEvent, RunStartedEvent

from webapp.readers.read import read
from webapp.views.recipes import BY_ANCHOR, GROUPS, RECIPES, page


def test_every_recipe_is_whole():
    """Steps, what it gives, what it lacks; each in one of the groups."""
    for recipe in RECIPES:
        assert recipe.steps
        assert recipe.gives
        assert recipe.missing
        assert recipe.href == f"/capture#{recipe.anchor}"
    assert [r for group in page() for r in group.recipes] == sorted(
        RECIPES, key=lambda recipe: [name for name, _ in GROUPS].index(recipe.group)
    )


def test_the_lines_for_python_run_and_give_a_recording(tmp_path: Path):
    """What a reader copies writes a stream that is read with all its events."""
    code = BY_ANCHOR["python"].code
    ast.parse(code)
    names: dict[str, object] = {}
    exec(code, names)
    target = tmp_path / "run.sse"

    async def events():
        yield RunStartedEvent(thread_id="t", run_id="r")
        yield RunErrorEvent(message="é")
        yield RunFinishedEvent(thread_id="t", run_id="r")

    async def serve():
        return [frame async for frame in names["recorded"](events(), target)]  # type: ignore[operator]

    assert len(asyncio.run(serve())) == 3
    found, records, _ = read([target.read_bytes()])
    assert found.form == "sse"
    assert len(list(records)) == 3
