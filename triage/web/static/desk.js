"use strict";

// A file that is dropped or chosen is sent as it is; the answer is the address of its project.
for (const drop of document.querySelectorAll(".drop")) {
  const said = drop.querySelector("[role=status]");
  const bar = drop.querySelector("progress");
  const input = drop.querySelector("input");

  function send(file) {
    const request = new XMLHttpRequest();
    request.open("POST", `${drop.dataset.to}?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Fragment", "1");
    request.upload.onprogress = (event) => {
      bar.max = event.total;
      bar.value = event.loaded;
    };
    // All of it is there, and is looked at; how long that takes is not known.
    request.upload.onload = () => {
      bar.removeAttribute("value");
      said.textContent = drop.dataset.reading;
    };
    request.onloadend = () => {
      if (request.status === 200) {
        location.assign(request.responseText);
        return;
      }
      bar.hidden = true;
      said.textContent = request.responseText || drop.dataset.failed;
    };
    said.textContent = drop.dataset.sending;
    bar.hidden = false;
    request.send(file);
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
