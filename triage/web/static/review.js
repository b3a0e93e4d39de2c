"use strict";

// The page works by forms; this file adds keys, marks, and steps without a reload.
// The server renders all text; nothing here makes HTML.

const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const main = byId("main");
const WAIT = 15000;

function say(line) {
  byId("live").textContent = "";
  // A line that is said twice in a row is announced again only as a change.
  setTimeout(() => (byId("live").textContent = line), 30);
}

// The message and its marks, which a field of the form keeps.
//
// Spans count characters (code points), as the server does. The message is made of pieces: words,
// which are buttons, and what stands between them, without white space. `places` are the characters
// that can be marked, each of a piece.

let pieces, words, places;
let marks = [];
let current, hovered, part;

const spanOf = (piece) => ({ start: Number(piece.dataset.s), end: Number(piece.dataset.e) });
const meets = (one, other) => one.start < other.end && other.start < one.end;
const marksIn = (span) => marks.filter((mark) => meets(mark, span));
const shownWord = () => (part ? current : hovered || current);

function readMessage() {
  pieces = all("#message [data-s]");
  words = pieces.filter((piece) => piece.matches("button"));
  places = pieces.flatMap((piece) => {
    const { start } = spanOf(piece);
    return Array.from([...piece.textContent], (_, n) => ({ piece, n, at: start + n }));
  });
  marks = (byId("spans")?.value.match(/\S+/g) || []).map((written) => {
    const [start, end, type] = written.split(":");
    return { start: Number(start), end: Number(end), type };
  });
  hovered = part = null;
  const isMarked = (word) => marksIn(spanOf(word)).length;
  const isInDoubt = (word) => word.matches(".known, .ambiguous, .unknown");
  current = words.find(isMarked) || words.find(isInDoubt) || words[0] || null;
  if (current) current.tabIndex = 0;
  drawMarks();
}

// What is marked next: the part that was chosen by dragging or by keys, else a word.
function spanOfPart() {
  const [from, to] = [part.anchor, part.focus].sort((one, other) => one - other);
  return { start: places[from].at, end: places[to - 1].at + 1 };
}

function chosenMark(word) {
  if (!part) return marksIn(spanOf(word))[0];
  const { start, end } = spanOfPart();
  return marks.find((mark) => mark.start === start && mark.end === end);
}

// A mark takes the place of those that it meets.
function put(span, type) {
  const mark = { ...span, type };
  marks = [...marks.filter((other) => !meets(other, span)), mark];
  return mark;
}

const putChosen = (word) => put(part ? spanOfPart() : spanOf(word), word.dataset.t);

function toggle(word) {
  const mark = chosenMark(word);
  if (mark) marks = marks.filter((other) => other !== mark);
  else putChosen(word);
}

function setType(word, type) {
  sayMark(Object.assign(chosenMark(word) || putChosen(word), { type }));
}

// The mark grows to the next word after it, and takes in a mark that it meets there.
function join(word) {
  const { start, end, type } = chosenMark(word) || putChosen(word);
  const next = words.map(spanOf).find((span) => span.start >= end);
  if (!next) return;
  part = null;
  say(textOf(put({ start, end: (marksIn(next)[0] || next).end }, type)));
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

function drawMarks() {
  for (const piece of pieces) {
    const span = spanOf(piece);
    const found = marksIn(span);
    const whole = found.find((mark) => mark.start <= span.start && span.end <= mark.end);
    if (piece.matches("button")) piece.setAttribute("aria-pressed", String(found.length > 0));
    if (whole) piece.dataset.mark = whole.type;
    else delete piece.dataset.mark;
    piece.classList.toggle("joined", Boolean(whole && whole.end > span.end));
    piece.replaceChildren(...cutAt(whole ? [] : found, [...piece.textContent], span));
  }
  drawPart();
  drawPanel();
}

// A piece that is marked in part is cut where marks begin and end.
function cutAt(found, characters, { start, end }) {
  const nodes = [];
  let done = 0;
  for (const mark of found) {
    const [from, to] = [Math.max(mark.start, start) - start, Math.min(mark.end, end) - start];
    const node = document.createElement("span");
    node.className = mark.end > end ? "part joined" : "part";
    node.dataset.mark = mark.type;
    node.textContent = characters.slice(from, to).join("");
    node.shows = mark;
    nodes.push(characters.slice(done, from).join(""), node);
    done = to;
  }
  nodes.push(characters.slice(done).join(""));
  return nodes.filter(Boolean);
}

// The text node and the offset in it of the n-th character of a piece.
function nodeAt(piece, n) {
  for (const child of piece.childNodes) {
    const node = child.firstChild || child;
    const characters = [...node.data];
    if (n <= characters.length) return [node, characters.slice(0, n).join("").length];
    n -= characters.length;
  }
  return [piece, 0];
}

function rangeOf({ start, end }) {
  const first = places.find((place) => place.at === start);
  const last = places.find((place) => place.at === end - 1);
  const range = document.createRange();
  range.setStart(...nodeAt(first.piece, first.n));
  range.setEnd(...nodeAt(last.piece, last.n + 1));
  return range;
}

const sayMark = (mark) => say(`${textOf(mark)} ${mark.type}`);
const textOf = (span) => rangeOf(span).toString().replace(/\s+/g, " ");

// The browser shows the chosen part as selected.
function drawPart() {
  const shown = getSelection();
  if (part || byId("message")?.contains(shown.anchorNode)) shown.removeAllRanges();
  if (part) shown.addRange(rangeOf(spanOfPart()));
}

function drawTake() {
  const take = byId("take");
  if (!take) return;
  const { one, many, none, unmarked } = take.dataset;
  // Without marks it may be against a vote to release: no key does that by default.
  take.value = marks.length ? "TA" : unmarked;
  take.hidden = take.disabled = !take.value;
  byId("no-take").hidden = Boolean(take.value);
  byId("take-what").textContent = take.value;
  const said = marks.length === 1 ? one : marks.length ? many : none;
  byId("take-marked").textContent = said.replace("#", marks.length);
}

function drawPanel() {
  const panel = byId("panel");
  if (!panel) return;
  const word = shownWord();
  const mark = word && chosenMark(word);
  const text = byId("panel-word");
  const name = word ? word.textContent : "";
  text.textContent = part ? textOf(spanOfPart()) : name || text.dataset.none;
  text.className = word ? `w ${word.className.replace(/\bjoined\b/, "")}` : "";
  byId("panel-why").textContent = word ? word.dataset.why : "";
  for (const button of panel.querySelectorAll("button")) {
    // A rule is of a word alone.
    button.disabled = !word || (button.name === "rule" && (Boolean(part) || /\s/.test(name)));
    const { type } = button.dataset;
    if (type) button.setAttribute("aria-pressed", String(mark?.type === type));
  }
  byId("mark").setAttribute("aria-pressed", String(Boolean(mark)));
  if (byId("rule")) {
    byId("rule-word").value = name;
    byId("rule-type").value = mark?.type || word?.dataset.t || "PRE";
  }
  for (const other of words) other.removeAttribute("aria-describedby");
  word?.setAttribute("aria-describedby", "panel-why");
}

function moveTo(word) {
  if (!word) return;
  current.tabIndex = -1;
  word.tabIndex = 0;
  current = word;
  hovered = part = null;
  drawPart();
  // Before the focus moves: a screen reader reads the description with the word.
  drawPanel();
  if (document.activeElement !== word) word.focus();
}

// Shift with an arrow to the right or left moves the end that was set last; up and down the other.
function extend(key) {
  const isOther = key === "ArrowUp" || key === "ArrowDown";
  if (isOther && !part) return;
  const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const first = places.findIndex((place) => place.piece === current);
  const begin = step > 0 ? first : first + [...current.textContent].length;
  part ||= { anchor: begin, focus: begin };
  const end = isOther ? "anchor" : "focus";
  part[end] = Math.min(places.length, Math.max(0, part[end] + step));
  if (part.anchor === part.focus) part = null;
  drawPart();
  drawPanel();
  if (part) say(textOf(spanOfPart()));
}

const outside = (value, low, high) => Math.max(low - value, value - high, 0);
// Lines count before places in a line.
const distance = (box, x, y) => outside(y, box.top, box.bottom) * 100 + outside(x, box.left, box.right);

// The border between characters that is nearest to a point.
function borderAt(x, y) {
  const nearest = (things) => {
    const far = things.map((one) => distance(one.getBoundingClientRect(), x, y));
    return things[far.indexOf(Math.min(...far))];
  };
  const piece = nearest(pieces);
  const inside = places.filter((place) => place.piece === piece);
  const ranges = inside.map(({ at }) => rangeOf({ start: at, end: at + 1 }));
  const range = nearest(ranges);
  const box = range.getBoundingClientRect();
  const isRightToLeft = /[\u0590-\u08ff]/.test(range.toString());
  const isAfter = x > (box.left + box.right) / 2 !== isRightToLeft;
  return places.indexOf(inside[ranges.indexOf(range)]) + Number(isAfter);
}

const FAR = 6;
let drag = null;
let isDragged = false;

document.addEventListener("pointerdown", ({ target, button, pointerId, clientX: x, clientY: y }) => {
  const text = target.closest("#message-text");
  isDragged = false;
  drag = text && pieces.length && button === 0 && byId("spans") ? { text, pointerId, x, y } : null;
  if (drag) drag.from = borderAt(x, y);
});

// Instead of the selection of the browser, which stops at buttons.
document.addEventListener("mousedown", (event) => {
  if (drag && event.target.closest("#message-text")) event.preventDefault();
});

document.addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
  if (!drag || (!isDragged && Math.hypot(x - drag.x, y - drag.y) < FAR)) return;
  if (!isDragged) drag.text.setPointerCapture(drag.pointerId);
  isDragged = true;
  const to = borderAt(x, y);
  part = drag.from === to ? null : { anchor: drag.from, focus: to };
  drawPart();
});

document.addEventListener("pointerup", () => {
  const chosen = drag && isDragged && part;
  drag = null;
  if (!chosen) return;
  const span = spanOfPart();
  const word = words.find((one) => meets(spanOf(one), span));
  moveTo(word || current);
  part = chosen;
  sayMark(put(span, word ? word.dataset.t : "PRE"));
  keepMarks();
});

document.addEventListener("pointercancel", () => (drag = null));

document.addEventListener("pointerover", (event) => {
  const word = event.target.closest("#message button.w");
  if (event.pointerType !== "mouse" || word === hovered) return;
  hovered = word;
  drawPanel();
});

document.addEventListener("focusin", (event) => {
  const word = event.target.closest("#message button.w");
  if (word && word !== current) moveTo(word);
});

let busy = false;
let unsent = null;

document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  if (!("step" in form.dataset) || (button && "leaves" in button.dataset)) return;
  event.preventDefault();
  const action = button?.hasAttribute("formaction") ? button.formAction : form.action;
  send({ action, body: new URLSearchParams(new FormData(form, button)) });
});

// Ask for a part of a page; what is wrong instead is shown, and what could not be sent is kept.
async function send(step) {
  if (busy) return;
  busy = main.ariaBusy = true;
  unsent = null;
  let response, html;
  try {
    const [headers, signal] = [{ "X-Fragment": "1" }, AbortSignal.timeout(WAIT)];
    response = await fetch(step.action, { method: "POST", body: step.body, headers, signal });
    html = await response.text();
  } catch {
    unsent = step;
  }
  busy = main.ariaBusy = false;
  if (unsent) return warn(byId("banner-line").dataset.offline);
  if (!response.ok) return warn(html);
  byId("banner").hidden = true;
  const place = response.headers.get("X-Place");
  if (place === "away") return location.assign(html);
  if (place !== "dialog") return show(html, new URL(response.url).pathname);
  byId("dialog").innerHTML = html;
  byId("dialog").showModal();
}

function show(html, path) {
  byId("dialog").close();
  const opened = all("main details[id][open]").map((details) => details.id);
  const place = () => main.querySelector("[data-place]")?.dataset.place;
  const left = place();
  main.innerHTML = html;
  // The stages beside the message count what it has changed.
  const rail = byId("rail-now");
  if (rail) document.querySelector(".rail").replaceWith(rail.content);
  for (const id of opened) byId(id)?.setAttribute("open", "");
  // The way back leads to the message that was left.
  if (left && left !== place()) {
    history.replaceState(true, "", left);
    history.pushState(true, "", path);
  } else history.replaceState(history.state, "", path);
  for (const back of all("form[action='/language'] [name=back]")) back.value = path;
  readMessage();
  (byId("message") || main.querySelector("h1") || main).focus({ preventScroll: true });
  window.scrollTo(0, 0);
  sayWhatWasDone();
}

function warn(line) {
  byId("dialog").close();
  byId("banner-line").textContent = line;
  byId("retry").hidden = !unsent;
  byId("reload").hidden = Boolean(unsent);
  byId("banner").hidden = false;
}

function sayWhatWasDone() {
  const said = byId("said")?.textContent;
  if (said) say(`${said} ${byId("left")?.textContent || ""}`);
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("button, a");
  if (!target) return;
  const { id, dataset } = target;
  if (target.matches("#message button.w")) {
    // The click at the end of a drag means nothing else.
    if (isDragged) return;
    moveTo(target);
    // A click on a marked part of a word is about that part.
    const cut = event.target.closest(".part");
    changeMarks(cut ? () => (marks = marks.filter((mark) => mark !== cut.shows)) : toggle);
  } else if (id === "mark") changeMarks(toggle);
  else if (id === "join") changeMarks(join);
  else if (id === "retry") send(unsent);
  else if (dataset.type) changeMarks((word) => setType(word, dataset.type));
  else if (dataset.opens) byId(dataset.opens).showModal();
  else if ("closes" in dataset && byId("dialog").open) {
    event.preventDefault();
    byId("dialog").close();
  }
});

const keysOn = byId("keys-on");
keysOn.checked = localStorage.getItem("triage-keys") !== "off";
keysOn.addEventListener("change", () => {
  localStorage.setItem("triage-keys", keysOn.checked ? "on" : "off");
});

function isOurs(event) {
  const modified = event.ctrlKey || event.altKey || event.metaKey || event.getModifierState("AltGraph");
  if (modified || event.isComposing || event.defaultPrevented) return false;
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
  return !isTyping && !document.querySelector("dialog[open]");
}

function keyOf(event) {
  if (event.key === "/" || event.key === "?") return event.key;
  // On a French keyboard digits are typed with Shift: the key counts, not what it types.
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  if (digit) return digit[1];
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

// Enter and the space press what has the focus; on a word Enter answers, and the space marks a chosen part.
function pressesItself(key, target) {
  const isOutside = !target.closest("#message") && target.closest("button, a, summary, input");
  return key === " " ? isOutside || (target.id !== "message" && !part) : key === "Enter" && isOutside;
}

document.addEventListener("keydown", (event) => {
  if (!isOurs(event)) return;
  const key = keyOf(event);
  if (key === "Escape" && part) moveTo(current);
  if (key.startsWith("Arrow") && current && (event.shiftKey || /Left|Right/.test(key))) {
    event.preventDefault();
    const step = key === "ArrowLeft" ? -1 : 1;
    if (event.shiftKey) extend(key);
    else moveTo(document.activeElement === current ? words[words.indexOf(current) + step] : current);
    return;
  }
  const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const isOn = key === "Enter" || key === " " || keysOn.checked;
  if (!target || !isOn || pressesItself(key, event.target)) return;
  event.preventDefault();
  // A key that is held down decides once.
  if (event.repeat || busy) return;
  if (target.matches("summary")) {
    target.parentElement.open = true;
    target.parentElement.querySelector("input:not([type=hidden]), textarea").focus();
  } else if (target.disabled && target.id === "take") say(byId("no-take").textContent);
  else target.click();
});

function drawChosen() {
  if (!byId("chosen")) return;
  const boxes = all("input[name=items]");
  const chosen = boxes.filter((box) => box.checked).length;
  byId("chosen").textContent = chosen || "";
  byId("choose-all").checked = chosen === boxes.length;
  byId("choose-all").indeterminate = chosen > 0 && chosen < boxes.length;
}

document.addEventListener("change", ({ target }) => {
  if (target.id === "choose-all") {
    for (const box of all("input[name=items]")) box.checked = target.checked;
  }
  drawChosen();
});

// Other than a step to a part of the page.
window.addEventListener("popstate", (event) => event.state && location.reload());

// A page that the browser kept aside may be out of date.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

readMessage();
drawChosen();
sayWhatWasDone();
