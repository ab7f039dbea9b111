/* The page of a trace that is being recorded. The server sends positions; the page fetches itself anew, one request at a
   time and never while the reader's own is in flight. A page without a chosen event follows the newest; scrolling away
   from it puts the place into the address, so that what is read stays where it is. */
(() => {
  "use strict";
  // milliseconds between two fetches at least: also a quarter of what the server took, and so long that the reader's own
  // doing has as much of the page's time as drawing it has; waiting for the server leaves him that, too
  const PAUSE = 10;
  const HELD = 500; // the same while the page stays where the reader is
  const AGAIN = 1000; // the same after one that got no answer, doubling up to MOST
  const MOST = 5000;
  const view = () => document.getElementById("view");
  const rows = () => document.getElementById("rows");
  const following = () => view() && view().dataset.following === "1";
  let source = null;
  let reached = -1; // the newest position told
  let over = false; // the recording has ended
  let fetched = -1; // the position told when the page was last fetched: a page between two servers has none of its own
  let slipped = false; // the page followed, and was fetched as the recording ended, before that was told
  let refused = false; // the newest answer was a refusal: nothing more is asked until a new position is told
  let missed = 0; // fetches in a row that got no answer
  let busy = false; // a fetch of ours
  let asked = ""; // its address, until htmx takes it up
  const mine = new WeakSet(); // what htmx made of it
  let others = 0; // requests of the reader's own
  let heard = 0; // when the answer to it was there
  let notBefore = 0; // when the next fetch may begin
  let timer = 0;

  const go = (href) => {
    const detail = { href, how: { push: "false", replace: "true" } };
    document.dispatchEvent(new CustomEvent("lanescope:go", { detail }));
    return detail.went;
  };

  /* ── the tab of the browser and the page's head say what the page says ── */
  const name = () => {
    const root = view();
    if (!root || !root.dataset.title) return;
    document.title = root.dataset.title;
    const icon = document.querySelector("link[rel=icon]");
    const href = `/favicon/${root.dataset.look}.svg`;
    if (icon && icon.getAttribute("href") !== href) icon.setAttribute("href", href);
    // the page's head is not fetched again: what was live belongs to the list once it has ended
    const part = root.dataset.live === undefined ? "/" : "/live";
    for (const link of document.querySelectorAll(".top nav a")) {
      if (link.getAttribute("href") === part) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  /* ── fetching ── */
  const behind = () => {
    if (!view()) return false;
    const live = view().dataset.live !== undefined;
    return over ? live || slipped : reached > (live ? Number(view().dataset.seq) : fetched);
  };
  const address = () => {
    const url = new URL(location.href);
    if (leaving !== null && following()) url.searchParams.set("start", leaving);
    // the recording is over: the place stays that of its newest event
    else if (over && (following() || slipped) && reached > 0) url.searchParams.set("event", String(reached - 1));
    return url.pathname + url.search;
  };
  const open = () => document.querySelector("details.menu[open], dialog[open]"); // it stays so
  const refresh = async () => {
    clearTimeout(timer);
    if (busy || refused || !(behind() || leaving !== null)) return;
    const early = notBefore - performance.now();
    if (early > 0) {
      timer = setTimeout(refresh, early);
      return;
    }
    if (open() || others || document.documentElement.classList.contains("playing") || document.hidden) {
      timer = setTimeout(refresh, HELD);
      return;
    }
    busy = true;
    const begun = heard = performance.now();
    try {
      asked = address();
      fetched = reached;
      slipped = false;
      const followed = following() && !over;
      await go(asked);
      slipped = followed && Boolean(view()) && view().dataset.live === undefined;
    } finally {
      busy = false;
      if (!following()) leaving = null;
      asked = "";
      const now = performance.now();
      const [waited, drawn] = [heard - begun, now - heard];
      const pause = following() ? Math.max(PAUSE, waited / 4, drawn - waited) : HELD;
      notBefore = now + (missed ? Math.min(MOST, AGAIN * 2 ** (missed - 1)) : pause);
      refresh();
    }
  };
  /* Rows are made for the list's height and more than as much again above it: further ones come when the reader scrolls.
     On a phone the page scrolls and not the list, so there all stay that are on it. */
  const room = () => {
    const list = rows();
    const row = list && list.querySelector("tbody tr");
    return row && !phone.matches ? Math.ceil((2 * list.clientHeight) / row.offsetHeight) + 14 : 0;
  };
  document.addEventListener("htmx:before:request", (event) => {
    const ctx = event.detail.ctx;
    if (asked && ctx.request.action.endsWith(asked)) {
      mine.add(ctx);
      asked = "";
      if (following() && leaving === null && room()) ctx.request.headers["Lanescope-Rows"] = String(room());
    } else {
      others += 1;
      slipped = false; // the reader has gone somewhere
    }
  });
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (!mine.has(ctx)) return;
    heard = performance.now();
    refused = Boolean(ctx.response && ctx.response.status >= 400);
    missed = 0;
    if (!open()) return;
    event.preventDefault(); // opened meanwhile: what came is fetched again later
    event.stopImmediatePropagation();
    fetched = -1;
  }, { capture: true });
  document.addEventListener("htmx:error", (event) => { if (mine.has(event.detail.ctx)) missed += 1; });
  document.addEventListener("htmx:finally:request", (event) => {
    if (!mine.has(event.detail.ctx)) others = Math.max(0, others - 1);
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

  /* ── the newest in sight, until the reader scrolls away from it ── */
  let touched = -Infinity; // when the reader last did something that can scroll
  let leaving = null; // the record at the top of what he scrolled to, until the address has it
  const KEYS = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];
  const scrolls = (event) => {
    if (event.type === "keydown") return KEYS.includes(event.key);
    // a press on the scroll bar is one on the list itself, and dragging it goes on anywhere
    return event.type !== "pointerdown" || event.target === rows();
  };
  let dragging = false;
  const phone = matchMedia("(max-width: 900px)"); // there the page scrolls, not the list
  let low = true; // the end of the page was in sight before the swap
  document.addEventListener("htmx:before:swap", () => {
    const root = document.documentElement;
    low = root.scrollHeight - scrollY - innerHeight < 160;
    // what the reader scrolled to stays where it is, though rows come above it
    const row = leaving !== null && rows() && first();
    kept = row ? [row.id, row.getBoundingClientRect().top] : null;
  });
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    document.addEventListener(kind, (event) => {
      if (!scrolls(event)) return;
      touched = performance.now();
      dragging = kind === "pointerdown";
    }, { capture: true, passive: true });
  }
  document.addEventListener("pointerup", () => { dragging = false; }, { capture: true, passive: true });
  let kept = null; // the row at the top and its place, while the address of what was scrolled to is fetched
  const first = () => {
    const top = rows().getBoundingClientRect().top + 26; // below the list's head
    return [...rows().querySelectorAll("tbody tr[id]")].find((row) => row.getBoundingClientRect().bottom > top);
  };
  const hold = () => {
    const row = kept && document.getElementById(kept[0]);
    if (row && rows()) rows().scrollTop += row.getBoundingClientRect().top - kept[1];
    kept = null;
  };
  const bottom = () => {
    const list = rows();
    if (!list || !following() || leaving !== null) return;
    if (phone.matches) {
      if (low) scrollTo({ top: document.documentElement.scrollHeight });
    } else list.scrollTop = list.scrollHeight;
  };
  const away = () => {
    const list = rows();
    if (!list || !following() || (!dragging && performance.now() - touched > 800)) return;
    if (list.scrollHeight - list.scrollTop - list.clientHeight < 24) {
      leaving = null;
      return;
    }
    const top = first();
    const number = top && top.id.match(/\d+/);
    if (number) leaving = number[0];
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  };
  document.addEventListener("scroll", (event) => { if (event.target === rows()) away(); }, { capture: true, passive: true });

  /* ── positions ── */
  const connect = () => {
    const root = view();
    if (!root || root.dataset.live === undefined || source) return;
    source = new EventSource(root.dataset.live);
    source.addEventListener("position", (event) => {
      const told = JSON.parse(event.data);
      reached = told.seq;
      refused = false;
      if (told.status !== "live") {
        over = true;
        source.close();
      }
      document.documentElement.classList.remove("unheard");
      refresh();
    });
    source.addEventListener("error", () => document.documentElement.classList.add("unheard"));
    source.addEventListener("open", () => {
      document.documentElement.classList.remove("unheard");
      if (!missed) return;
      missed = notBefore = 0; // the server is back
      refresh();
    });
  };
  const settle = () => {
    name();
    hold();
    bottom();
    connect();
  };
  document.addEventListener("htmx:after:swap", settle);
  addEventListener("pagehide", () => {
    if (source) source.close();
    source = null;
  });
  addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", settle);
  else settle();
})();
