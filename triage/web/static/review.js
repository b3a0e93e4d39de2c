"use strict";

// The page works by forms; this file adds keys, marks, and steps without a reload.
// The server renders all text; nothing here makes HTML.

const byId = (id) => document.getElementById(id);
const main = byId("main");
const WAIT = 15000;

// ---- Marks: spans of the message, kept in a field of the form ----
//
// Positions count characters (code points), as the server does. The message is made of pieces: words,
// which are buttons, and what stands between them, without white space.

let marks = [];
let pieces = [];
let words = [];
let current = null;
let hovered = null;
// The part of the message that was chosen by dragging or by keys: two places in `places`.
let part = null;
// The positions of all characters that can be marked, in order.
let places = [];

function readMessage() {
  pieces = [...document.querySelectorAll("#message [data-s]")];
  words = pieces.filter((piece) => piece.matches("button"));
  places = pieces.flatMap((piece) => {
    const start = startOf(piece);
    return Array.from({ length: endOf(piece) - start }, (_, i) => start + i);
  });
  const field = byId("spans");
  marks = (field && field.value ? field.value.split(" ") : []).map((span) => {
    const [start, end, type] = span.split(":");
    return { start: Number(start), end: Number(end), type };
  });
  hovered = part = null;
  const inDoubt = (word) => word.matches(".known, .ambiguous, .unknown");
  current = words.find((word) => markOf(word)) || words.find(inDoubt) || words[0] || null;
  if (current) current.tabIndex = 0;
  drawMarks();
}

const startOf = (piece) => Number(piece.dataset.s);
const endOf = (piece) => Number(piece.dataset.e);
const meets = (one, start, end) => one.start < end && start < one.end;
const marksOf = (piece) => marks.filter((mark) => meets(mark, startOf(piece), endOf(piece)));
const markOf = (word) => marksOf(word)[0];
const shownWord = () => (part ? current : hovered || current);
const pieceAt = (position) =>
  pieces.find((piece) => startOf(piece) <= position && position < endOf(piece));
const spanOfPart = () => ({ start: places[part.from], end: places[part.to - 1] + 1 });
const spanOfWord = (word) => ({ start: startOf(word), end: endOf(word) });

function textOf({ start, end }) {
  let text = "";
  let last = start;
  for (const piece of pieces.filter((one) => startOf(one) < end && start < endOf(one))) {
    const from = Math.max(start, startOf(piece));
    if (from > last) text += " ";
    last = Math.min(end, endOf(piece));
    text += [...piece.textContent].slice(from - startOf(piece), last - startOf(piece)).join("");
  }
  return text;
}

function changeMarks(change) {
  const word = shownWord();
  if (!word || !byId("spans")) return;
  change(word);
  keepMarks();
}

function keepMarks() {
  marks.sort((one, other) => one.start - other.start);
  byId("spans").value = marks.map((m) => `${m.start}:${m.end}:${m.type}`).join(" ");
  drawMarks();
  drawTake();
}

// A mark takes the place of those that it meets.
function put({ start, end }, type) {
  const mark = { start, end, type };
  marks = [...marks.filter((other) => !meets(other, start, end)), mark];
  return mark;
}

// The mark that the keys change: that of the chosen part, else the first of the word.
function chosenMark(word) {
  if (!part) return markOf(word);
  const { start, end } = spanOfPart();
  return marks.find((mark) => mark.start === start && mark.end === end);
}

// A click on a marked part of a word is about that part.
function toggleAt(word, cut) {
  if (!cut) return toggle(word);
  const before = document.createRange();
  before.setStart(word, 0);
  before.setEndBefore(cut);
  const start = startOf(word) + [...before.toString()].length;
  marks = marks.filter((mark) => !meets(mark, start, start + 1));
}

const typeOf = (word) => word.dataset.t || "PRE";

function toggle(word) {
  const mark = chosenMark(word);
  if (mark) marks = marks.filter((other) => other !== mark);
  else put(part ? spanOfPart() : spanOfWord(word), typeOf(word));
}

function setType(word, type) {
  if (!chosenMark(word)) toggle(word);
  const mark = chosenMark(word);
  mark.type = type;
  say(`${textOf(mark)} ${type}`);
}

// The mark grows to the next word after it, and takes in a mark that it meets there.
function join(word) {
  if (!chosenMark(word)) toggle(word);
  const mark = chosenMark(word);
  const next = words.find((other) => startOf(other) >= mark.end);
  if (!next) return;
  const met = markOf(next);
  mark.end = met ? met.end : endOf(next);
  marks = marks.filter((other) => other !== met);
  part = null;
  say(textOf(mark));
}

function drawMarks() {
  for (const piece of pieces) {
    const found = marksOf(piece);
    const [first] = found;
    const isWhole = first && first.start <= startOf(piece) && first.end >= endOf(piece);
    if (piece.matches("button")) piece.setAttribute("aria-pressed", String(found.length > 0));
    if (isWhole) piece.dataset.mark = first.type;
    else delete piece.dataset.mark;
    piece.classList.toggle("joined", Boolean(isWhole && first.end > endOf(piece)));
    drawCuts(piece, isWhole ? [] : found);
  }
  drawPart();
  drawPanel();
}

// A piece that is marked in part is cut where marks begin and end.
function drawCuts(piece, found) {
  const key = found.map((m) => `${m.start}:${m.end}:${m.type}`).join(" ");
  if ((piece.dataset.cuts || "") === key && !(key === "" && piece.children.length)) return;
  piece.dataset.cuts = key;
  const characters = [...piece.textContent];
  const [start, end] = [startOf(piece), endOf(piece)];
  const cut = (from, to) => characters.slice(from - start, to - start).join("");
  const nodes = [];
  let at = start;
  for (const mark of found) {
    const [from, to] = [Math.max(mark.start, start), Math.min(mark.end, end)];
    if (from > at) nodes.push(cut(at, from));
    const node = document.createElement("span");
    node.className = mark.end > end ? "part joined" : "part";
    node.dataset.mark = mark.type;
    node.textContent = cut(from, to);
    nodes.push(node);
    at = to;
  }
  if (at < end) nodes.push(cut(at, end));
  piece.replaceChildren(...nodes);
}

// ---- A part of the message, which the browser shows as selected ----

// The text node and the offset in it of the n-th character of a piece.
function nodeAt(piece, n) {
  const walker = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const characters = [...node.data];
    if (n <= characters.length) return [node, characters.slice(0, n).join("").length];
    n -= characters.length;
  }
  return [piece, 0];
}

function drawPart() {
  const shown = getSelection();
  if (!part) {
    if (shown.anchorNode && byId("message") && byId("message").contains(shown.anchorNode)) shown.removeAllRanges();
    return;
  }
  const { start, end } = spanOfPart();
  const [first, last] = [pieceAt(start), pieceAt(end - 1)];
  const from = nodeAt(first, start - startOf(first));
  shown.setBaseAndExtent(...from, ...nodeAt(last, end - startOf(last)));
}

// Shift with an arrow to the right or left moves the end that was set last; up and down the other.
function extend(key) {
  if (!current) return;
  const forwards = key === "ArrowRight" || key === "ArrowDown";
  const step = forwards ? 1 : -1;
  if (!part) {
    if (key === "ArrowUp" || key === "ArrowDown") return;
    const [from, to] = [places.indexOf(startOf(current)), places.indexOf(endOf(current) - 1) + 1];
    part = forwards ? { from, to: from + 1, edge: "to" } : { from: to - 1, to, edge: "from" };
  } else {
    const other = part.edge === "to" ? "from" : "to";
    const edge = key === "ArrowUp" || key === "ArrowDown" ? other : part.edge;
    const moved = Math.min(places.length, Math.max(0, part[edge] + step));
    part = { ...part, [edge]: moved };
    if (part.from >= part.to) part = null;
  }
  drawPart();
  drawPanel();
  if (part) say(textOf(spanOfPart()));
}

// The border between characters that is nearest to a point.
function borderAt(x, y) {
  const under = document.elementFromPoint(x, y);
  const piece = (under && under.closest("#message [data-s]")) || nearestPiece(x, y);
  const range = document.createRange();
  let best = { distance: Infinity, border: 0 };
  const first = places.indexOf(startOf(piece));
  for (let i = 0; i < endOf(piece) - startOf(piece); i++) {
    range.setStart(...nodeAt(piece, i));
    range.setEnd(...nodeAt(piece, i + 1));
    const box = range.getBoundingClientRect();
    const isRightToLeft = /[\u0590-\u08ff]/.test(range.toString());
    for (const [edge, isAfter] of [[box.left, isRightToLeft], [box.right, !isRightToLeft]]) {
      const distance = outside(y, box.top, box.bottom) * 100 + Math.abs(x - edge);
      if (distance < best.distance) best = { distance, border: first + i + Number(isAfter) };
    }
  }
  return best.border;
}

const outside = (value, low, high) => Math.max(low - value, value - high, 0);

function nearestPiece(x, y) {
  const distance = (piece) => {
    const box = piece.getBoundingClientRect();
    return outside(y, box.top, box.bottom) * 100 + outside(x, box.left, box.right);
  };
  return pieces.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

const FAR = 6;
let drag = null;
let isDragged = false;

document.addEventListener("pointerdown", (event) => {
  isDragged = false;
  drag = null;
  const text = event.target.closest("#message-text");
  if (!text || !pieces.length || event.button !== 0 || !byId("spans")) return;
  drag = { text, x: event.clientX, y: event.clientY, from: borderAt(event.clientX, event.clientY) };
});

// Instead of the selection of the browser, which stops at buttons.
document.addEventListener("mousedown", (event) => {
  if (drag && event.target.closest("#message-text")) event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const { x, y, text, from } = drag;
  if (!isDragged && Math.hypot(event.clientX - x, event.clientY - y) < FAR) return;
  if (!isDragged) text.setPointerCapture(event.pointerId);
  isDragged = true;
  const to = borderAt(event.clientX, event.clientY);
  part = from === to ? null : { from: Math.min(from, to), to: Math.max(from, to), edge: "to" };
  drawPart();
});

document.addEventListener("pointerup", () => {
  const isMark = drag && isDragged && part;
  drag = null;
  if (!isMark) return;
  const chosen = part;
  const span = spanOfPart();
  const word = words.find((one) => startOf(one) < span.end && span.start < endOf(one));
  moveTo(word || current);
  part = chosen;
  const mark = put(span, word ? typeOf(word) : "PRE");
  keepMarks();
  say(`${textOf(mark)} ${mark.type}`);
});

document.addEventListener("pointercancel", () => (drag = null));

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
  const mark = word && chosenMark(word);
  const text = byId("panel-word");
  text.textContent = part ? textOf(spanOfPart()) : word ? word.textContent : text.dataset.none;
  text.className = word ? `w ${word.className.replace(/\bjoined\b/, "")}` : "";
  byId("panel-why").textContent = word ? word.dataset.why : "";
  for (const button of panel.querySelectorAll("button")) button.disabled = !word;
  for (const button of panel.querySelectorAll("[data-type]")) {
    button.setAttribute("aria-pressed", String(Boolean(mark) && mark.type === button.dataset.type));
  }
  for (const button of panel.querySelectorAll("[name=rule]")) {
    button.disabled = !word || Boolean(part) || /\s/.test(word.textContent);
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
  if (part) {
    part = null;
    drawPart();
  }
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
  const place = response.headers.get("X-Place");
  if (place === "away") return location.assign(html);
  if (place === "dialog") {
    dialog.innerHTML = html;
    dialog.setAttribute("aria-labelledby", "dialog-title");
    dialog.setAttribute("aria-describedby", "dialog-lines");
    dialog.showModal();
    dialog.querySelector("[data-focus]").focus();
    return;
  }
  if (dialog.open) dialog.close();
  const opened = ["filters", "more-types", "notes"].filter((id) => byId(id) && byId(id).open);
  main.innerHTML = html;
  // The stages beside the message count what it has changed.
  const rail = byId("rail-now");
  if (rail) document.querySelector(".rail").replaceWith(rail.content);
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
    // The click at the end of a drag means nothing else.
    if (isDragged) return;
    moveTo(target);
    changeMarks((word) => toggleAt(word, event.target.closest(".part")));
  } else if (target.id === "mark") changeMarks(toggle);
  else if (target.id === "join") changeMarks(join);
  else if (target.dataset.type) changeMarks((word) => setType(word, target.dataset.type));
  else if (target.dataset.aside) {
    event.preventDefault();
    toggleAside(target);
  } else if (target.dataset.shuts) shutAside();
  else if (target.dataset.opens) byId(target.dataset.opens).showModal();
  else if ("closes" in target.dataset && byId("dialog").open) {
    event.preventDefault();
    byId("dialog").close();
  }
});

// ---- Guidelines, beside the message ----

async function toggleAside(link) {
  const aside = byId(link.dataset.aside);
  if (!aside.hidden) return shutAside();
  try {
    const response = await fetch(link.href, { headers: { "X-Fragment": "1" }, signal: AbortSignal.timeout(WAIT) });
    const text = await response.text();
    if (!response.ok) return warn(text);
    aside.querySelector(".content").innerHTML = text;
    aside.hidden = false;
    aside.focus({ preventScroll: true });
  } catch {
    warn(byId("banner-line").dataset.offline);
  }
}

function shutAside() {
  byId("guidelines").hidden = true;
  (current || main).focus({ preventScroll: true });
}

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
    // Space presses a word that has the focus by itself, unless a part of it is chosen.
    if (key === " " && event.target.id !== "message" && !part) return;
  } else if (key === "Escape") {
    if (part) moveTo(current);
    return;
  } else if (key.startsWith("Arrow") && event.shiftKey) {
    if (!words.length) return;
    event.preventDefault();
    extend(key);
    return;
  } else if (key === "ArrowLeft" || key === "ArrowRight") {
    if (!words.length) return;
    event.preventDefault();
    moveBy(key === "ArrowLeft" ? -1 : 1);
    return;
  } else if (key.length !== 1 || !keysOn.checked) return;
  const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!target) return;
  event.preventDefault();
  // A key that is held down decides once.
  if (event.repeat || busy) return;
  if (target.disabled && target.id === "take") say(byId("no-take").textContent);
  else if (target.dataset.focuses) openAt(target);
  else target.click();
});

function openAt(summary) {
  summary.parentElement.open = true;
  byId(summary.dataset.focuses).focus();
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
