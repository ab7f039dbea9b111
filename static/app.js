/* What HTML cannot do on its own, for every page and for the front page: the `/` key, dropping a file anywhere, pasting
   with the keyboard, Escape out of a menu, and progress while a large file is sent. Without this script the same forms post as they are. */
(() => {
  "use strict";

  const inField = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || inField(event.target)) return;
    const field = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === event.key);
    if (field) {
      event.preventDefault();
      field.focus();
      if (field.select) field.select();
    }
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  const box = document.querySelector("details.paste");
  if (box) box.addEventListener("toggle", () => box.open && box.querySelector("textarea").focus());

  /* ── sending a recording ── */
  const zone = document.querySelector("[data-drop]");
  if (!zone) return;
  const sending = zone.querySelector("[data-sending]");
  const words = sending.querySelector("span");
  const bar = sending.querySelector("progress");
  const failed = zone.querySelector("[data-upload-error]");
  const choose = zone.querySelector("[data-choose]");
  let request = null;
  let held = null; // what was sent, while a question about it is open

  const megabytes = (size) => (size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`);

  const fail = (sentence) => {
    sending.hidden = true;
    failed.hidden = false;
    failed.querySelector("span").textContent = sentence;
    request = null;
  };

  const send = (data) => {
    if (request) return;
    failed.hidden = true;
    if (data !== held) {
      held = null;
      choose.replaceChildren();
    }
    sending.hidden = false;
    words.textContent = "Sending…";
    bar.value = 0;
    request = new XMLHttpRequest();
    request.open("POST", "/traces");
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      words.textContent = `Sending, ${megabytes(event.loaded)} of ${megabytes(event.total)}`;
    });
    request.upload.addEventListener("load", () => {
      bar.removeAttribute("value");
      words.textContent = "Reading the events…";
    });
    request.addEventListener("load", () => {
      const answer = request.response;
      if (request.status < 400 && answer && answer.choose) ask(answer.choose, data);
      else if (request.status < 400 && answer && answer.look_up) lookUp(answer.look_up);
      else if (request.status < 400 && answer && answer.url) location.assign(answer.url);
      else fail((answer && answer.error) || `The server answered ${request.status}. Nothing was stored; try again.`);
    });
    request.addEventListener("error", () => fail("The server did not answer, or stopped reading. Nothing was stored; try again."));
    request.send(data);
  };

  /* An error message and no recording: it is explained on its page. It is sent, since an address would keep it. */
  const lookUp = (text) => {
    const form = document.createElement("form");
    const field = document.createElement("textarea");
    form.method = "post";
    form.action = "/errors";
    form.hidden = true;
    field.name = "text";
    field.value = text;
    form.append(field);
    document.body.append(form);
    form.submit();
  };

  /* A file with several streams: the server asks which are meant and keeps nothing; this page still has the file. */
  const ask = (html, data) => {
    request = null;
    held = data;
    sending.hidden = true;
    choose.innerHTML = html;
    choose.querySelector("input[type=checkbox]")?.focus();
  };
  choose.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!held) return;
    const ticked = new FormData(event.target);
    held.delete("part");
    for (const part of ticked.getAll("part")) held.append("part", part);
    held.set("asked", "1");
    send(held);
  });
  choose.addEventListener("reset", () => {
    held = null;
    choose.replaceChildren();
  });

  const begun = () => {
    const data = new FormData();
    const form = zone.querySelector(".pick select");
    if (form && form.value) data.append("as", form.value);
    return data;
  };

  const sendFiles = (files) => {
    const data = begun();
    for (const file of files) data.append("files", file, file.name);
    send(data);
  };

  const sendText = (text) => {
    const data = begun();
    data.append("text", text);
    send(data);
  };

  for (const form of document.querySelectorAll("[data-upload]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(new FormData(form));
    });
    const picker = form.querySelector("input[type=file]");
    if (picker) {
      picker.addEventListener("change", () => {
        if (picker.files.length) sendFiles(picker.files);
        picker.value = "";
      });
    }
  }

  const carriesFiles = (event) => event.dataTransfer && (event.dataTransfer.types.includes("Files") || event.dataTransfer.types.includes("text/plain"));
  document.addEventListener("dragover", (event) => {
    if (!carriesFiles(event) || inField(event.target)) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!carriesFiles(event) || inField(event.target)) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) sendFiles(event.dataTransfer.files);
    else if (event.dataTransfer.getData("text/plain").trim()) sendText(event.dataTransfer.getData("text/plain"));
  });
  document.addEventListener("paste", (event) => {
    if (inField(event.target) || !event.clipboardData) return;
    const text = event.clipboardData.getData("text/plain");
    if (event.clipboardData.files.length) sendFiles(event.clipboardData.files);
    else if (text.trim()) sendText(text);
  });

  // Back to this page from the trace: the browser may show it as it was left, in the middle of sending.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    request = null;
    sending.hidden = true;
  });
})();

/* A diagram opens at the chosen event: it stands at `data-focus-x`, `data-focus-y` of what scrolls. Afterwards the reader's
   own scrolling is left alone, unless another event is chosen that is out of view. */
(() => {
  "use strict";
  const seen = new WeakMap();
  // words beside a ruler that the part which stays has covered would be cut
  const pass = (box) => box.toggleAttribute("data-past", box.scrollLeft > 24);
  document.addEventListener("scroll", (event) => {
    if (event.target instanceof Element && event.target.matches("[data-focus-y]")) pass(event.target);
  }, { capture: true, passive: true });
  const show = () => {
    for (const box of document.querySelectorAll("[data-focus-y]")) {
      pass(box);
      const event = document.querySelector("[data-event]")?.dataset.event ?? "";
      if (seen.get(box) === event) continue;
      const x = Number(box.dataset.focusX);
      const y = Number(box.dataset.focusY);
      const room = box.clientWidth - (box.querySelector(".tl-l")?.offsetWidth ?? 0);
      // an arrow goes on to the right; a pin's words may stand on either side of it
      if (!seen.has(box)) box.scrollLeft = Math.max(0, x - (box.id === "timeline" ? room / 2 : 45));
      if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - 120) box.scrollTop = Math.max(0, y - box.clientHeight / 3);
      seen.set(box, event);
    }
  };
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("htmx:after:swap", show);
  if (document.readyState !== "loading") show();
})();

/* What was chosen is in sight: the message, the cause or the line that bears `data-shown`, in a panel that scrolls. It is
   looked for when another event or panel is shown; afterwards the reader's own scrolling is left alone. */
(() => {
  "use strict";
  let seen = "";
  const show = () => {
    const root = document.getElementById("view");
    const box = document.querySelector(".scroll[data-reveal]");
    const now = root && box ? `${root.dataset.panel} ${root.dataset.event} ${box.dataset.reveal}` : "";
    if (now === seen) return;
    const first = seen === "";
    seen = now;
    const row = box && box.querySelector("[data-shown]");
    if (!row) return;
    const at = row.getBoundingClientRect();
    if (box.scrollHeight > box.clientHeight + 4) {
      const edge = box.getBoundingClientRect();
      if (at.top < edge.top + 26 || at.bottom > edge.bottom) box.scrollTop += at.top - edge.top - Math.max(30, (edge.height - at.height) / 3);
    } else if (!first && (at.top < 0 || at.top > innerHeight - 160)) {
      row.scrollIntoView({ block: "center" });
    }
  };
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("htmx:after:swap", show);
  if (document.readyState !== "loading") show();
})();
