// SPDX-License-Identifier: Apache-2.0
//
// Shows the current entry of the node's timeline, as large as the window allows.
"use strict";

const no = ["0", "no", "off", "false"];
const theme = ["light", "e-ink"].includes(params.get("theme")) ? params.get("theme") : "dark";
const scale = Math.min(Math.max(parseFloat(params.get("scale")) || 1, 0.2), 1);
const sounds = !no.includes(params.get("sound") || "0");
const hidden = (params.get("hide") || "").split(",").map((name) => name.trim());

let isFitted = false; // whether the sizes fit the displayed content
let hasTypeface = false; // whether the typeface is loaded, or took too long
let room = { width: innerWidth, height: innerHeight }; // cached, because reading it forces a layout
let hasHadButtons = false; // whether this page has had buttons, and keeps their place
let timer = 0;
let message = "";
let messageTimer = 0;

// --- Drawing ---

const streamQuery = () => ownQuery("face", "lang", "controls", "screen", "idle", "near");

function draw() {
  clearTimeout(timer);
  if (!timeline || !isFinite(low) || (!hasTypeface && hasWords())) return;
  if (noticeSuspend() && !isLost) {
    timer = setTimeout(draw, 1000); // earlier if the node answers or the connection fails
    if (entry) fit();
    return;
  }
  const now = nodeNow();
  const before = entry;
  const next = [select(now)];
  const isNew = entry !== before;
  if (hasWords()) {
    if (sounds) alerts.look(entry, now, tell);
    next.push(alerts.ring(entry, now, sounds));
  }
  const lostFor = isLost ? performance.now() - heardAt : 0;
  const [isNight, change] = darkness(now);
  const isDimmed = isNight && entry.status !== "idle" && hasWords() && !isPaper();
  if (isNew || isDimmed !== root.classList.contains("night")) drawEntry(isDimmed);
  toggle("stale", entry.status !== "idle" && (lostFor >= timeline.staleAfter || entry.notices.some((n) => n.kind === "stale")));
  drawNotice(now, lostFor);
  drawButtons();
  drawTime(now, next);
  speak();
  if (part("notice").dataset.counts && !isPaper()) next.push(1000 - (lostFor % 1000));
  // Show "lost" and "stale" on time also when no time is counting.
  if (isLost) next.push(...[1000, timeline.staleAfter].map((after) => after - lostFor).filter((left) => left > 0));
  const isOff = hasWords() && timeline.idle.kind === "off";
  toggle("dark-hours", (isNight || isOff) && entry.status === "idle", document.body);
  next.push(...change);
  fit();
  next.push(...wander());
  // Half a millisecond late: an early timer would draw the same again.
  if (Math.min(...next) < Infinity) timer = setTimeout(draw, Math.max(Math.min(...next), 1) + 0.5);
}

const hasWords = () => timeline.face !== "boring";
/// E-ink flashes at each refresh, so its content changes at most once a minute.
const isPaper = () => theme === "e-ink" && hasWords();

const isLight = () => theme !== "dark" && !root.classList.contains("night");

function drawEntry(isDimmed) {
  const face = timeline.face;
  root.className = [face, hasWords() ? theme : "", entry.status, isDimmed ? "night" : ""].filter(Boolean).join(" ");
  isFitted = false;
  root.lang = timeline.language;
  root.dir = timeline.direction;
  root.style.setProperty("--tint", hasWords() ? visible(entry.tint, isLight()) : "#888");
  root.style.setProperty("--tag", visible(entry.label ? entry.label.colour : entry.tint, isLight()));
  const label = entry.label ? entry.label.name : "";
  const isMoved = entry.status === "superseded";
  const heading = entry.title || label || entry.state;
  const texts =
    !hasWords() ? ["", "", ""]
    : isMoved ? [entry.title || label, entry.state, ""]
    : face === "focus" ? [label || entry.state, label ? entry.state : "", [entry.indicator, entry.title].filter(Boolean).map(isolated).join(" · ")]
    : face === "calm" ? [heading, entry.state, ""]
    : [heading, entry.indicator || "", entry.state];
  write(part("name").lastElementChild, texts[0], part("name"));
  write(part("state"), texts[1] === texts[0] ? "" : texts[1]);
  write(part("detail"), texts[2] === texts[0] || texts[2] === texts[1] ? "" : texts[2]);
  toggle("unnamed", texts[0] !== "" && texts[0] === entry.state);
  show(part("tag"), face === "focus" && label !== "" && !isMoved);
  // A sign of the state takes the place of the icon.
  const drawing = hasWords() && (entry.mark || (!isDrawable(entry.emoji) && entry.icon));
  show(part("icon"), !!drawing);
  part("icon").firstElementChild.setAttribute("d", drawing || "");
  write(part("emoji"), (hasWords() && !drawing && entry.emoji) || "");
  write(part("calm").firstElementChild, entry.calm || "", part("calm"));
  write(part("trend"), { rising: "↗", falling: "↘", steady: "→" }[entry.trend] || "");
  write(part("under"), face === "boring" ? entry.debt || "" : "");
  for (const name of hidden) if (/^(icon|name|state|detail|calm|ring|bar|buttons)$/.test(name)) show(part(name), false);
  if (hidden.includes("icon")) show(part("emoji"), false);
  keepAwake();
}

/// Updates the text for screen readers after a change. Passing time is not a change.
function speak() {
  if (!hasWords()) return;
  const kinds = entry.notices.map((notice) => notice.kind);
  const label = entry.label ? entry.label.name : "";
  const state = [isLost, entry.session, entry.phase, entry.status, entry.title, label, entry.count && entry.count.length, kinds].join("|");
  if (state === said) return;
  said = state;
  part("spoken").textContent = [isLost ? say("pageLost", { node: timeline.node || "" }) : "", entry.spoken].filter(Boolean).join(". ");
}
let said = ""; // the state that was last spoken

function drawNotice(now, lostFor) {
  const isAway = lostFor >= 1000;
  const stale = entry.notices.find((notice) => notice.since !== undefined);
  const texts = [message, entry.status === "idle" ? entry.idle : ""];
  if (isAway) texts.push(say("pageLost", { node: timeline.node || "" }));
  if (stale || isAway) texts.push(lastHeard(Math.max(stale ? now - stale.since : 0, isAway ? lostFor : 0, isPaper() ? 60000 : 0)));
  if (stale && !isAway) texts.push(isolated(stale.from));
  for (const notice of entry.notices) if (notice !== stale) texts.push(notice.text);
  const isQuiet = !message && !isAway && entry.notices.every((notice) => ["tookOver", "moved"].includes(notice.kind));
  toggle("quiet", isQuiet);
  const notice = part("notice");
  notice.dataset.counts = stale || isAway ? "1" : "";
  const isHidden = !hasWords() || hidden.includes("notice");
  write(notice, isHidden ? "" : texts.filter(Boolean).join(" · "));
}

function drawButtons() {
  const wanted = isLost || hidden.includes("buttons") ? [] : entry.buttons;
  const box = part("buttons");
  hasHadButtons = hasHadButtons || wanted.length > 0;
  toggle("bare", wanted.length === 0);
  toggle("still", !hasHadButtons);
  const names = wanted.map((button) => button.op + button.text).join();
  if (box.dataset.names !== names) {
    box.dataset.names = names;
    isFitted = false;
    box.replaceChildren(...wanted.map((wish) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(document.createElement("span"));
      button.firstChild.textContent = wish.text;
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
  const { milliseconds, isDown, isOvertime, done, wait, ...shown } = reading(now, isPaper() ? 60000 : 1000);
  const text = entry.status === "idle" ? drawIdle(now, next)
    : !entry.count || ["superseded", "stopped"].includes(entry.status) ? ""
    : isPaper() ? paperText(milliseconds, isDown, isOvertime) : shown.text;
  toggle("words", isPaper());
  writeTime(text);
  // A background tab shows the time in its title. In the foreground a new title each second is too expensive.
  const title = document.hidden && entry.count && text ? text : hasWords() ? entry.title || "·" : "";
  if (document.title !== title) document.title = title;
  toggle("open", !isDown && !isOvertime);
  if (timeline.face === "phases") move(part("bar").firstElementChild, "--done", done);
  if (timeline.face === "calm") move(part("arc"), "stroke-dasharray", done, " 1");
  // At zero, the round end of the line would be a dot.
  part("arc").style.visibility = done > 0.001 ? "" : "hidden";
  next.push(wait);
  drawNear(now, next, isDown && entry.count.runs && timeline.near ? milliseconds : Infinity);
}

/// Shows the minutes of today, or the week, while there is no session.
/// - Returns: The time of day, if it is to be shown.
function drawIdle(now, next) {
  const { kind, local, until, today, sum, week } = timeline.idle;
  const isKnown = until > now;
  const isGraph = kind === "week" && isKnown;
  const isClock = hasWords() && (kind === "clock" || (kind === "week" && !isKnown));
  toggle("wall", isClock || (isGraph && hasWords()));
  if (!root.classList.contains("wall")) return "";
  write(part("under"), (isKnown && (isGraph ? sum : today)) || "");
  const graph = part("week");
  if (graph.shown !== (isGraph && week)) graph.innerHTML = (graph.shown = isGraph && week) || "";
  show(graph, isGraph);
  const time = local + now - timeline.boot;
  next.push(60000 - (time % 60000));
  if (isKnown) next.push(until - now);
  return isClock ? [time / 3600000 % 24, time / 60000 % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":") : "";
}

let nearEnd = 0; // when the marked phase ends, on the node's clock; 0 without one

/// Marks a running phase near its end, and dims the page for a moment when it is over.
function drawNear(now, next, left) {
  const wait = left - timeline.near * 1000;
  const isNear = wait <= 0 && left > 0;
  const hasEnded = nearEnd && now >= nearEnd && now < nearEnd + 2000;
  nearEnd = isNear ? now + left : 0;
  toggle("near", isNear);
  if (wait > 0) next.push(wait);
  if (hasEnded && mayMove()) part("stage").animate([{}, { opacity: 0.35 }, {}], { duration: 1600, easing: "ease-in-out" });
}

/// Returns the text that replaces a time in seconds on e-ink.
function paperText(milliseconds, isDown, isOvertime) {
  if (entry.status === "completed") return "";
  if (isOvertime) return "+" + say("shortMinutes", { count: Math.floor(milliseconds / 60000) });
  if (!isDown) return say("timePassed", { count: Math.floor(milliseconds / 60000) });
  return (entry.count.runs && entry.ends) || say("timeLeft", { count: Math.ceil(milliseconds / 60000) });
}

const shape = (text) => text.replace(/\d/g, "0");

function write(node, text, box) {
  const before = node.textContent;
  if (before !== text) node.textContent = text;
  if (shape(before) !== shape(text)) isFitted = false;
  show(box || node, text !== "");
}

const hasCells = () => hasWords() && !isPaper();

/// Writes the time, each digit in an element of its own: a tick changes one of them.
function writeTime(text) {
  const time = part("time");
  const before = time.textContent;
  if (before === text) return;
  if (!hasCells() || shape(before) !== shape(text)) {
    fillTime(text);
    // A shorter time keeps its size: the widest one of the phase is measured.
    const isShorter = !isPaper() && text && text.length < before.length;
    if (shape(before) !== shape(text) && !isShorter) isFitted = false;
  } else {
    [...time.querySelectorAll("i")].forEach((digit, index) => {
      if (digit.textContent === text[index]) return;
      digit.textContent = text[index];
      // The last digit stands still: a motion each second would disturb, and costs more than all the rest of the page.
      if (index < text.length - 1 && mayMove()) digit.animate([{ transform: "translateY(.08em)", opacity: 0.3 }, {}], { duration: motion, easing: "ease-out" });
    });
  }
  show(time, text !== "");
}

/// Fills the time: groups of digits with colons between, which a tall page leaves out; or words.
function fillTime(text) {
  const element = (name, ...content) => {
    const node = document.createElement(name);
    node.append(...content);
    return node;
  };
  const cells = (group) => [...group].map((sign) => element("i", sign));
  part("time").replaceChildren(...(!hasCells() ? [text] : text.split(":").flatMap((group, index) => {
    const digits = element("b", ...cells(group));
    if (!index) return group ? [digits] : [];
    const colon = element("i", ":");
    colon.className = "colon";
    return [colon, digits];
  })));
}

// --- Motion: what changes moves for a moment, unless the browser is asked for less ---

const motion = 160; // in ms
const still = matchMedia("(prefers-reduced-motion: reduce)");
const mayMove = () => hasCells() && !still.matches && !document.hidden;

/// Sets how far the bar or the ring is filled. It moves only if the change can be seen: drawing frames is expensive.
function move(node, property, done, rest = "") {
  const jump = Math.abs(done - (node.done ?? done));
  node.done = done;
  node.style.transition = jump > 0.004 && mayMove() ? `transform ${motion}ms, stroke-dasharray ${motion}ms` : "none";
  node.style.setProperty(property, done.toFixed(4) + rest);
}

/// Moves the page a little each minute, so that nothing burns in.
/// - Returns: In how many ms it moves next.
function wander() {
  if (isPaper()) return [];
  const minute = Math.floor(Date.now() / 60000);
  const reach = 0.004 * Math.min(room.width, room.height);
  const [right, down] = [Math.sin(minute * 0.7), Math.sin(minute * 0.45)].map((at) => Math.round(at * reach) + "px");
  part("stage").style.translate = right + " " + down;
  return [60000 - (Date.now() % 60000)];
}

function show(node, isShown) {
  toggle("empty", !isShown, node);
}

function toggle(name, isOn, node = root) {
  if (node.classList.contains(name) === isOn) return;
  node.classList.toggle(name, isOn);
  isFitted = false;
}

// --- The grid: all sizes follow from the window and the widest time of the phase, not from the state ---

function fit() {
  if (isFitted) return;
  const [width, height] = [room.width * scale, room.height * scale];
  const unit = Math.min(width / 16, height / 11, Math.sqrt(width * height) / 20);
  const isTall = width < height * 0.8;
  toggle("tall", isTall);
  toggle("row", width > height * 2.1 && timeline.face !== "boring" && unit > 7.5);
  toggle("tight", unit < 11.5);
  toggle("tiny", unit < 7.5);
  toggle("coded", !part("qr").hidden && hasWords());
  const rem = (number) => number * unit;
  root.style.fontSize = unit + "px";
  root.style.setProperty("--width", width + "px");
  root.style.setProperty("--height", height + "px");
  const edge = rem(timeline.face === "calm" ? 1.3 : root.classList.contains("tiny") ? 0.5 : 0.7);
  const whole = width - 2 * edge;
  drawRing(width - rem(0.4), height - rem(0.4), rem(0.27), rem(2));
  root.style.setProperty("--column", whole + "px");
  const most = height * (isTall ? 0.3 : 0.4);
  fitTexts(most);
  const column = fitTime(whole);
  if (column < whole) {
    // In a narrower column texts may need more lines.
    root.style.setProperty("--column", column + "px");
    fitTexts(most);
    fitTime(whole);
  }
  isFitted = true;
}

/// Shrinks texts that are too long for their place.
function fitTexts(most) {
  const [head, name, state, notice, buttons] = ["head", "name", "state", "notice", "buttons"].map(part);
  const isMoved = entry.status === "superseded";
  const isRow = root.classList.contains("row");
  const texts = isMoved ? part("texts") : head;
  const place = isMoved ? room.height * scale * 0.6 : isRow ? part("clock").clientHeight : most;
  shrink("--fit-state", () => true);
  shrink("--fit", () => texts.offsetHeight <= place && texts.scrollWidth <= texts.clientWidth);
  if (!isMoved) shrink("--fit-state", () => [state, name].every((line) => line.scrollWidth <= line.clientWidth));
  shrink("--fit-buttons", () => [...buttons.children].every((button) => {
    const word = button.firstChild;
    return word.scrollWidth <= word.clientWidth && word.offsetHeight <= button.clientHeight;
  }));
  const free = (root.classList.contains("bare") && hasHadButtons ? buttons.offsetHeight : 0) + parseFloat(root.style.fontSize) * 1.15;
  shrink("--fit-notice", () => notice.offsetHeight <= free && notice.scrollWidth <= notice.clientWidth + 1);
}

/// Sets a factor of font sizes to the largest one at which something fits.
function shrink(name, fits) {
  for (let factor = 1; factor > 0.25; factor *= 0.9) {
    root.style.setProperty(name, factor.toFixed(3));
    if (fits()) return;
  }
}

/// Makes the time as large as its place.
/// - Returns: The width of the column that ends where the outer digits end.
function fitTime(whole) {
  const [time, clock] = [part("time"), part("clock")];
  const text = time.textContent;
  if (!text) return whole;
  // Measure the widest time of the phase, so that the size does not change within the phase.
  const widest = !isPaper() && shape(entry.widest).length > text.length ? entry.widest : text;
  if (widest !== text) fillTime(widest);
  time.style.fontSize = "100px";
  const under = part("under").offsetHeight;
  const share = hasWords() ? 1 : 0.62;
  const [width, height] = [clock.clientWidth * share, (clock.clientHeight - under) * share];
  let size = 100 * Math.min(width / time.offsetWidth, height / time.offsetHeight);
  if (isPaper()) {
    // Words may need more than one line.
    const fits = () => time.offsetHeight <= height && time.scrollWidth <= width;
    for (size = height; size > 4; size *= 0.94) {
      time.style.fontSize = size + "px";
      if (fits()) break;
    }
  }
  time.style.fontSize = size + "px";
  const column = isPaper() || root.matches(".tall, .row, .boring, .calm, .coded, .tiny") ? whole : Math.min(whole, Math.max(time.offsetWidth - size * 0.08, whole * 0.72));
  if (widest !== text) fillTime(text);
  return column;
}

/// Draws the ring along the edges of its box, clockwise from the middle of the upper edge.
function drawRing(width, height, inset, radius) {
  const [right, bottom] = [width - inset, height - inset];
  const corner = (x, y) => `A${radius} ${radius} 0 0 1 ${x} ${y}`;
  const line =
    `M${width / 2} ${inset}H${right - radius}${corner(right, inset + radius)}V${bottom - radius}${corner(right - radius, bottom)}` +
    `H${inset + radius}${corner(inset, bottom - radius)}V${inset + radius}${corner(inset + radius, inset)}Z`;
  for (const path of part("ring").children) path.setAttribute("d", line);
}

// --- Pressing ---

async function press(wish) {
  if (pending) return;
  pending = wish.op;
  tell("");
  const { text } = await send(...request(wish));
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

// --- Dark hours: in the hours of `blank=23:00-07:00` a page without a session is black; a touch or a key shows it ---

const dark = /^(\d\d?):(\d\d)-(\d\d?):(\d\d)$/.exec(params.get("blank") || "");
const touchShows = 60000; // how long, in ms
let touchedAt = -Infinity;

/// Returns whether the page may be black, and in how many ms that may change.
function darkness(now) {
  if (!dark) return [false, []];
  const [from, to] = [dark[1] * 60 + +dark[2], dark[3] * 60 + +dark[4]].map((minutes) => minutes * 60000);
  const date = new Date();
  const time = ((date.getHours() * 60 + date.getMinutes()) * 60 + date.getSeconds()) * 1000 + date.getMilliseconds();
  const isNight = from < to ? time >= from && time < to : time >= from || time < to;
  const touched = touchedAt + touchShows - now;
  const change = [from, to].map((at) => (at > time ? at - time : at - time + 86400000));
  return [isNight && touched <= 0, touched > 0 ? [touched, ...change] : change];
}

// --- The pointer is hidden while it rests ---

const pointerRests = 3000; // after this many ms
let pointerTimer = 0;
function movePointer() {
  document.body.classList.remove("resting");
  clearTimeout(pointerTimer);
  pointerTimer = setTimeout(() => document.body.classList.add("resting"), pointerRests);
}
for (const kind of ["pointermove", "pointerdown"]) addEventListener(kind, movePointer, { passive: true });
movePointer();
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => {
  if (!dark || !isFinite(low)) return;
  touchedAt = nodeNow();
  draw();
}, { passive: true });
// Any key but Tab and modifiers, and a tap beside the buttons, ends an alarm.
for (const kind of ["pointerup", "keydown"]) addEventListener(kind, (event) => {
  const ok = entry && !isLost && hasWords() && entry.buttons.find((wish) => wish.op === "ok");
  const isOther = ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key);
  if (ok && !isOther && !event.target.closest("button")) press(ok);
});
if (sounds) for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, alerts.unlock, { passive: true });

addEventListener("resize", () => {
  room = { width: innerWidth, height: innerHeight };
  isFitted = false;
  draw();
});
if (!no.includes(params.get("qr") || "0")) {
  part("qr").src = "qr.svg?" + params;
  part("qr").hidden = false;
}
const fonts = ["400 1em Lockstep", "600 1em Lockstep", '600 1em "Lockstep Digits"'].map((font) => document.fonts.load(font));
const patience = new Promise((done) => setTimeout(done, 500));
Promise.race([Promise.all(fonts), patience]).catch(() => {}).then(() => {
  hasTypeface = true;
  draw();
});
Promise.all(fonts).then(() => {
  isFitted = false;
  draw();
});
// On the machine's own screen the open stream tells the node that the page is seen, so it waits for drawn frames.
if (params.has("screen")) requestAnimationFrame(() => requestAnimationFrame(connect));
else connect();
