"""The catalogue in the browser: the list, a rule, a rule that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from webapp.core.rules.model import Rule, catalogue, families, rules_of
from webapp.core.teams.answers import ANSWERS
from webapp.settings import load_settings
from webapp.web import rules
from webapp.web.deps import make_templates
from webapp.web.errors import add_error_handlers
from webapp.web.static import Assets

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    app.state.settings = load_settings()
    app.state.templates = make_templates(ROOT / "templates", Assets(ROOT / "static"))
    app.include_router(rules.router)
    add_error_handlers(app)
    return TestClient(app)


def test_the_list_has_every_rule_once_in_order(client: TestClient) -> None:
    """`/rules` lists all rules, family by family, each as a link."""
    html = client.get("/rules").text
    assert re.findall(r'<a href="/rules/([A-Z0-9-]+)">', html) == list(catalogue())


def test_the_list_is_light(client: TestClient) -> None:
    """Well under the limit of elements a page may have, so that there is room for further rules."""
    elements = len(re.findall(r"<[a-z]", client.get("/rules").text))
    assert elements < 2_150


def test_each_family_has_an_anchor_that_is_linked(client: TestClient) -> None:
    """The families can be jumped to from the top of the list and from each rule."""
    html = client.get("/rules").text
    for family in families():
        assert f'<section id="{family.code.lower()}"' in html
        assert f'href="#{family.code.lower()}"' in html


def test_the_protocols_are_clearly_apart(client: TestClient) -> None:
    """AG-UI's rules come first, then those of Teams, each under a heading that the contents lead to."""
    html = client.get("/rules").text
    ag_ui, teams = html.index('<section class="rules-part" id="ag-ui"'), html.index('id="microsoft-teams"')
    assert 'href="#ag-ui"' in html
    assert 'href="#microsoft-teams"' in html
    assert ag_ui < html.index('href="/rules/AGUI-HAZ-11"') < teams < html.index('href="/rules/TEAMS-001"')
    assert 'Shape of a request <span class="id">001–010</span>' in html
    assert 'href="/rules/answers"' in html


def test_a_severity_has_its_shape_and_its_word(client: TestClient) -> None:
    """Colour is never the only sign of a severity."""
    html = client.get("/rules").text
    row = html[html.index('href="/rules/AGUI-TXT-07"') :].split("</a>")[0]
    assert '#i-error"' in row
    assert "Error" in row


@pytest.mark.parametrize("rule", list(catalogue().values()), ids=lambda rule: rule.id)
def test_a_rule_has_its_page(client: TestClient, rule: Rule) -> None:
    """Every rule's page answers, with its neighbours, the specification if it is there, and nothing forbidden."""
    answer = client.get(f"/rules/{rule.id}")
    assert answer.status_code == 200
    assert (f'href="{rule.spec_url}" rel="noopener noreferrer"' in answer.text) == bool(rule.spec)
    heading = "Read more" if rule.protocol == "teams" else "Specification"
    assert (f"<dt>{heading}</dt>" in answer.text) == bool(rule.spec)
    assert ("<dt>Since version</dt>" in answer.text) == bool(rule.since)
    assert not re.search(r"\sstyle=|<style|<script>|\son[a-z]+=|hx-on", answer.text)
    order = list(catalogue())
    at = order.index(rule.id)
    near = [order[at - 1]] if at else []
    near += order[at + 1 : at + 2]
    assert re.findall(r'href="/rules/([A-Z0-9-]+)" rel="(?:prev|next)"', answer.text) == near


def test_a_rule_says_all_a_reader_needs(client: TestClient) -> None:
    """The page explains the rule, names cause and fix, shows a stream, and says what a trace looks like."""
    html = client.get("/rules/AGUI-TXT-02").text
    for heading in ("Usual cause", "What to change", "A stream that breaks it", "How a trace shows it"):
        assert f"<h2>{heading}</h2>" in html
    assert "Agent’s side" in html
    assert "The specification says so." in html
    assert '<code class="ty"><i>TEXT_MESSAGE_</i>START</code>' in html
    assert 'href="/?q=AGUI-TXT-02"' in html
    assert "<title>AGUI-TXT-02: Text arrives only for a message that is open · Lanescope</title>" in html


@pytest.mark.parametrize(
    ("rule_id", "words"),
    [
        ("AGUI-TXT-02", "the trace counts as rejected from there"),
        ("AGUI-RUN-07", "the trace counts as nonconformant"),
        ("AGUI-ENV-01", "Nothing stops"),
        ("AGUI-ENV-11", "It never changes the verdict"),
        ("AGUI-CHK-11", "a hint on the finding it explains"),
        ("AGUI-MSG-01", "a note on the item"),
        ("AGUI-SUB-14", "It is never reported"),
        ("AGUI-HAZ-02", "A stream in which it happens"),
        ("AGUI-TRN-10", "the run’s outcome is “truncated”"),
        ("TEAMS-047", "the trace counts as rejected from there"),
        ("TEAMS-055", "It never changes the verdict"),
    ],
)
def test_a_rule_says_how_a_trace_shows_it(client: TestClient, rule_id: str, words: str) -> None:
    """The page tells what to look for, by severity and by the way the rule is shown."""
    assert words in client.get(f"/rules/{rule_id}").text


def test_a_teams_rule_says_all_a_reader_needs(client: TestClient) -> None:
    """The page of a Teams rule says where the rule comes from, and leads to what Teams answers."""
    html = client.get("/rules/TEAMS-020").text
    for heading in ("Usual cause", "What to change", "What Teams may answer", "A recording that breaks it"):
        assert f"<h2>{heading}</h2>" in html
    assert "Microsoft Teams streaming</span>" in html
    assert "Microsoft’s documentation says so." in html
    assert "Where Teams refused it for good" in html
    assert 'href="/rules/answers#E403-PREFIX"' in html
    assert "<dt>Since version</dt>" not in html


def test_a_teams_example_is_shown_call_by_call(client: TestClient) -> None:
    """Each call has its time, its activity and the answer; a refusal is marked; the lines can be copied."""
    html = client.get("/rules/TEAMS-020").text
    shown = html[html.index('<ol class="calls">') : html.index("</ol>")]
    assert "+1.6 s" in shown
    assert "POST …/a:chat-1/activities" in shown
    assert "403 {&#34;error&#34;" in shown
    assert (shown.count('"answer"'), shown.count('"answer error"')) == (1, 1)
    assert "{&#34;at&#34;:1.6," in html


def test_a_long_text_of_an_example_is_shortened_and_says_so(client: TestClient) -> None:
    """A text over the limit is not shown whole twice: the call has its beginning and its length."""
    assert re.search(r"page after page, [^(]*… \(1,\d{3} characters\)", client.get("/rules/TEAMS-021").text)


def test_a_call_without_an_answer_says_so(client: TestClient) -> None:
    """A lost answer is told apart from an empty one."""
    assert '<span class="mono">no answer</span>' in client.get("/rules/TEAMS-015").text


def test_a_retired_rule_blames_nobody(client: TestClient) -> None:
    """Where nothing is wrong the page names no side."""
    html = client.get("/rules/TEAMS-057").text
    assert "It is never reported" in html
    assert "A recording in which it happens" in html
    assert "Whose side" not in html


def test_the_answers_of_teams_are_a_page(client: TestClient) -> None:
    """Every answer has its anchor, its status, code and message, what it means, and its rules."""
    html = client.get("/rules/answers").text
    assert re.findall(r'<li id="(E[^"]+)">', html) == [row.key for row in ANSWERS]
    row = html[html.index('<li id="E403-STOP">') : html.index('<li id="E403-PREFIX">')]
    assert "<code>ContentStreamNotAllowed</code> <q>Content stream was canceled by user</q>" in row
    assert 'href="/rules/TEAMS-044"' in row
    assert not re.search(r"\sstyle=|<style|<script>|\son[a-z]+=|hx-on", html)


def test_an_answer_and_its_rules_lead_to_each_other(client: TestClient) -> None:
    """A rule's page lists exactly the answers whose rows name it."""
    for rule in rules_of("teams"):
        html = client.get(f"/rules/{rule.id}").text
        told = re.findall(r'href="/rules/answers#([^"]+)"', html)
        assert told == [row.key for row in ANSWERS if rule.id in row.rules]


def test_only_a_rule_with_findings_leads_to_traces(client: TestClient) -> None:
    """Hints, notes and tolerated rows have no traces to list."""
    assert "Traces with this finding" in client.get("/rules/AGUI-CHK-01").text
    for rule_id in ("AGUI-CHK-11", "AGUI-MSG-01", "AGUI-TRN-06"):
        assert "Traces with this finding" not in client.get(f"/rules/{rule_id}").text


def test_an_example_is_shown_as_text(client: TestClient) -> None:
    """Angle brackets of an example are escaped, and line ends nobody could see are pictured."""
    assert "caf&lt;E9&gt;" in client.get("/rules/AGUI-TRN-17").text
    assert "␍\n" in client.get("/rules/AGUI-TRN-01").text


@pytest.mark.parametrize("rule_id", ["AGUI-TXT-99", "agui-txt-02", "x", "%3Cscript%3E"])
def test_an_unknown_rule_is_not_found(client: TestClient, rule_id: str) -> None:
    """A rule that does not exist gives the usual page, with the way to the list."""
    answer = client.get(f"/rules/{rule_id}")
    assert answer.status_code == 404
    assert "There is no rule under this id" in answer.text
    assert 'href="/rules"' in answer.text
    assert "<script>" not in answer.text
