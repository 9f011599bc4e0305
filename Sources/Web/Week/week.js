// SPDX-License-Identifier: Apache-2.0
//
// The node renders the whole page. This script reloads its content: after each change that the node reports, and every
// minute in case the stream is dead. It also sends the form that adds a session.
"use strict";

const root = document.documentElement;
const part = (id, page = document) => page.getElementById(id);
let isAsking = false;
let isOld = false; // whether something has changed since the last request

/// Shows a page that the node has rendered. A form that a person has opened stays as it is.
function show(next) {
  const [form, nextForm] = [part("add"), part("add", next)];
  for (const id of ["numbers", "add"]) if (part(id) && part(id, next)) part(id, next).open = part(id).open;
  if (!form?.open || !nextForm) {
    if (next.body.innerHTML !== document.body.innerHTML) document.body.replaceWith(next.body);
    return;
  }
  for (const id of ["stage", "numbers"]) if (part(id).innerHTML !== part(id, next).innerHTML) part(id).replaceWith(part(id, next));
  form.querySelector("[name=day]").max = nextForm.querySelector("[name=day]").max;
}

async function refresh() {
  isOld = true;
  if (isAsking) return;
  isAsking = true;
  while (isOld) {
    isOld = false;
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (!answer.ok) throw answer;
      show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      root.classList.remove("cut");
    } catch {
      root.classList.add("cut");
    }
  }
  isAsking = false;
}

addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const [output, button] = [form.querySelector("output"), form.querySelector("button")];
  const tell = (word, field) => {
    output.textContent = output.dataset[word];
    form.elements[field]?.focus();
  };
  const { title, label, day, from, to } = Object.fromEntries(new FormData(form));
  if (to <= from) return tell("early", "to");
  button.disabled = true;
  try {
    const answer = await fetch("v1/debt", {
      method: "POST", headers: { "Content-Type": "application/json" }, keepalive: true,
      body: JSON.stringify({ title, ...(label.trim() ? { label } : {}), day, from, to }),
    });
    const reply = await answer.json();
    if (answer.ok) form.reset();
    if (answer.ok) tell("saved", "title");
    else if ([401, 403].includes(answer.status)) tell("refused");
    else if (answer.status === 422) tell(["from", "to"].includes(reply.field) ? "ahead" : "invalid", reply.field);
    else tell("unsaved");
  } catch {
    tell("unsaved");
  }
  button.disabled = false;
});

// The opened part is below the window.
addEventListener("click", ({ target }) => {
  if (target.localName === "summary") requestAnimationFrame(() => target.parentElement.scrollIntoView({ block: "nearest" }));
});

let source = null;
function connect() {
  source = new EventSource("v1/timeline");
  source.addEventListener("timeline", refresh);
  source.onerror = refresh;
}

// Browsers keep left pages in the back/forward cache; the stream would occupy one of six connections to the node.
addEventListener("pagehide", () => source.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) connect();
});
connect();
setInterval(refresh, 60000);
