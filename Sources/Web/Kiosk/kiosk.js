// SPDX-License-Identifier: Apache-2.0
//
// The node sends a timeline: what to show from which instant on, and how the time counts meanwhile. This script knows
// the node's clock, finds the entry of the present instant, and writes its time.
"use strict";

const params = new URLSearchParams(location.search);
const root = document.documentElement;
const part = (id) => document.getElementById(id);
const no = ["0", "no", "off", "false"];
const theme = ["light", "e-ink"].includes(params.get("theme")) ? params.get("theme") : "dark";
const scale = Math.min(Math.max(parseFloat(params.get("scale")) || 1, 0.2), 1);
const hidden = (params.get("hide") || "").split(",").map((name) => name.trim());

let timeline = null;
let entry = null; // what is drawn
let layout = ""; // what the size was found for
let timer = 0;
let pending = ""; // the operation that was pressed and is not answered
let message = "";
let messageTimer = 0;

// --- The node's clock: its boot clock is `performance.now() + ahead`, which an exchange confines to an interval. ---

let low = -Infinity;
let high = Infinity;
let suspends = Date.now() - performance.now(); // moves when this machine sleeps: the browser's clock may stand still
const nodeNow = () => performance.now() + (low + high) / 2;

async function ask() {
  const sent = performance.now();
  const answer = await fetch("v1/clock", { cache: "no-store" });
  const { boot } = await answer.json();
  const came = performance.now();
  // The reading was taken between the two; a reading says the millisecond that has begun.
  const [newLow, newHigh] = [boot - came, boot + 1 - sent];
  if (newLow > high || newHigh < low) [low, high] = [newLow, newHigh];
  else [low, high] = [Math.max(low, newLow), Math.min(high, newHigh)];
}

let syncing = null;
function sync() {
  syncing = syncing || (async () => {
    // What was known before a suspend, or an hour ago, counts no more than the width that drift gives it.
    low -= 5;
    high += 5;
    for (let round = 0; round < 6; round++) await ask();
  })().catch(() => {}).finally(() => {
    syncing = null;
    draw();
  });
  return syncing;
}

function noticeSuspend() {
  const now = Date.now() - performance.now();
  const moved = now - suspends;
  suspends = now;
  if (Math.abs(moved) < 1000) return;
  low = -Infinity;
  high = Infinity;
  connect();
}

// --- The stream ---

let source = null;
let heardAt = performance.now();
let isLost = false;
let retry = 0;
let pause = 500;

function connect() {
  clearTimeout(retry);
  if (source) source.close();
  const query = new URLSearchParams();
  for (const name of ["face", "lang", "controls"]) if (params.has(name)) query.set(name, params.get(name));
  source = new EventSource("v1/timeline?" + query);
  source.addEventListener("timeline", (event) => {
    heard();
    const isFirst = !isFinite(low);
    timeline = JSON.parse(event.data);
    if (isFirst) [low, high] = [timeline.boot - performance.now() - 1, timeline.boot - performance.now() + 1];
    if (isFirst || timeline.boot < nodeNow() - 2000 || timeline.boot > nodeNow() + 50) {
      [low, high] = [-Infinity, Infinity];
      [low, high] = [timeline.boot - performance.now(), timeline.boot - performance.now() + 50];
      sync();
    }
    pending = "";
    entry = null;
    draw();
  });
  source.addEventListener("beat", heard);
  source.onopen = () => {
    pause = 500;
    heard();
  };
  source.onerror = lose;
}

function heard() {
  heardAt = performance.now();
  if (isLost) {
    isLost = false;
    sync();
    draw();
  }
}

function lose() {
  if (source) source.close();
  clearTimeout(retry);
  retry = setTimeout(connect, pause);
  pause = Math.min(pause * 2, 5000);
  if (!isLost) {
    isLost = true;
    draw();
  }
}

// A stream that says nothing for longer than its heartbeat is dead, whatever the network believes.
setInterval(() => {
  noticeSuspend();
  if (!isLost && performance.now() - heardAt > 25000) lose();
}, 5000);
setInterval(() => {
  if (!document.hidden) sync();
}, 300000);

// --- Words ---

function say(key, values) {
  let text = timeline && timeline.words[key];
  if (!text) return "";
  if (typeof text === "object") {
    const form = new Intl.PluralRules(timeline.language).select(values.count);
    text = text[form] || text.other;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => (values && name in values ? values[name] : whole));
}

function lastHeard(milliseconds) {
  const seconds = Math.max(Math.floor(milliseconds / 1000), 0);
  if (seconds < 60) return say("lastHeardSeconds", { count: seconds });
  if (seconds < 3600) return say("lastHeardMinutes", { count: Math.floor(seconds / 60) });
  return say("lastHeardHours", { count: Math.floor(seconds / 3600) });
}

function timeText(seconds, pads) {
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours) return hours + ":" + two(minutes) + ":" + two(seconds % 60);
  return (pads ? two(minutes) : minutes) + ":" + two(seconds % 60);
}

// --- Drawing ---

const elapsed = (count, now) => {
  const passed = count.elapsed + (count.runs ? Math.max(now - count.anchor, 0) : 0);
  return count.length === undefined ? passed : Math.min(passed, count.length);
};

function draw() {
  clearTimeout(timer);
  if (!timeline || !isFinite(low)) return;
  const now = nodeNow();
  const entries = timeline.entries;
  let index = 0;
  while (index + 1 < entries.length && entries[index + 1].from <= now) index++;
  const next = [];
  if (index + 1 < entries.length) next.push(entries[index + 1].from - now);
  const isNew = entry !== entries[index];
  entry = entries[index];
  const lostFor = isLost ? performance.now() - heardAt : 0;
  if (isNew) drawEntry();
  root.classList.toggle("stale", entry.status !== "idle" && (lostFor >= 30000 || entry.notices.some((n) => n.kind === "stale")));
  drawNotice(now, lostFor);
  drawButtons();
  drawTime(now, next);
  if (isLost || entry.notices.some((notice) => notice.since !== undefined)) next.push(1000 - (lostFor % 1000));
  fit();
  // One that fires early would draw the same again.
  if (next.length) timer = setTimeout(draw, Math.max(Math.min(...next), 1) + 0.5);
}

function drawEntry() {
  const face = timeline.face;
  const hides = hidden.filter((name) => /^[a-z]+$/.test(name)).map((name) => "hide-" + name);
  root.className = [face, face === "boring" ? "" : theme, entry.status, ...hides].filter(Boolean).join(" ");
  root.lang = timeline.language;
  root.dir = timeline.direction;
  root.style.setProperty("--tint", face === "boring" ? "#888" : entry.tint);
  const isPlain = face !== "boring";
  const label = entry.label ? entry.label.name : "";
  const texts =
    face === "focus" ? [label || entry.state, label ? entry.state : "", [entry.indicator, entry.title].filter(Boolean).join(" · ")]
    : face === "calm" ? [entry.title || label || entry.state, entry.status === "running" ? "" : entry.state, ""]
    : face === "phases" ? [entry.title || label || entry.state, entry.indicator || "", entry.status === "running" ? "" : entry.state]
    : ["", "", ""];
  write(part("name").lastElementChild, texts[0], part("name"));
  write(part("state"), texts[1] === texts[0] ? "" : texts[1]);
  write(part("detail"), texts[2] === texts[0] || texts[2] === texts[1] ? "" : texts[2]);
  show(part("tag"), face === "focus" && label !== "");
  show(part("icon"), isPlain && !entry.emoji && !!entry.icon);
  part("icon").firstElementChild.setAttribute("d", (isPlain && entry.icon) || "");
  write(part("emoji"), (isPlain && entry.emoji) || "");
  write(part("calm").firstElementChild, entry.calm || "", part("calm"));
  write(part("trend"), { rising: "↗", falling: "↘", steady: "→" }[entry.trend] || "");
  write(part("under"), face === "boring" ? entry.debt || "" : "");
  for (const name of hidden) if (/^(icon|name|state|detail|calm|bar|buttons|under|ring|head)$/.test(name)) show(part(name), false);
  if (isPlain && part("spoken").textContent !== entry.spoken) part("spoken").textContent = entry.spoken;
  if (entry.status === "idle") document.title = "·";
  keepAwake();
}

function drawNotice(now, lostFor) {
  let texts = entry.status === "idle" ? [entry.idle] : [];
  for (const notice of entry.notices) texts.push(notice.since === undefined ? notice.text : lastHeard(now - notice.since));
  if (message) texts.unshift(message);
  if (lostFor >= 1000) texts = texts.concat(say("pageLost", { node: timeline.node || "" }), lastHeard(lostFor));
  const calmly = !message && lostFor < 1000 && entry.notices.every((notice) => ["tookOver", "moved"].includes(notice.kind));
  part("notice").classList.toggle("calmly", calmly);
  const isHidden = timeline.face === "boring" || hidden.includes("notice");
  write(part("notice"), isHidden ? "" : texts.filter(Boolean).join(" · "));
}

function drawButtons() {
  const wanted = isLost || hidden.includes("buttons") ? [] : entry.buttons;
  const box = part("buttons");
  const names = wanted.map((button) => button.op + button.text).join();
  if (box.dataset.names !== names) {
    box.dataset.names = names;
    box.replaceChildren(...wanted.map((wish) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = wish.text;
      button.dataset.op = wish.op;
      button.onclick = () => press(wish);
      return button;
    }));
  }
  for (const button of box.children) {
    button.disabled = pending !== "";
    button.setAttribute("aria-busy", String(button.dataset.op === pending));
  }
}

function drawTime(now, next) {
  const count = entry.count;
  if (!count) return write(part("time"), "");
  const passed = elapsed(count, now);
  const isDown = count.length !== undefined;
  const milliseconds = isDown ? count.length - passed : passed;
  const seconds = isDown ? Math.ceil(milliseconds / 1000) : Math.floor(milliseconds / 1000);
  const part1 = isDown ? passed / count.length : 0;
  const isEnding = theme === "e-ink" && timeline.face !== "boring" && count.runs && !!entry.ends;
  root.classList.toggle("ending", isEnding);
  const text = isEnding ? entry.ends : entry.status === "superseded" || entry.status === "stopped" ? "" : entry.sign + timeText(seconds, entry.pads);
  root.classList.toggle("long", text.length > 6);
  write(part("time"), text);
  if (!isEnding) document.title = text || "·";
  part("bar").firstElementChild.style.width = (part1 * 100).toFixed(2) + "%";
  part("arc").style.strokeDasharray = part1.toFixed(4) + " 1";
  if (count.runs && !isEnding) {
    const into = ((milliseconds % 1000) + 1000) % 1000;
    next.push(isDown ? into || 1000 : 1000 - into);
  }
}

function write(node, text, box) {
  if (node.textContent !== text) node.textContent = text;
  show(box || node, text !== "");
}

function show(node, isShown) {
  node.classList.toggle("empty", !isShown);
}

// --- The size: the largest at which everything fits, found anew when something else than a digit has changed ---

function fit() {
  const digits = part("time").textContent.replace(/\d/g, "0");
  const wanted = [innerWidth, innerHeight, root.className, digits.length > entry.widest.length ? digits : entry.widest, part("card").textContent.replace(/\d/g, "0"), part("notice").textContent.replace(/\d/g, "0")].join("|");
  if (wanted === layout) return;
  layout = wanted;
  const text = part("time").textContent;
  if (text && !root.classList.contains("ending") && entry.widest.length > text.length) part("time").textContent = entry.widest;
  let best = { size: 0, name: "column" };
  for (const name of timeline.face === "focus" || timeline.face === "calm" ? ["row", "column"] : ["column"]) {
    setLayout(name);
    const size = largest();
    // A time is read from further away than what stands beside it.
    if (size > best.size) best = { size, name };
  }
  setLayout(best.name);
  root.style.fontSize = best.size * scale + "px";
  if (part("time").textContent !== text) part("time").textContent = text;
}

function setLayout(name) {
  root.classList.toggle("row", name === "row");
  root.classList.toggle("column", name === "column");
}

function largest() {
  const share = timeline.face === "boring" ? 0.62 : 0.93;
  const [width, height] = [innerWidth * share, innerHeight * share];
  const fits = (size) => {
    root.style.fontSize = size + "px";
    const [card, notice] = [part("card"), part("notice")];
    const below = notice.offsetHeight ? notice.offsetHeight + 0.7 * size : 0;
    return Math.max(card.offsetWidth, notice.offsetWidth * (0.93 / 0.94)) <= width && card.offsetHeight + below <= height && notice.scrollWidth <= notice.clientWidth + 1;
  };
  let [small, large] = [2, Math.max(innerWidth, innerHeight) / 3];
  while (large - small > 0.25) {
    const middle = (small + large) / 2;
    if (fits(middle)) small = middle;
    else large = middle;
  }
  return small;
}

// --- Pressing ---

const refusals = {
  superseded: "refusedSuperseded", stalePhase: "refusedStalePhase", expired: "refusedExpired",
  notAllowed: "refusedNotAllowed", invalid: "refusedInvalid",
};

async function press(wish) {
  if (pending) return;
  pending = wish.op;
  tell("");
  const body = { op: wish.op, session: entry.session, phase: entry.phase };
  if (wish.seconds !== undefined) body.seconds = wish.seconds;
  let text = "";
  try {
    const answer = await fetch("v1/intents", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const reply = await answer.json();
    if (answer.status === 401 || answer.status === 403) text = say("notPermitted");
    else if (reply.outcome === "refused") text = say(refusals[reply.reason] || "refusedNotAllowed");
    else if (reply.outcome === "noAnswer") text = say("noAnswer");
    else if (reply.outcome === "noSession") text = say("noSession");
    else if (reply.outcome === "invalid") text = say("refusedInvalid");
  } catch (error) {
    text = say("pageLost", { node: timeline.node || "" });
  }
  pending = "";
  tell(text);
}

function tell(text) {
  message = text;
  clearTimeout(messageTimer);
  if (text) messageTimer = setTimeout(() => tell(""), 4000);
  draw();
}

// --- The screen stays on while a session is live ---

let wakeLock = null;
async function keepAwake() {
  const wants = !!entry && ["running", "paused", "ready"].includes(entry.status) && !document.hidden;
  if (!("wakeLock" in navigator) || wants === !!wakeLock) return;
  try {
    if (wants) {
      wakeLock = await navigator.wakeLock.request("screen");
      wakeLock.onrelease = () => { wakeLock = null; };
    } else {
      const held = wakeLock;
      wakeLock = null;
      await held.release();
    }
  } catch (error) {
    wakeLock = null; // Not every browser lets a page without encryption do that.
  }
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  noticeSuspend();
  draw();
  sync();
  if (entry) keepAwake();
});
addEventListener("online", connect);
addEventListener("pageshow", () => draw());
addEventListener("resize", () => draw());
if (!no.includes(params.get("qr") || "0")) {
  part("qr").src = "qr.svg?" + params;
  part("qr").hidden = false;
}
connect();
