"""Moving through a trace: from a finding to its event and back, by keys, by links, without a script."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import Server, file
from tests.e2e.conftest import NewContext


def chosen(page: Page, event: int) -> None:
    """Event `event` is chosen in the view, the inspector and the box of the scrubber."""
    expect(page.locator("#view")).to_have_attribute("data-event", str(event))
    expect(page.locator("#inspector .who")).to_contain_text(f"#{event}")
    expect(page.locator("#goto-box")).to_have_value(str(event))


def in_sight(page: Page, event: int) -> None:
    """Its row is the selected one, and the reader sees it without scrolling."""
    row = page.locator(f"#e{event}")
    expect(row).to_have_attribute("aria-selected", "true")
    expect(row).to_be_in_viewport(ratio=0.9)


def test_the_page_opens_at_the_first_cause(page: Page, chunked: str) -> None:
    """Nothing to search for: the refused event is chosen and in sight, and what followed is faded."""
    page.goto(chunked)
    chosen(page, 352)
    in_sight(page, 352)
    expect(page.locator("#stop")).to_contain_text("A client stops here")


def test_from_the_banner_to_an_event_and_back(page: Page, chunked: str) -> None:
    """A number in the sentence leads to its row; Back returns, Forward goes again; the URL alone lands there."""
    page.goto(chunked)
    page.locator("#banner").get_by_role("link", name="#21").first.click()
    chosen(page, 21)
    in_sight(page, 21)
    there = page.url
    page.go_back()
    chosen(page, 352)
    in_sight(page, 352)
    page.go_forward()
    chosen(page, 21)
    in_sight(page, 21)
    tab = page.context.new_page()
    tab.goto(there)
    chosen(tab, 21)
    in_sight(tab, 21)


def test_from_the_list_of_findings_to_an_event_and_back(page: Page, parallel: str) -> None:
    """Findings leads to the event, selected and in sight; Back returns to the finding."""
    page.goto(parallel)
    page.locator("#tabs").get_by_role("link", name="Findings").click()
    listed = page.locator("#panel-findings")
    expect(listed).to_contain_text("AGUI-TOL-02")
    listed.get_by_role("link", name="Look at it in Events").first.click()
    chosen(page, 12)
    in_sight(page, 12)
    there = page.url
    page.go_back()
    expect(page.locator("#panel-findings")).to_contain_text("AGUI-TOL-02")
    page.go_forward()
    in_sight(page, 12)
    tab = page.context.new_page()
    tab.goto(there)
    in_sight(tab, 12)


def test_the_inspector_leads_to_what_a_finding_is_about(page: Page, parallel: str) -> None:
    """The card of the refused event names where the call was opened; its number is a link."""
    page.goto(parallel)
    card = page.locator("#inspector .card")
    expect(card).to_contain_text("AGUI-TOL-02")
    card.get_by_role("link", name="#6").first.click()
    chosen(page, 6)


def test_keys_move_through_events_findings_and_panels(page: Page, parallel: str) -> None:
    """j k n p g / ? and the numbers of the panels."""
    page.goto(f"{parallel}?event=4")
    chosen(page, 4)
    for key, event in (("j", 5), ("k", 4), ("n", 6), ("n", 9), ("p", 6)):
        page.keyboard.press(key)
        chosen(page, event)
    page.keyboard.press("g")
    expect(page.locator("#goto-box")).to_be_focused()
    page.keyboard.type("39")
    page.keyboard.press("Enter")
    chosen(page, 39)
    in_sight(page, 39)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("#filter-box")).to_be_focused()
    page.keyboard.type("type:result")
    page.keyboard.press("Enter")
    expect(page.locator("#rows tbody tr")).to_have_count(3)
    expect(page.locator(".tools .count")).to_contain_text("37 not shown")


def test_a_long_number_is_shown_whole(page: Page, parallel: str) -> None:
    """A box that cuts #100000 to #10000 names another event."""
    for size in ({"width": 1280, "height": 900}, {"width": 390, "height": 844}):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.goto(parallel)
        for number in ("7", "100000", "123456789"):
            page.fill("#goto-box", number)
            assert page.evaluate(
                "((box) => box.scrollWidth <= box.clientWidth)(document.getElementById('goto-box'))"
            )


def test_number_keys_choose_the_panels_in_the_order_of_the_tabs(page: Page, parallel: str) -> None:
    """1 to 6 and on; the tab says which one is shown, the URL too, and the chosen event stays."""
    page.goto(f"{parallel}?event=8")
    labels = page.locator("#tabs a").evaluate_all("tabs => tabs.map(tab => tab.textContent.split(' ')[0])")
    assert {"Events", "Sequence", "Timeline", "Conversation", "Findings", "Source"} <= set(labels)
    for key, label in [*enumerate(labels[1:], 2), (1, labels[0])]:
        name = label.lower()
        page.keyboard.press(str(key))
        expect(page.locator("#view")).to_have_attribute("data-panel", name)
        expect(page.locator("#tabs [aria-current=page]")).to_contain_text(name.capitalize())
        chosen(page, 8)
        assert (f"panel={name}" in page.url) is (name != "events")


def test_keys_typed_into_a_field_stay_there(page: Page, parallel: str) -> None:
    """A letter in the filter is text, not a command."""
    page.goto(f"{parallel}?event=4")
    page.focus("#filter-box")
    page.keyboard.type("jkn?")
    expect(page.locator("#filter-box")).to_have_value("jkn?")
    chosen(page, 4)
    expect(page.locator("#keys")).to_be_hidden()


def test_the_keyboard_goes_on_where_it_was(page: Page, parallel: str) -> None:
    """After a swap the focus is on the followed row or link, never lost; and it is seen."""
    page.goto(f"{parallel}?event=4")
    page.locator("#e5 .seq a").focus()
    page.keyboard.press("Enter")
    chosen(page, 5)
    focused = page.locator("#e5 .seq a")
    expect(focused).to_be_focused()
    assert focused.evaluate("link => getComputedStyle(link).outlineStyle") != "none"
    page.locator("#tabs a").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view")).to_have_attribute("data-panel", "sequence")
    expect(page.locator("#tabs a").nth(1)).to_be_focused()


def test_a_link_behind_a_filter_clears_it_and_says_so(page: Page, parallel: str) -> None:
    """The target is shown, and one click puts the filter back."""
    page.goto(f"{parallel}?q=type:result")
    page.locator("#banner").get_by_role("link", name="#6").first.click()
    chosen(page, 6)
    in_sight(page, 6)
    expect(page.locator(".note")).to_contain_text("hid #6")
    page.get_by_role("link", name="Put it back").click()
    expect(page.locator("#rows tbody tr")).to_have_count(3)


def test_an_event_that_is_not_there_gives_the_nearest(page: Page, parallel: str) -> None:
    """A link from elsewhere never leads to a dead end."""
    page.goto(f"{parallel}?event=4000")
    chosen(page, 39)
    expect(page.locator(".note")).to_contain_text("no event #4000")


def test_everything_works_without_a_script(new_context: NewContext, server: Server) -> None:
    """Upload by form, then panels, events, the filter and the number, each by its own link or form."""
    page = new_context(java_script_enabled=False).new_page()
    page.goto(server.url)
    body = b": no script\n\n" + (b'data: {"type":"CUSTOM","name":"n","value":1}\n\n' * 3)
    page.set_input_files("input[type=file]", file("plain.sse", body))  # type: ignore[arg-type]
    page.get_by_role("button", name="Open it").click()
    expect(page.locator("#banner .verdict")).to_have_text("Rejected")
    page.locator("#e2 .seq a").click()
    chosen(page, 2)
    for name in ("Sequence", "Timeline", "Conversation", "Findings", "Source", "Events"):
        page.locator("#tabs").get_by_role("link", name=name).click()
        expect(page.locator("#tabs [aria-current=page]")).to_contain_text(name)
        chosen(page, 2)
    page.get_by_role("link", name="Previous event").click()
    chosen(page, 1)
    page.fill("#goto-box", "0")
    page.press("#goto-box", "Enter")
    chosen(page, 0)
    page.fill("#filter-box", "type:custom")
    page.press("#filter-box", "Enter")
    expect(page.locator("#rows tbody tr[id^=e]")).to_have_count(3)
