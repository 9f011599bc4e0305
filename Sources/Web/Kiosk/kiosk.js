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
let isFitted = false; // whether the size was found for what is drawn
let room = { width: innerWidth, height: innerHeight }; // read when it changes: reading it costs a layout
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

/// Whether this machine seems to have slept: then its clock stood still while the node's went on. That the wall clock was
/// set looks the same, until the node says more.
function noticeSuspend() {
  const now = Date.now() - performance.now();
  const moved = now - suspends;
  suspends = now;
  if (Math.abs(moved) < 1000) return false;
  const slept = Math.max(moved, 0);
  low += slept;
  high += slept;
  heardAt -= slept;
  connect();
  return true;
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
  const seconds = Math.max(Math.floor(milliseconds / 1000), isPaper() ? 60 : 0);
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
  if (noticeSuspend() && !isLost) {
    timer = setTimeout(draw, 1000); // unless the node answers or the connection breaks first
    if (entry) fit();
    return;
  }
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
  toggle("stale", entry.status !== "idle" && (lostFor >= timeline.staleAfter || entry.notices.some((n) => n.kind === "stale")));
  drawNotice(now, lostFor);
  drawButtons();
  drawTime(now, next);
  speak();
  if (part("notice").dataset.counts && !isPaper()) next.push(1000 - (lostFor % 1000));
  // What is lost, and then stale, is said also where no time counts.
  if (isLost) next.push(...[1000, timeline.staleAfter].map((after) => after - lostFor).filter((left) => left > 0));
  fit();
  // One that fires early would draw the same again.
  if (next.length) timer = setTimeout(draw, Math.max(Math.min(...next), 1) + 0.5);
}

const isPlain = () => timeline.face !== "boring";
/// Paper turns black and white to change: nothing on it changes more often than once a minute.
const isPaper = () => theme === "e-ink" && isPlain();

function drawEntry() {
  const face = timeline.face;
  root.className = [face, isPlain() ? theme : "", entry.status].filter(Boolean).join(" ");
  isFitted = false;
  root.lang = timeline.language;
  root.dir = timeline.direction;
  root.style.setProperty("--tint", isPlain() ? visible(entry.tint) : "#888");
  root.style.setProperty("--tag", visible(entry.label ? entry.label.colour : entry.tint));
  const label = entry.label ? entry.label.name : "";
  const isMoved = entry.status === "superseded";
  const isGoing = entry.status === "running" || entry.status === "idle";
  const texts =
    !isPlain() ? ["", "", ""]
    : isMoved ? [entry.title || label, entry.state, ""]
    : face === "focus" ? [label || entry.state, label ? entry.state : "", [entry.indicator, entry.title].filter(Boolean).map(isolated).join(" · ")]
    : face === "calm" ? [entry.title || label || entry.state, isGoing ? "" : entry.state, ""]
    : [entry.title || label || entry.state, entry.indicator || "", isGoing ? "" : entry.state];
  toggle("wordy", texts.join("").length > 60);
  write(part("name").lastElementChild, texts[0], part("name"));
  write(part("state"), texts[1] === texts[0] ? "" : texts[1]);
  write(part("detail"), texts[2] === texts[0] || texts[2] === texts[1] ? "" : texts[2]);
  show(part("tag"), face === "focus" && label !== "" && !isMoved);
  show(part("icon"), isPlain() && !entry.emoji && !!entry.icon);
  part("icon").firstElementChild.setAttribute("d", (isPlain() && entry.icon) || "");
  write(part("emoji"), (isPlain() && entry.emoji) || "");
  write(part("calm").firstElementChild, entry.calm || "", part("calm"));
  write(part("trend"), { rising: "↗", falling: "↘", steady: "→" }[entry.trend] || "");
  write(part("under"), face === "boring" ? entry.debt || "" : "");
  for (const name of hidden) if (/^(icon|name|state|detail|calm|bar|buttons|under|ring|head|time)$/.test(name)) show(part(name), false);
  keepAwake();
}

/// Text of one direction within text of another.
const isolated = (text) => "\u2068" + text + "\u2069";

/// A label has any colour: as far towards the text's as it takes to be seen on the ground (3:1, WCAG 1.4.11).
function visible(colour) {
  const channels = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const light = (parts) => {
    const [red, green, blue] = parts.map((value) => (value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = channels.map((value) => Math.round(value + ((theme === "dark" ? 255 : 0) - value) * share));
    if ((theme === "dark" ? light(mixed) / 0.05 : 1.05 / light(mixed)) >= 3.1) return "#" + mixed.map((value) => value.toString(16).padStart(2, "0")).join("");
  }
  return colour;
}

/// Says what has changed to whoever hears the page; that time passes is no change.
function speak() {
  if (!isPlain()) return;
  const kinds = entry.notices.map((notice) => notice.kind);
  const label = entry.label ? entry.label.name : "";
  const now = [isLost, entry.session, entry.phase, entry.status, entry.title, label, entry.count && entry.count.length, kinds].join("|");
  if (now === said) return;
  said = now;
  part("spoken").textContent = [isLost ? say("pageLost", { node: timeline.node || "" }) : "", entry.spoken].filter(Boolean).join(". ");
}
let said = "";

function drawNotice(now, lostFor) {
  const isAway = lostFor >= 1000;
  const stale = entry.notices.find((notice) => notice.since !== undefined);
  const texts = [message, entry.status === "idle" ? entry.idle : ""];
  if (stale || isAway) texts.push(lastHeard(Math.max(stale ? now - stale.since : 0, isAway ? lostFor : 0)));
  if (isAway) texts.push(say("pageLost", { node: timeline.node || "" }));
  for (const notice of entry.notices) if (notice !== stale) texts.push(notice.text);
  const calmly = !message && !isAway && entry.notices.every((notice) => ["tookOver", "moved"].includes(notice.kind));
  toggle("quiet", calmly);
  const notice = part("notice");
  notice.dataset.counts = stale || isAway ? "1" : "";
  const isHidden = !isPlain() || hidden.includes("notice");
  write(notice, isHidden ? "" : texts.filter(Boolean).join(" · "));
}

function drawButtons() {
  const wanted = isLost || hidden.includes("buttons") ? [] : entry.buttons;
  const box = part("buttons");
  toggle("bare", wanted.length === 0);
  const names = wanted.map((button) => button.op + button.text).join();
  if (box.dataset.names !== names) {
    box.dataset.names = names;
    isFitted = false;
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
  const passed = count ? elapsed(count, now) : 0;
  const isDown = !!count && count.length !== undefined;
  const milliseconds = isDown ? count.length - passed : passed;
  const text = !count || ["superseded", "stopped"].includes(entry.status) ? "" : isPaper() ? paperText(milliseconds, isDown)
    : entry.sign + timeText(isDown ? Math.ceil(milliseconds / 1000) : Math.floor(milliseconds / 1000), entry.pads);
  toggle("words", isPaper());
  toggle("long", !isPaper() && text.length > 6);
  write(part("time"), text);
  // A tab behind others shows the time; before a person, a new title each second would cost more than all else.
  const title = document.hidden && text ? text : isPlain() ? entry.title || "·" : "";
  if (document.title !== title) document.title = title;
  toggle("open", !isDown);
  const done = isDown ? passed / count.length : 0;
  part("bar").firstElementChild.style.setProperty("--done", done.toFixed(4));
  part("arc").style.strokeDasharray = done.toFixed(4) + " 1";
  if (!count || !count.runs) return;
  const step = isPaper() ? 60000 : 1000;
  const into = ((milliseconds % step) + step) % step;
  next.push(isDown ? into || step : step - into);
}

/// What stands in the place of a time that must not count seconds.
function paperText(milliseconds, isDown) {
  if (entry.status === "completed") return "";
  if (!isDown) return say("timePassed", { count: Math.floor(milliseconds / 60000) });
  return (entry.count.runs && entry.ends) || say("timeLeft", { count: Math.ceil(milliseconds / 60000) });
}

const shape = (text) => text.replace(/\d/g, "0");

function write(node, text, box) {
  const before = node.textContent;
  if (before !== text) node.textContent = text;
  if (shape(before) !== shape(text) && !(node.id === "time" && text && before && text.length < before.length)) isFitted = false;
  show(box || node, text !== "");
}

function show(node, isShown) {
  toggle("empty", !isShown, node);
}

function toggle(name, isOn, node = root) {
  if (node.classList.contains(name) === isOn) return;
  node.classList.toggle(name, isOn);
  isFitted = false;
}

// --- The size: the largest at which everything fits, found anew when something else than a digit has changed ---

const sizes = new Map();
function fit() {
  if (isFitted) return;
  const time = part("time");
  const text = time.textContent;
  // One size for a phase: its last seconds are not larger than its first.
  if (text && !isPaper() && entry.widest.length > text.length) time.textContent = entry.widest;
  // What was shown before needs no second measuring: a pause and its end, the notices of a bad link.
  const shape = [room.width, room.height, root.className.replace(/ (row|column|stack|tight)/g, ""), part("stage").textContent.replace(/\d/g, "0")].join();
  let best = sizes.get(shape);
  if (!best) {
    best = find(false);
    if (best.size < 12.5) best = [best, find(true)].sort((one, other) => other.size - one.size)[0];
    if (sizes.size > 50) sizes.clear();
    sizes.set(shape, best);
  }
  lay(best);
  root.style.fontSize = best.size * scale + "px";
  if (time.textContent !== text) time.textContent = text;
  isFitted = true;
}

/// The best of the ways to lay it out.
/// - Parameter isTight: Whether what a small screen can do without is left out.
function find(isTight) {
  const ways = ["row", "column", "stack"].filter((name) => name !== "row" || ["focus", "calm"].includes(timeline.face));
  // Text is costly to shape at a new size: all ways are compared at one, and the best is seen at its own. A code in the
  // corner leaves a room that does not grow with the size.
  const isEven = part("qr").hidden;
  const best = better(ways, isTight, isEven ? extrapolated : largest);
  if (!isEven) return best;
  lay(best);
  best.size *= 0.985;
  if (!fits(best.size) || extrapolated(best.size) > best.size * 1.03) best.size = largest();
  return best;
}

function better(ways, isTight, measure) {
  let best = { size: 0 };
  for (const name of ways) {
    lay({ name, isTight });
    const size = measure();
    // Much is gained by it, or the buttons stay beside each other.
    if (size > best.size * (name === "stack" ? 1.15 : 1)) best = { size, name, isTight };
  }
  return best;
}

function lay({ name, isTight }) {
  for (const other of ["row", "column", "stack"]) root.classList.toggle(other, other === name);
  root.classList.toggle("tight", isTight);
}

const share = () => (isPlain() ? 0.93 : 0.62);
const limit = () => (entry.status === "idle" ? Math.min(room.width, room.height) / 16 : Math.max(room.width, room.height) / 3);

function fits(size) {
  root.style.fontSize = size + "px";
  const [card, notice, code] = [part("card"), part("notice"), part("qr")];
  const below = notice.offsetHeight ? notice.offsetHeight + 0.7 * size : 0;
  if (Math.max(card.offsetWidth, notice.scrollWidth) > room.width * share() || card.offsetHeight + below > room.height * share()) return false;
  return code.hidden || ![...card.children, notice].some((node) => meet(node.getBoundingClientRect(), code.getBoundingClientRect()));
}

/// About the largest size that fits, as nearly everything grows with the size.
function extrapolated(size = 20) {
  root.style.fontSize = size + "px";
  const [card, notice] = [part("card"), part("notice")];
  const height = card.offsetHeight + (notice.offsetHeight ? notice.offsetHeight + 0.7 * size : 0);
  return Math.min((size * room.width * share()) / card.offsetWidth, (size * room.height * share()) / height, limit());
}

function largest() {
  let [small, large] = [2, limit()];
  // Two looks say whether it is about where the first one says.
  const guess = extrapolated();
  if (guess > small && fits(guess * 0.985)) small = guess * 0.985;
  else if (guess > small) large = Math.min(large, guess * 0.985);
  if (small > 2 && guess * 1.015 < large && !fits(guess * 1.015)) return small;
  while (large - small > 0.25) {
    const middle = (small + large) / 2;
    if (fits(middle)) small = middle;
    else large = middle;
  }
  return small;
}

const meet = (one, other) =>
  one.width > 0 && one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

// --- Pressing ---

const refusals = {
  superseded: "refusedSuperseded", stalePhase: "refusedStalePhase", expired: "refusedExpired",
  notAllowed: "refusedNotAllowed", invalid: "refusedInvalid", busy: "refusedBusy",
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
  if (text) {
    messageTimer = setTimeout(() => tell(""), 4000);
    part("spoken").textContent = text;
  }
  draw();
}

// --- The screen stays on while a session is live ---

let wakeLock = null;
let isAsking = false;
async function keepAwake() {
  const wants = !!entry && ["running", "paused", "ready"].includes(entry.status) && !document.hidden;
  if (!("wakeLock" in navigator) || isAsking || wants === !!wakeLock) return;
  isAsking = true;
  try {
    if (wants) {
      wakeLock = await navigator.wakeLock.request("screen");
      wakeLock.onrelease = () => { wakeLock = null; };
    } else {
      await wakeLock.release();
      wakeLock = null;
    }
    isAsking = false;
    keepAwake(); // something else may be wanted by now
  } catch (error) {
    isAsking = false;
    wakeLock = null; // Not every browser lets a page without encryption do that.
  }
}

/// After the page was hidden or frozen, or this machine has slept.
function wake() {
  if (document.hidden) return draw();
  draw();
  sync();
  keepAwake();
}

document.addEventListener("visibilitychange", wake);
document.addEventListener("resume", wake);
// A browser may keep a page that was left for the way back. An open stream would keep one of the browser's six
// connections to the node, and after six such pages no page would get any.
addEventListener("pagehide", () => {
  clearTimeout(retry);
  if (source) source.close();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) {
    heardAt = performance.now(); // nothing could be heard meanwhile
    connect();
  }
  wake();
});
addEventListener("online", connect);
addEventListener("resize", () => {
  room = { width: innerWidth, height: innerHeight };
  isFitted = false;
  draw();
});
if (!no.includes(params.get("qr") || "0")) {
  part("qr").src = "qr.svg?" + params;
  part("qr").hidden = false;
}
connect();
