/* Play-back in the trace page: the chosen event moves along with the trace's own clock, and every panel shows itself as of
   it. The server says where to stop and how long lies between (`…/play`); one step is the same request as a click on an
   event, never more than one at a time: where the server is slower than the clock, stops are passed over. Without this
   script the links for the next and the previous event work. */
(() => {
  "use strict";
  const LONG = 2000; // milliseconds: a longer wait is cut to this, and the bar says how much time passes
  const COUNT = 200; // stops asked for at once
  const NEAR = 60; // so few left: ask for more
  const view = () => document.getElementById("view");
  const bar = () => document.getElementById("scrubber");
  const track = () => document.querySelector("[data-track]");
  const button = () => document.getElementById("play");
  const speeds = () => [...document.querySelectorAll("#speeds button")];
  const chosen = () => Number(view().dataset.event);
  const last = () => Number(track().dataset.last);
  document.documentElement.classList.add("scripted");

  let playing = false;
  let turn = 0; // which play this is: an answer that comes after a pause is dropped
  let stops = []; // [record, milliseconds of the trace since the stop before]
  let from = null; // where the next stops are asked from; null: there are no more
  let note = ""; // what sets the pace where no time was recorded
  let ending = ""; // what is said behind the last one
  let filling = false;
  let base = 0; // when the newest stop that was taken was due
  let due = null; // the stop to show next
  let asked = ""; // our own request, while it is in flight
  let others = 0; // requests of the reader's own
  let shown = 0; // the event we last saw on the page
  let pushed = false; // the first move is an entry of the history of its own, so that Back leads to where play began
  let timer = 0;

  /* ── words ── */
  const span = (ms) => {
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    return `${Math.floor(seconds / 3600).toLocaleString("en")} h ${Math.floor((seconds % 3600) / 60)} min`;
  };
  const say = (words) => {
    const told = document.getElementById("play-said");
    if (told) told.textContent = words;
  };
  /* To a screen reader, and only when nothing moves. */
  const announce = (words) => {
    const said = document.getElementById("said");
    if (!said) return;
    said.setAttribute("role", "status");
    setTimeout(() => { if (!playing) said.textContent = words; }, 50);
  };
  const quiet = (root) => { for (const each of root.querySelectorAll("[role=status]")) each.removeAttribute("role"); };

  /* ── speed ── */
  const speed = () => {
    const on = speeds().find((each) => each.getAttribute("aria-pressed") === "true");
    return on ? on.dataset.speed : "1";
  };
  const setSpeed = (to) => {
    const now = performance.now();
    for (const each of speeds()) each.setAttribute("aria-pressed", String(each === to));
    const play = button();
    const step = to.dataset.speed === "step";
    play.setAttribute("aria-label", step ? "Step" : "Play");
    if (step) pause();
    if (playing) {
      base = now;
      tick();
    }
  };

  /* ── playing ── */
  const go = (href, how) => {
    const detail = { href, how };
    document.dispatchEvent(new CustomEvent("lanescope:go", { detail }));
    return detail.went;
  };
  const address = (seq) => {
    const url = new URL(track().dataset.href, location.href);
    url.searchParams.set("event", String(seq));
    url.searchParams.delete("asof");
    return url.pathname + url.search;
  };
  const mark = () => {
    document.documentElement.classList.toggle("playing", playing);
    const play = button();
    if (play) play.setAttribute("aria-pressed", String(playing));
  };

  const pause = (words = "") => {
    if (!playing) return;
    playing = false;
    turn += 1;
    clearTimeout(timer);
    mark();
    say(words);
    const settled = () => announce(words || `Paused at ${bar().dataset.eventWord} ${chosen()} of ${last() + 1}`);
    if (asked) document.addEventListener("htmx:finally:request", () => setTimeout(settled), { once: true });
    else settled();
  };

  const fill = async () => {
    filling = true;
    const mine = turn;
    const url = new URL(track().dataset.href, location.href);
    url.pathname = bar().dataset.play;
    url.searchParams.set("from", String(from));
    url.searchParams.set("count", String(COUNT));
    let found = null;
    try {
      const answer = await fetch(url.pathname + url.search, { headers: { Accept: "application/json" } });
      if (answer.ok) found = await answer.json();
    } catch { /* said below */ }
    if (mine !== turn) return;
    filling = false;
    if (!found) {
      pause("The server did not answer; play goes on from here.");
      return;
    }
    if (!stops.length) base = Math.max(base, performance.now());
    stops.push(...found.stops);
    from = found.next;
    note = found.note;
    if (from === null) ending = found.end;
    tick();
  };

  const show = async (seq) => {
    const mine = turn;
    due = null;
    asked = address(seq);
    await go(asked, pushed ? { push: "false", replace: "true" } : { push: "true" });
    asked = "";
    pushed = true;
    if (mine !== turn || others) return; // whoever came between decides when it is through
    if (chosen() !== seq) {
      pause();
      return;
    }
    shown = seq;
    inSight();
    tick();
  };

  const tick = () => {
    clearTimeout(timer);
    if (!playing) return;
    const factor = Number(speed());
    const now = performance.now();
    while (stops.length) {
      const then = base + Math.min(stops[0][1] / factor, LONG);
      if (then > now) break;
      base = then;
      due = stops.shift()[0];
    }
    if (due !== null && !asked && !others) show(due);
    if (from !== null && stops.length < NEAR && !filling) fill();
    if (stops.length) {
      const [, wait] = stops[0];
      say(wait / factor > LONG ? `${span(wait)} pass` : note);
      timer = setTimeout(tick, base + Math.min(wait / factor, LONG) - now);
    } else if (from === null && due === null && !asked && !others) {
      pause(ending);
    }
  };

  const play = async () => {
    if (!track() || last() < 1) return;
    if (speed() === "step") {
      const next = document.querySelector("[data-go=j]");
      if (next) go(next.getAttribute("href"), { push: "true" });
      return;
    }
    playing = true;
    turn += 1;
    stops = [];
    ending = note = "";
    filling = pushed = false;
    due = null;
    shown = chosen();
    base = performance.now();
    mark();
    say("");
    quiet(view());
    from = shown >= last() ? 0 : shown;
    if (shown >= last()) due = 0; // from the end it begins anew
    tick();
  };
  const toggle = () => (playing ? pause() : play());

  /* On a phone the page itself scrolls, and the row that is chosen stays above the bar; a timeline wider than the screen
     goes along with its line. */
  const inSight = () => {
    const time = document.getElementById("timeline");
    if (time && time.scrollWidth > time.clientWidth) {
      const x = Number(time.dataset.focusX);
      const room = time.clientWidth - (time.querySelector(".tl-l")?.offsetWidth ?? 0);
      if (x < time.scrollLeft || x > time.scrollLeft + room - 20) time.scrollLeft = Math.max(0, x - room / 2);
    }
    const row = document.querySelector("#rows tr[aria-selected=true]");
    if (!row) return;
    const at = row.getBoundingClientRect();
    if (at.top < 60 || at.bottom > innerHeight - 130) row.scrollIntoView({ block: "center" });
  };

  /* ── the reader's own requests go first; where they lead elsewhere, play stops ── */
  document.addEventListener("htmx:before:request", (event) => {
    if (playing && event.detail.ctx.request.action !== asked) {
      event.detail.ctx.own = true;
      others += 1;
    }
  });
  document.addEventListener("htmx:finally:request", (event) => {
    if (!event.detail.ctx.own) return;
    others -= 1;
    if (!playing || others) return;
    if (chosen() !== shown) pause();
    else tick();
  });
  document.addEventListener("htmx:before:swap", (event) => {
    if (playing) for (const task of event.detail.tasks || []) if (task.fragment) quiet(task.fragment);
  });
  document.addEventListener("htmx:after:swap", () => {
    mark();
    if (!playing && !asked) say(""); // what was said belongs to another event
  });
  addEventListener("popstate", () => pause());
  document.addEventListener("visibilitychange", () => { if (document.hidden) pause(); });

  /* ── buttons and keys ── */
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target) return;
    if (target.closest("#play")) {
      toggle();
      return;
    }
    const to = target.closest("#speeds button");
    if (!to) return;
    const all = speeds();
    // where there is room for one only, pressing it takes the next
    setSpeed(to.getAttribute("aria-pressed") === "true" && matchMedia("(max-width: 900px)").matches ? all[(all.indexOf(to) + 1) % all.length] : to);
    if (to.offsetParent === null) speeds().find((each) => each.offsetParent)?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    // the keyboard stays where it was, so that Space plays
    if (event.target instanceof Element && event.target.closest("#speeds button") && event.pointerType === "mouse") event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    if (!(event.target instanceof Element) || !view() || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input, textarea, select, button, summary, [contenteditable], [role=button]")) return;
    event.preventDefault();
    toggle();
  });
})();
