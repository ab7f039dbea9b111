/* The trace page: keys, copying, the track, the endless list, the phone's sheet. Without this script every link and form
   of the page still works. Nothing here decides anything: it follows the links the server wrote. */
(() => {
  "use strict";
  const view = () => document.getElementById("view");
  const inField = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
  const options = { target: "#view", select: "#view", swap: "outerMorph show:none" };

  /* Go to a URL of this page as if its link had been clicked. */
  const go = (href, how = { push: "true" }) => {
    if (!href) return Promise.resolve();
    if (!window.htmx) {
      location.assign(href);
      return Promise.resolve();
    }
    return htmx.ajax("GET", href, { ...options, ...how, source: view() });
  };
  /* Another script goes somewhere: it finds the promise in `went`. */
  document.addEventListener("lanescope:go", (event) => { event.detail.went = go(event.detail.href, event.detail.how); });
  const follow = (link) => {
    if (link) go(link.getAttribute("href"));
    return Boolean(link);
  };

  /* ── the chosen row stays in sight ── */
  const rows = () => document.getElementById("rows");
  const chosen = () => document.querySelector("#rows tr[aria-selected=true]");
  const phone = matchMedia("(max-width: 900px)");

  const reveal = (always) => {
    const row = chosen();
    const list = rows();
    if (!row || !list) return;
    if (phone.matches) {
      if (always) row.scrollIntoView({ block: "center" });
      return;
    }
    const box = list.getBoundingClientRect();
    const head = list.querySelector("thead");
    const top = box.top + (head ? head.getBoundingClientRect().height : 0);
    const at = row.getBoundingClientRect();
    if (at.top < top) list.scrollTop -= top - at.top + 3 * at.height;
    else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom + 3 * at.height;
  };

  /* The current tab, where the row of tabs is wider than the screen. */
  const revealTab = () => {
    const bar = document.getElementById("tabs");
    const tab = bar && bar.querySelector("[aria-current]");
    if (!tab || bar.scrollWidth <= bar.clientWidth) return;
    const [at, box] = [tab.getBoundingClientRect(), bar.getBoundingClientRect()];
    bar.scrollLeft += at.left + at.width / 2 - (box.left + box.width / 2);
  };

  /* ── the endless list: near an end the neighbouring window is asked for, and the row in sight keeps its place ── */
  let asking = false;
  let wanted = false; // only a person's scrolling asks; ours does not
  const extend = async () => {
    const list = rows();
    if (asking || !wanted || !list || phone.matches) return;
    const room = 240;
    const later = list.scrollHeight - list.scrollTop - list.clientHeight < room && document.getElementById("later");
    const edge = later || (list.scrollTop < room && document.getElementById("earlier"));
    if (!edge) return;
    asking = true;
    const box = list.getBoundingClientRect();
    const seen = [...list.querySelectorAll("tbody tr[id]")].find((row) => row.getBoundingClientRect().bottom > box.top + 26);
    const id = seen && seen.id;
    const before = seen && seen.getBoundingClientRect().top;
    try {
      await go(edge.getAttribute("href"), { push: "false", replace: "true" });
      const row = id && document.getElementById(id);
      if (row) rows().scrollTop += row.getBoundingClientRect().top - before;
    } finally {
      asking = false;
    }
  };
  document.addEventListener("scroll", (event) => { if (event.target === rows()) extend(); }, { capture: true, passive: true });
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    document.addEventListener(kind, () => { wanted = true; }, { capture: true, passive: true });
  }

  /* ── when the server fails: what is shown stays, and one line says so ── */
  let failed = null; // the URL to try again
  const fail = (url, sentence) => {
    const tabs = document.getElementById("tabs");
    if (!tabs) return;
    failed = url;
    if (!document.getElementById("failed")) tabs.after(document.getElementById("failed-note").content.cloneNode(true));
    const note = document.getElementById("failed");
    note.querySelector("span").textContent = `${sentence} What is shown here has not changed.`;
  };
  let focused = false; // whether the view had the focus before it was swapped
  document.addEventListener("htmx:before:swap", (event) => {
    const ctx = event.detail.ctx;
    focused = Boolean(view() && view().contains(document.activeElement));
    if (!ctx.response || ctx.response.status < 400) return;
    event.preventDefault();
    const told = new DOMParser().parseFromString(ctx.text, "text/html").querySelector(".note span, [data-sentence]");
    fail(ctx.request.action, told ? told.textContent.trim() : `The server answered ${ctx.response.status}.`);
  });
  document.addEventListener("htmx:error", (event) => {
    const ctx = event.detail.ctx;
    if (ctx) fail(ctx.request.action, "The server did not answer.");
  });

  /* ── after a swap ── */
  let shown = null; // the event and panel last looked at
  const settle = () => {
    const root = view();
    if (!root) return;
    const now = `${root.dataset.panel} ${root.dataset.event}`;
    if (now !== shown && !asking) {
      wanted = false;
      reveal(shown === null && !phone.matches);
      revealTab();
      view().dispatchEvent(new CustomEvent("lanescope:chosen", { bubbles: true }));
    }
    shown = now;
    const tabs = document.getElementById("tabs");
    const tab = tabs && tabs.querySelector("[aria-current]");
    if (tab && tabs.scrollWidth > tabs.clientWidth) { // on a phone: the tab that is open is in sight
      tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
    }
    const box = document.getElementById("goto-box");
    if (box && document.activeElement !== box) box.value = root.dataset.event;
    if (focused && document.activeElement === document.body) {
      // the link that was followed is gone: the keyboard goes on from what it led to
      const row = chosen();
      (row ? row.querySelector(".seq a") : document.getElementById("inspector")).focus({ preventScroll: true });
    }
    focused = false;
  };
  document.addEventListener("htmx:after:swap", settle);

  /* ── keys ── */
  const neighbour = (step) => {
    const row = chosen();
    let next = row && (step > 0 ? row.nextElementSibling : row.previousElementSibling);
    while (next && (!next.id || next.classList.contains("stop") || next.classList.contains("derived"))) {
      next = step > 0 ? next.nextElementSibling : next.previousElementSibling;
    }
    const link = next && next.querySelector(".seq a");
    // a folded row's link unfolds it; stepping over it goes to the record behind it instead
    return next && next.classList.contains("fold") ? null : link;
  };
  const keys = {
    j: () => follow(neighbour(1)) || follow(document.querySelector("[data-go=j]")),
    k: () => follow(neighbour(-1)) || follow(document.querySelector("[data-go=k]")),
    n: () => follow(document.querySelector("[data-go=n]")),
    p: () => follow(document.querySelector("[data-go=p]")),
    g: () => {
      const box = document.getElementById("goto-box");
      if (!box) return false;
      box.focus();
      box.select();
      return true;
    },
    "/": () => { // app.js focuses the filter where there is one
      const box = !document.getElementById("filter-box") && document.getElementById("search-box");
      if (box) box.focus();
      return Boolean(box);
    },
    "?": () => {
      const help = document.getElementById("keys");
      if (help && !help.open) help.showModal();
      return true;
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && inField(event.target)) event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || inField(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.matches && event.target.matches("a[role=button]")) {
      event.preventDefault();
      event.target.click();
      return;
    }
    const tab = /^[1-9]$/.test(event.key) && document.querySelector(`[data-tab="${event.key}"]`);
    if (tab ? follow(tab) : keys[event.key] && keys[event.key]()) event.preventDefault();
  });

  /* ── clicks ── */
  const copied = (button, text) => {
    const done = (word) => {
      if (button.dataset.told) return;
      const before = [...button.childNodes];
      button.dataset.told = word;
      button.textContent = word;
      setTimeout(() => {
        delete button.dataset.told;
        if (button.isConnected) button.replaceChildren(...before);
      }, 1500);
    };
    navigator.clipboard.writeText(text).then(() => done("Copied"), () => done("Not allowed"));
  };
  document.addEventListener("click", async (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target) return;
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const copy = target.closest("[data-copy]");
    if (copy && navigator.clipboard) return copied(copy, copy.dataset.copy);
    const from = target.closest("[data-copy-from]");
    if (from && plain && navigator.clipboard) {
      event.preventDefault();
      const answer = await fetch(from.dataset.copyFrom, { credentials: "same-origin" });
      if (answer.ok) copied(from, await answer.text());
      else location.assign(from.href);
      return;
    }
    if (target.closest("[data-keys-open]")) return keys["?"]();
    if (target.closest("[data-again]")) return void go(failed);
    const sheet = target.closest("[data-sheet]");
    if (sheet) {
      const open = document.getElementById("inspector").classList.toggle("open");
      sheet.setAttribute("aria-expanded", String(open));
      return;
    }
    const menu = document.querySelector("details.menu[open]");
    if (menu && !menu.contains(target)) menu.open = false;
    if (!plain || !view() || !view().contains(target)) return;
    // links inside drawings are not boosted by htmx
    const drawn = target.closest("svg a[href]");
    if (drawn) {
      event.preventDefault();
      go(drawn.getAttribute("href"));
      return;
    }
    const track = target.closest("[data-track]");
    if (track) {
      const box = track.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, ((event.clientX - box.left) / box.width - 0.008) / 0.984));
      const url = new URL(track.dataset.href, location.href);
      url.searchParams.set("event", String(Math.round(share * Number(track.dataset.last))));
      go(url.pathname + url.search);
      return;
    }
    // the whole row is the link, unless the reader marks text in it
    const row = target.closest("#rows tbody tr, [data-row]");
    if (row && !target.closest("a, button, input, summary") && String(getSelection()) === "") follow(row.querySelector("a[href]"));
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id === "goto") document.getElementById("goto-box").blur();
  });

  const start = () => {
    const root = view();
    if (root) settle();
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
