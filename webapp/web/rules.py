"""The catalogue's pages: all rules, what Teams answers, and one rule.

Rules of this file: handlers that parse, call and render. The words are in `core/rules` and `views.rules`.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from webapp.errors import NotFound
from webapp.views import rules as views
from webapp.views.rules_answers import answers
from webapp.web.deps import render

router = APIRouter(include_in_schema=False)


@router.get("/rules")
def all_rules(request: Request) -> Response:
    return render(request, "pages/rules.html", page=views.rules_page())


@router.get("/rules/answers")
def what_teams_answers(request: Request) -> Response:
    return render(request, "pages/rules_answers.html", answers=answers())


@router.get("/rules/{rule_id}")
def one_rule(request: Request, rule_id: str) -> Response:
    page = views.rule_page(rule_id)
    if page is None:
        raise NotFound("There is no rule under this id; the list of rules has them all.")
    return render(request, "pages/rule.html", rule=page)
