"use strict";

// The page works by forms; this file adds keys, marks, and steps without a reload.
// The server renders all text; nothing here makes HTML.

const byId = (id) => document.getElementById(id);
const main = byId("main");
const WAIT = 15000;

// ---- Marks: spans of the message, kept in a field of the form ----

let marks = [];
let words = [];
let current = null;
let hovered = null;

function readMessage() {
  words = [...document.querySelectorAll("#message button.w")];
  const field = byId("spans");
  marks = (field && field.value ? field.value.split(" ") : []).map((span) => {
    const [start, end, type] = span.split(":");
    return { start: Number(start), end: Number(end), type };
  });
  hovered = null;
  current = words.find((word) => markOf(word)) || words[0] || null;
  if (current) current.tabIndex = 0;
  drawMarks();
}

const startOf = (word) => Number(word.dataset.s);
const endOf = (word) => Number(word.dataset.e);
const markOf = (word) =>
  marks.find((mark) => mark.start < endOf(word) && startOf(word) < mark.end);
const shownWord = () => hovered || current;

function changeMarks(change) {
  const word = shownWord();
  if (!word || !byId("spans")) return;
  change(word);
  marks.sort((one, other) => one.start - other.start);
  byId("spans").value = marks.map((m) => `${m.start}:${m.end}:${m.type}`).join(" ");
  drawMarks();
  drawTake();
}

function toggle(word) {
  const mark = markOf(word);
  if (mark) marks = marks.filter((other) => other !== mark);
  else marks.push({ start: startOf(word), end: endOf(word), type: word.dataset.t });
}

function setType(word, type) {
  if (!markOf(word)) toggle(word);
  markOf(word).type = type;
  say(`${word.textContent} ${type}`);
}

// The mark grows to the next word after it, and takes in a mark that it meets there.
function join(word) {
  if (!markOf(word)) toggle(word);
  const mark = markOf(word);
  const next = words.find((other) => startOf(other) >= mark.end);
  if (!next) return;
  const met = markOf(next);
  mark.end = met ? met.end : endOf(next);
  marks = marks.filter((other) => other !== met);
  say(words.filter((one) => markOf(one) === mark).map((one) => one.textContent).join(" "));
}

function drawMarks() {
  const found = words.map(markOf);
  words.forEach((word, i) => {
    const mark = found[i];
    word.setAttribute("aria-pressed", String(Boolean(mark)));
    if (mark) word.dataset.mark = mark.type;
    else delete word.dataset.mark;
    word.classList.toggle("joined", Boolean(mark) && mark === found[i + 1]);
  });
  drawPanel();
}

function drawTake() {
  const take = byId("take");
  if (!take) return;
  const counted = marks.length === 1 ? take.dataset.one : take.dataset.many;
  // Without marks it may be against a vote to release: no key does that by default.
  take.value = marks.length ? "TA" : take.dataset.unmarked;
  take.hidden = take.disabled = !take.value;
  byId("no-take").hidden = Boolean(take.value);
  byId("take-what").textContent = take.value;
  byId("take-marked").textContent = marks.length
    ? counted.replace("#", marks.length)
    : take.dataset.none;
}

function drawPanel() {
  const panel = byId("panel");
  if (!panel) return;
  const word = shownWord();
  const mark = word && markOf(word);
  const text = byId("panel-word");
  text.textContent = word ? word.textContent : text.dataset.none;
  text.className = word ? `w ${word.className.replace(/\bjoined\b/, "")}` : "";
  byId("panel-why").textContent = word ? word.dataset.why : "";
  for (const button of panel.querySelectorAll("button")) button.disabled = !word;
  for (const button of panel.querySelectorAll("[data-type]")) {
    button.setAttribute("aria-pressed", String(Boolean(mark) && mark.type === button.dataset.type));
  }
  for (const button of panel.querySelectorAll("[name=rule]")) {
    button.disabled = !word || /\s/.test(word.textContent);
  }
  byId("mark").setAttribute("aria-pressed", String(Boolean(mark)));
  byId("rule-word").value = word ? word.textContent : "";
  byId("rule-type").value = mark ? mark.type : word ? word.dataset.t : "PRE";
  for (const other of words) {
    if (other !== word) other.removeAttribute("aria-describedby");
  }
  if (word) word.setAttribute("aria-describedby", "panel-why");
}

function moveTo(word) {
  if (!word) return;
  if (current) current.tabIndex = -1;
  current = word;
  current.tabIndex = 0;
  hovered = null;
  // Before the focus moves: a screen reader reads the description with the word.
  drawPanel();
  if (document.activeElement !== word) word.focus();
}

function moveBy(step) {
  const on = document.activeElement === current;
  moveTo(on ? words[words.indexOf(current) + step] : current);
}

document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse" || !byId("message")) return;
  const word = event.target.closest("#message button.w");
  if (word === hovered) return;
  hovered = word;
  drawPanel();
});

document.addEventListener("focusin", (event) => {
  const word = event.target.closest("#message button.w");
  if (word && word !== current) moveTo(word);
});

// ---- Steps: forms sent without a reload ----

let busy = false;
let unsent = null;

document.addEventListener("submit", (event) => {
  const form = event.target;
  const button = event.submitter;
  if (!("step" in form.dataset) || (button && "leaves" in button.dataset)) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  if (button && button.name) body.set(button.name, button.value);
  const action = button && button.hasAttribute("formaction") ? button.formAction : form.action;
  send({ action, body });
});

async function send(step) {
  if (busy) return;
  busy = true;
  main.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(step.action, {
      method: "POST",
      body: step.body,
      headers: { "X-Fragment": "1" },
      signal: AbortSignal.timeout(WAIT),
    });
    const text = await response.text();
    if (response.ok) show(response, text);
    else warn(text);
  } catch {
    unsent = step;
    warn(byId("banner-line").dataset.offline);
  } finally {
    busy = false;
    main.removeAttribute("aria-busy");
  }
}

function show(response, html) {
  unsent = null;
  byId("banner").hidden = true;
  const dialog = byId("dialog");
  if (response.headers.get("X-Place") === "dialog") {
    dialog.innerHTML = html;
    dialog.setAttribute("aria-labelledby", "dialog-title");
    dialog.setAttribute("aria-describedby", "dialog-lines");
    dialog.showModal();
    dialog.querySelector("[data-focus]").focus();
    return;
  }
  if (dialog.open) dialog.close();
  const opened = ["context", "filters", "more-types"].filter((id) => byId(id) && byId(id).open);
  main.innerHTML = html;
  for (const id of opened) if (byId(id)) byId(id).open = true;
  const path = new URL(response.url).pathname;
  history.replaceState(null, "", path);
  for (const back of document.querySelectorAll("form[action='/language'] [name=back]")) back.value = path;
  readMessage();
  const focused = byId("message") || main.querySelector("h1") || main;
  focused.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  sayWhatWasDone();
}

function warn(line) {
  const dialog = byId("dialog");
  if (dialog.open) dialog.close();
  byId("banner-line").textContent = line;
  byId("retry").hidden = !unsent;
  byId("banner").hidden = false;
}

byId("retry").addEventListener("click", () => unsent && send(unsent));

function say(line) {
  byId("live").textContent = "";
  // A line that is said twice in a row is announced again only as a change.
  setTimeout(() => (byId("live").textContent = line), 30);
}

function sayWhatWasDone() {
  if (byId("said") && byId("said").textContent) {
    say(`${byId("said").textContent} ${byId("left").textContent}`);
  }
}

// ---- Clicks ----

document.addEventListener("click", (event) => {
  const target = event.target.closest("button, a, summary");
  if (!target) return;
  if (target.matches("#message button.w")) {
    moveTo(target);
    changeMarks(toggle);
  } else if (target.id === "mark") changeMarks(toggle);
  else if (target.id === "join") changeMarks(join);
  else if (target.dataset.type) changeMarks((word) => setType(word, target.dataset.type));
  else if (target.dataset.opens) byId(target.dataset.opens).showModal();
  else if ("closes" in target.dataset && byId("dialog").open) {
    event.preventDefault();
    byId("dialog").close();
  }
});

// ---- Keys ----

const keysOn = byId("keys-on");
keysOn.checked = localStorage.getItem("triage-keys") !== "off";
keysOn.addEventListener("change", () => {
  localStorage.setItem("triage-keys", keysOn.checked ? "on" : "off");
});

const isTyping = (target) => target.closest("input:not([type=checkbox]), textarea, select");
const isControl = (target) => target.closest("button, a, summary, input, select, textarea");

function keyOf(event) {
  if (event.key === "/" || event.key === "?") return event.key;
  // On a French keyboard digits are typed with Shift: the key counts, not what it types.
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  if (digit) return digit[1];
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

function isOurs(event) {
  const modified = event.ctrlKey || event.altKey || event.metaKey || event.getModifierState("AltGraph");
  if (modified || event.isComposing || event.defaultPrevented) return false;
  return !document.querySelector("dialog[open]") && !isTyping(event.target);
}

document.addEventListener("keydown", (event) => {
  if (!isOurs(event)) return;
  const key = keyOf(event);
  const onWord = event.target.closest("#message");
  if (key === "Enter" || key === " ") {
    // Elsewhere these press the control that has the focus.
    if (!onWord && isControl(event.target)) return;
    // Space presses a word that has the focus by itself.
    if (key === " " && event.target.id !== "message") return;
  } else if (key === "ArrowLeft" || key === "ArrowRight") {
    if (!words.length) return;
    event.preventDefault();
    moveBy(key === "ArrowLeft" ? -1 : 1);
    return;
  } else if (key.length !== 1 || !keysOn.checked) return;
  const wanted = `[data-key="${CSS.escape(key)}"]`;
  // In a list the keys belong to the row that has the focus, else to the first.
  const row = event.target.closest("[data-row]");
  const target = (row && row.querySelector(wanted)) || document.querySelector(wanted);
  if (!target) return;
  event.preventDefault();
  // A key that is held down decides once.
  if (event.repeat || busy) return;
  if (target.disabled && target.id === "take") say(byId("no-take").textContent);
  else if (key === "/") openSearch(target);
  else target.click();
});

function openSearch(summary) {
  summary.parentElement.open = true;
  byId("search").focus();
}

// ---- Table ----

function drawChosen() {
  const boxes = [...document.querySelectorAll("input[name=items]")];
  const chosen = boxes.filter((box) => box.checked).length;
  byId("chosen").textContent = chosen ? String(chosen) : "";
  const all = byId("choose-all");
  all.checked = chosen === boxes.length;
  all.indeterminate = chosen > 0 && chosen < boxes.length;
}

document.addEventListener("change", (event) => {
  if (event.target.id === "choose-all") {
    for (const box of document.querySelectorAll("input[name=items]")) box.checked = event.target.checked;
  }
  if (byId("chosen")) drawChosen();
});

// A page that the browser kept aside may be out of date.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

readMessage();
if (byId("chosen")) drawChosen();
sayWhatWasDone();
