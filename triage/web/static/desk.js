"use strict";

const byId = (id) => document.getElementById(id);

// A file that is dropped or chosen is sent as it is; the answer is the address of its project.
document.addEventListener("change", ({ target }) => {
  const drop = target.closest(".drop");
  const [file] = (drop && target.files) || [];
  if (!file) return;
  const [bar, said] = [drop.querySelector("progress"), drop.querySelector("[role=status]")];
  const request = new XMLHttpRequest();
  request.open("POST", `${drop.dataset.to}?name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.setRequestHeader("X-Fragment", "1");
  request.upload.onprogress = ({ loaded, total }) => (bar.value = loaded / total);
  // All of it is there, and is looked at; how long that takes is not known.
  request.upload.onload = () => bar.removeAttribute("value");
  request.onloadend = () => {
    if (request.status === 200) return location.assign(request.responseText);
    bar.hidden = true;
    said.textContent = request.responseText || drop.dataset.failed;
  };
  said.textContent = drop.dataset.sending;
  bar.hidden = false;
  request.send(file);
});

// Work that is running is asked how far it is; its page is loaded anew where its stage changes.
async function ask(work) {
  const answer = await fetch(work.dataset.progress).catch(() => null);
  const left = work.querySelector(".left");
  if (answer) {
    const found = answer.ok ? await answer.json() : {};
    if (found.running !== work.dataset.stage) return location.reload();
    work.querySelector("progress").value = found.share;
    work.querySelector(".step").textContent = found.step;
    if (left.textContent !== found.left) left.textContent = found.left;
  } else left.textContent = work.dataset.unreached;
  setTimeout(ask, 700, work);
}

const work = document.querySelector("[data-progress]");
if (work) ask(work);

// The slider and the field are one bound, of which the table tells what it asks of people.
document.addEventListener("input", ({ target }) => {
  const [slider, written] = [byId("bound"), byId("max-residue")];
  const percent = Number(target.value.replace(",", "."));
  if (!slider || ![slider, written].includes(target) || !(percent > 0)) return;
  if (target === slider) written.value = percent.toLocaleString(document.documentElement.lang);
  else slider.value = percent;
  // Of a bound between two, what the smaller one asks, which is more.
  const rows = [...document.querySelectorAll("#bounds [data-bound]")];
  const row = rows.findLast((one) => Number(one.dataset.bound) <= percent) ?? rows[0];
  byId("bound-said").textContent = row.dataset.said;
});

// Keys of the page, where no field has the focus.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  document.querySelector(`main [data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
});

// A link that is shown once is copied by a button.
document.addEventListener("click", async ({ target }) => {
  const link = byId(target.dataset.copy);
  if (!link) return;
  // Plain HTTP from another machine has no clipboard: the link is marked, to be copied by hand.
  getSelection().selectAllChildren(link);
  if (!navigator.clipboard) return;
  await navigator.clipboard.writeText(link.textContent);
  target.textContent = target.dataset.said;
});
