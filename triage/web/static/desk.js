"use strict";

// A file that is dropped or chosen is sent as it is; the answer is the address of its project.
const drop = document.getElementById("drop");
if (drop) {
  const said = document.getElementById("drop-said");
  const input = document.getElementById("file");

  async function send(file) {
    said.textContent = drop.dataset.sending;
    try {
      const response = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, {
        method: "POST",
        headers: { "X-CSRF": drop.dataset.csrf, "X-Fragment": "1", "Content-Type": "application/octet-stream" },
        body: file,
      });
      const text = await response.text();
      if (response.ok) location.assign(text);
      else said.textContent = text;
    } catch {
      said.textContent = drop.dataset.failed;
    }
  }

  input.addEventListener("change", () => input.files.length && send(input.files[0]));
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
  });
}

// Work that is running is asked how far it is; its page is loaded anew at its end.
const work = document.querySelector("[data-progress]");
if (work) {
  const bar = work.querySelector("progress");
  const left = work.querySelector(".left");

  async function ask() {
    const found = await (await fetch(work.dataset.progress)).json();
    if (!found.running) {
      location.reload();
      return;
    }
    bar.value = found.share;
    work.querySelector(".step").textContent = found.step;
    if (left.textContent !== found.left) left.textContent = found.left;
    setTimeout(ask, 700);
  }

  ask();
}

// The slider and the field are one bound, of which the table tells what it asks of people.
const bound = document.getElementById("bound");
if (bound) {
  const written = document.getElementById("max-residue");
  const said = document.getElementById("bound-said");
  const rows = [...document.querySelectorAll("#bounds [data-bound]")];

  // Of a bound between two, what the smaller one asks, which is more.
  function tell(percent) {
    const row = rows.findLast((one) => Number(one.dataset.bound) <= percent) ?? rows[0];
    said.textContent = row.dataset.said;
  }

  bound.addEventListener("input", () => {
    written.value = bound.value;
    tell(bound.valueAsNumber);
  });
  written.addEventListener("input", () => {
    const percent = Number(written.value.replace(",", "."));
    if (!(percent > 0)) return;
    bound.value = percent;
    tell(percent);
  });
}

// Keys of the page, where no field has the focus.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const button = document.querySelector(`main [data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (button) button.click();
});

// A link that is shown once is copied by a button.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const link = document.getElementById(button.dataset.copy);
    // Plain HTTP from another machine has no clipboard: the link is marked, to be copied by hand.
    getSelection().selectAllChildren(link);
    if (!navigator.clipboard) return;
    await navigator.clipboard.writeText(link.textContent);
    button.textContent = button.dataset.said;
  });
}

document.getElementById("print")?.addEventListener("click", () => print());
