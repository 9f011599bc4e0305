// SPDX-License-Identifier: Apache-2.0
//
// The part that pages with a live session share: the node's clock, the stream of timelines, words, and presses. The
// node sends a timeline: a list of entries, each with the instant from which it is shown, and with how its time counts.
// The script of a page defines `draw()`, which shows the current entry, and `streamQuery()`. The window gets an event
// `news` after each message, and `lost` whenever the stream ends or cannot be opened.
"use strict";

const params = new URLSearchParams(location.search);
const root = document.documentElement;
const part = (id) => document.getElementById(id);

let timeline = null;
let entry = null; // the displayed entry
let words = {}; // further words of a page
let pending = ""; // the operation that was pressed and has no reply yet

// --- The node's clock: its boot clock is `performance.now()` plus an offset between `low` and `high`, in ms ---

let low = -Infinity;
let high = Infinity;
let clockDifference = Date.now() - performance.now(); // jumps when this machine suspends: performance.now() may stop
const nodeNow = () => performance.now() + (low + high) / 2;

async function ask() {
  const sent = performance.now();
  const answer = await fetch("v1/clock", { cache: "no-store" });
  if (!answer.ok) throw answer;
  const { boot } = await answer.json();
  const received = performance.now();
  // The node read its clock between `sent` and `received`, rounded down to milliseconds.
  const [newLow, newHigh] = [boot - received, boot + 1 - sent];
  if (newLow > high || newHigh < low) [low, high] = [newLow, newHigh];
  else [low, high] = [Math.max(low, newLow), Math.min(high, newHigh)];
}

let syncing = null;
function sync() {
  syncing = syncing || (async () => {
    // Widen the interval by 5 ms for the drift since the last exchange.
    low -= 5;
    high += 5;
    for (let round = 0; round < 6; round++) await ask();
  })().catch(() => {}).finally(() => {
    syncing = null;
    draw();
  });
  return syncing;
}

/// Returns whether this machine seems to have been suspended, and reconnects if so. A step of the wall clock looks the
/// same, until the node's next timeline.
function noticeSuspend() {
  const now = Date.now() - performance.now();
  const moved = now - clockDifference;
  clockDifference = now;
  if (Math.abs(moved) < 1000) return false;
  const slept = Math.max(moved, 0);
  low += slept;
  high += slept;
  heardAt -= slept;
  triedAt -= slept;
  connect();
  return true;
}

// --- The stream ---

let source = null;
let heardAt = performance.now();
let triedAt = performance.now(); // when it connected last
let isLost = false;
let retry = 0;
let pause = 500;

function connect() {
  triedAt = performance.now();
  clearTimeout(retry);
  if (source) source.close();
  source = new EventSource("v1/timeline?" + streamQuery());
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
  dispatchEvent(new Event("news"));
}

/// Returns those of the named parameters that this page was opened with.
function ownQuery(...names) {
  return new URLSearchParams(names.filter((name) => params.has(name)).map((name) => [name, params.get(name)]));
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
  dispatchEvent(new Event("lost"));
}

// Without a heartbeat (every 10 s) for 25 s the stream is dead, even if the browser reports it open or connecting.
setInterval(() => {
  noticeSuspend();
  if (performance.now() - Math.max(heardAt, triedAt) > 25000) lose();
}, 5000);
setInterval(() => {
  if (!document.hidden) sync();
}, 300000);

// --- Words ---

function say(key, values) {
  let text = (timeline && timeline.words[key]) || words[key];
  if (!text) return "";
  if (typeof text === "object") {
    const form = new Intl.PluralRules(root.lang).select(values.count);
    text = text[form] || text.other;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => (values && name in values ? values[name] : whole));
}

function lastHeard(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
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

// --- The current entry ---

const elapsed = (count, now) => {
  const passed = count.elapsed + (count.runs ? Math.max(now - count.anchor, 0) : 0);
  return count.length === undefined || count.hasOvertime ? passed : Math.min(passed, count.length);
};

/// Makes the entry of an instant the displayed one.
/// - Returns: In how many ms the next one begins.
function select(now) {
  const { entries } = timeline;
  let index = 0;
  while (index + 1 < entries.length && entries[index + 1].from <= now) index++;
  entry = entries[index];
  return index + 1 < entries.length ? entries[index + 1].from - now : Infinity;
}

/// Returns the time to show: what is left of a countdown, else what has passed, or what is beyond the length of its
/// phase; and in how many ms it changes, in steps of `step` ms.
function reading(now, step = 1000) {
  const { count } = entry;
  const passed = count ? elapsed(count, now) : 0;
  const isCountdown = !!count && count.length !== undefined;
  const isOvertime = isCountdown && !!count.hasOvertime && passed >= count.length;
  const isDown = isCountdown && !isOvertime;
  const milliseconds = isCountdown ? Math.abs(count.length - passed) : passed;
  const into = ((milliseconds % step) + step) % step;
  const seconds = isDown ? Math.ceil(milliseconds / 1000) : Math.floor(milliseconds / 1000);
  return {
    milliseconds, isDown, isOvertime, done: isCountdown ? Math.min(passed / count.length, 1) : 0,
    text: entry.sign + (isOvertime ? "+" : "") + timeText(seconds, entry.pads),
    wait: count && count.runs ? (isDown ? into || step : step - into) : Infinity,
  };
}

/// Returns whether the machine has a font for an emoji. Without one it looks like a character that does not exist.
function isDrawable(emoji) {
  if (!emoji) return false;
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const picture = (text) => {
    brush.clearRect(0, 0, 40, 40);
    brush.font = "24px sans-serif";
    brush.fillText(text, 4, 30);
    return brush.getImageData(0, 0, 40, 40).data.join();
  };
  return picture([...emoji][0]) !== picture("\u{10fffe}");
}

/// Isolates the writing direction of a text within a text of another direction (Unicode FSI and PDI).
const isolated = (text) => "\u2068" + text + "\u2069";

/// Returns a label's colour, shifted towards the text colour until its contrast is at least 3:1 (WCAG 1.4.11).
function visible(colour, isLight) {
  const channels = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const light = (parts) => {
    const [red, green, blue] = parts.map((value) => (value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = channels.map((value) => Math.round(value + ((isLight ? 0 : 255) - value) * share));
    if ((isLight ? 1.05 / light(mixed) : light(mixed) / 0.05) >= 3.1) return "#" + mixed.map((value) => value.toString(16).padStart(2, "0")).join("");
  }
  return colour;
}

// --- Pressing ---

const refusals = {
  superseded: "refusedSuperseded", stalePhase: "refusedStalePhase", expired: "refusedExpired",
  notAllowed: "refusedNotAllowed", invalid: "refusedInvalid", busy: "refusedBusy",
};

/// Sends a press to the node.
/// - Returns: The reply of the node, and the words for a press without effect.
async function send(path, body) {
  let reply = {};
  try {
    // With `keepalive` the browser sends it even if the page is left.
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), keepalive: true,
    });
    reply = await answer.json();
    if (answer.status === 401) return { reply, text: say("linkOver") || say("notPermitted") };
    if (answer.status === 403) return { reply, text: say("notPermitted") };
  } catch (error) {
    return { reply, text: say("pageLost", { node: (timeline && timeline.node) || "" }) };
  }
  if (reply.outcome === "refused") return { reply, text: say(refusals[reply.reason] || "refusedNotAllowed") };
  if (reply.outcome === "noAnswer") return { reply, text: say("noAnswer") };
  if (reply.outcome === "noSession") return { reply, text: say("noSession") };
  if (reply.outcome === "invalid") return { reply, text: say("refusedInvalid") };
  if (reply.outcome === "failed") return { reply, text: say("refusedNotAllowed") };
  return { reply, text: "" };
}

/// Returns the request of a button of the session that the person sees.
function request(wish) {
  if (wish.start) return ["v1/start", wish.start];
  if (["take", "ok"].includes(wish.op)) return ["v1/" + wish.op, {}];
  const { op, seconds } = wish;
  return ["v1/intents", { op, session: entry.session, phase: entry.phase, ...(seconds === undefined ? {} : { seconds }) }];
}

// --- Wake lock: the screen stays on while a session is live ---

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
    keepAwake(); // the state may have changed meanwhile
  } catch (error) {
    isAsking = false;
    wakeLock = null; // some browsers refuse it without TLS
  }
}

document.addEventListener("visibilitychange", keepAwake);
addEventListener("pageshow", keepAwake);

// --- Sleep ---

/// Redraws after the page was hidden or frozen, or this machine was suspended.
function wake() {
  if (document.hidden) return draw();
  draw();
  sync();
}

document.addEventListener("visibilitychange", wake);
document.addEventListener("resume", wake);
// Browsers keep left pages in the back/forward cache. The open stream of such a page would occupy one of the browser's
// six connections to the node; six such pages would block all others.
addEventListener("pagehide", () => {
  clearTimeout(retry);
  if (source) source.close();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) {
    heardAt = performance.now(); // the stream was closed meanwhile
    connect();
  }
  wake();
});
addEventListener("online", connect);
