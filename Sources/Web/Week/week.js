// SPDX-License-Identifier: Apache-2.0
//
// The node renders the whole page. This script only reloads its content: after each change that the node reports, and
// every minute in case the stream is dead.
"use strict";

const root = document.documentElement;
let isAsking = false;
let isOld = false; // whether something has changed since the last request

async function refresh() {
  isOld = true;
  if (isAsking) return;
  isAsking = true;
  while (isOld) {
    isOld = false;
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (!answer.ok) throw answer;
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      const [now, then] = [next, document].map((page) => page.querySelector("details"));
      if (now && then) now.open = then.open;
      if (next.body.innerHTML !== document.body.innerHTML) document.body.replaceWith(next.body);
      root.classList.remove("cut");
    } catch {
      root.classList.add("cut");
    }
  }
  isAsking = false;
}

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
