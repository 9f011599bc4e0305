// SPDX-License-Identifier: Apache-2.0
//
// The remote page: starts sessions and controls the one that runs. Beside the session it shows the overview of its
// node. The overview also has the words of this page, so the last one is kept for the time without the node.
"use strict";

const undoLasts = 5000; // ms between a press to end and its request
const answerLasts = 4000; // ms
const store = "lockstep-remote";
const soundStore = "lockstep-sound";
const lengths = [5, 15, 25, 50]; // minutes
const planExample = "focus 25m, shortBreak 5m";
const theme = ["light", "dark", "e-ink"].includes(params.get("theme")) ? params.get("theme") : "";
const prefersLight = matchMedia("(prefers-color-scheme: light)");
const isLight = () => (theme ? theme !== "dark" : prefersLight.matches);

let overview = null;
let drawn = ""; // the overview as it is drawn
let heardWall = 0; // when the node was last heard, on this machine's wall clock
let isShutOut = false; // whether the node no longer takes this page's key
let timer = 0;

function element(name, attributes = {}, ...content) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node[key] = value;
  node.append(...content.filter((child) => child !== null));
  return node;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
  node.classList.toggle("empty", text === "");
}

/// Returns a dot in the colour of a label.
function dot(label) {
  const node = element("i", { className: "dot" });
  if (label) node.style.setProperty("--tag", visible(label.colour, isLight()));
  return node;
}

// --- The overview ---

function streamQuery() {
  const query = ownQuery("lang", "controls");
  query.set("remote", "1");
  return query;
}

let isRefreshing = false;
let isOld = false; // whether something has changed since the last request
async function refresh() {
  isOld = true;
  if (isRefreshing || document.hidden) return;
  isRefreshing = true;
  while (isOld) {
    isOld = false;
    try {
      const answer = await fetch("v1/overview?" + ownQuery("lang", "controls"), { cache: "no-store" });
      isShutOut = answer.status === 401;
      if (isShutOut) forget();
      if (!answer.ok) break;
      overview = await answer.json();
      heardWall = Date.now();
      localStorage.setItem(store, JSON.stringify({ overview, heardWall }));
    } catch {
      break; // the stream notices that the node is lost
    }
  }
  isRefreshing = false;
  drawOverview();
  draw();
}

const lists = ["buttons", "machines", "sums", "days", "again", "presets", "labels"];
const texts = ["time", "state", "detail", "notice"];

/// Forgets and clears what the node has told this page, whose key it no longer takes.
function forget() {
  localStorage.removeItem(store);
  [overview, timeline, entry, drawn] = [null, null, null, ""];
  clearEnding();
  keepAwake();
  form.reset();
  delete part("buttons").dataset.names;
  for (const id of lists) part(id).replaceChildren();
  for (const node of [part("name").lastElementChild, ...texts.map(part)]) write(node, "");
}

/// Shows the kept overview while the node has not answered.
function recall() {
  try {
    ({ overview, heardWall } = JSON.parse(localStorage.getItem(store)) || { overview, heardWall });
  } catch {
    localStorage.removeItem(store);
  }
  drawOverview();
}

let fading = 0; // the timer of an offer that is made for a time

function drawOverview() {
  if (!overview) return;
  const left = ({ lasts }) => (lasts === undefined ? Infinity : heardWall + lasts - Date.now());
  const again = overview.again.filter((offer) => left(offer) > 0);
  clearTimeout(fading);
  const first = Math.min(...again.map(left));
  if (first < Infinity) fading = setTimeout(drawOverview, first + 1);
  const content = JSON.stringify([{ ...overview, again }, isLight()], (key, value) => (key === "lasts" ? undefined : value));
  if (content === drawn) return;
  drawn = content;
  words = overview.words;
  root.lang = overview.language;
  root.dir = overview.direction;
  const spoken = document.querySelectorAll("[data-word]");
  for (const node of spoken) node.textContent = say(node.dataset.word);
  write(part("here"), overview.node);
  drawOffers(part("again"), again, part("again-name"));
  drawOffers(part("presets"), overview.presets, part("presets-name"));
  drawMachines();
  drawWeek();
  drawForm();
}

function drawOffers(box, offers, heading) {
  heading.classList.toggle("empty", offers.length === 0);
  box.replaceChildren(...offers.map((offer) => {
    const mark = isDrawable(offer.emoji) ? element("span", { textContent: offer.emoji }) : offer.label ? dot(offer.label) : null;
    const detail = offer.detail ? element("span", { className: "detail", textContent: offer.detail }) : null;
    return element(
      "button", { type: "button", className: (mark ? "" : "plain ") + (offer.lasts ? "wide" : ""), onclick: () => start(offer.request) }, mark,
      element("span", { className: "text", textContent: offer.text }), detail);
  }));
}

function drawMachines() {
  part("machines").replaceChildren(...overview.machines.map((machine) => {
    const kinds = [machine.isOnline ? "here" : "away", machine.isWrong ? "wrong" : "", machine.isOwner ? "owner" : ""];
    return element(
      "li", { className: kinds.join(" ") }, dot(), element("span", { className: "name", textContent: machine.name }),
      element("span", { className: "state", textContent: machine.texts.join(" · ") }));
  }));
}

function drawWeek() {
  const { week, days } = overview;
  const lines = week ? [say("today") + " " + isolated(week.today), ...week.texts] : [say("noWeek")];
  part("sums").replaceChildren(
    ...(week ? [element("span", { className: "debt", textContent: week.debt, title: say("debtOfWeek") })] : []),
    ...lines.map((text) => element("span", { textContent: text })));
  part("days").replaceChildren(...days.flatMap((day) => [
    element("h3", { textContent: day.name }, element("span", { textContent: day.done })),
    element("ul", {}, ...day.sessions.map((session) => element(
      "li", {}, element("span", { className: "time", textContent: session.time }), dot(session.label),
      element("span", { className: "text", textContent: session.text }),
      element("span", { className: "done", textContent: session.done })))),
  ]));
}

// --- The form for a session of one's own ---

const form = part("form");

let corrected = ""; // the session whose title and label the form shows
const isCorrecting = () => part("fresh").parentElement === part("now");

/// Shows the form for a new session, or for the title and the label of the one that runs.
function drawFresh(isLive) {
  const [fresh, home, key] = [part("fresh"), part(isLive ? "now" : "begin"), isLive ? "save" : "start"];
  if (fresh.parentElement !== home) {
    home.append(fresh);
    fresh.open = false;
    form.reset();
  }
  write(fresh.firstElementChild, isLive ? [say("title"), say("label")].join(" · ") : say("newSession"));
  write(part("go"), say(key));
}

part("fresh").addEventListener("toggle", () => {
  if (!part("fresh").open || !isCorrecting()) return;
  form.reset();
  corrected = entry.session;
  form.elements.title.value = entry.title;
  form.label.value = entry.label ? entry.label.name : "";
  const known = entry.label && overview.colours.find((choice) => choice.colour === entry.label.colour);
  if (known) form.colour.value = known.name;
  change();
});

function drawForm() {
  part("labels").replaceChildren(...overview.labels.map((label) => element("option", { value: label.name })));
  if (part("lengths").childElementCount > 0) return;
  form.plan.placeholder = planExample;
  part("colours").append(...overview.colours.map(({ name, text, colour }) => {
    const mark = element("i");
    mark.style.setProperty("--tag", colour);
    return element("label", {}, element("input", { type: "radio", name: "colour", value: name, ariaLabel: text }), mark);
  }));
  part("lengths").append(...lengths.map((minutes) => element("button", {
    type: "button", textContent: say("shortMinutes", { count: minutes }), onclick: () => { [form.minutes.value, form.until.value] = [minutes, ""]; },
  })));
  change();
}

/// Adapts the form to a change of its kind, its label, its length or its end.
function change(event) {
  form.dataset.kind = form.kind.value;
  part("colours").hidden = form.label.value.trim() === "";
  // A length and an end exclude each other.
  if (event && event.target === form.minutes) form.until.value = "";
  if (event && event.target === form.until) form.minutes.value = form.until.value ? "" : form.minutes.defaultValue;
  if (!event || event.target !== form.label) return;
  const known = overview.labels.find((label) => label.name === form.label.value.trim());
  // If the page does not offer the label's colour, no colour is chosen, and the label keeps its own.
  if (known) for (const choice of overview.colours) part("colours").querySelector(`[value="${choice.name}"]`).checked = choice.colour === known.colour;
}

/// Returns the title and the label of the form, as a request has them.
function about() {
  const [title, label] = [form.elements.title.value.trim(), form.label.value.trim()];
  const known = overview.labels.find((choice) => choice.name === label);
  const colour = label && (form.colour.value || (known && known.colour));
  return { ...(title ? { title } : {}), ...(label ? { label } : {}), ...(colour ? { colour } : {}) };
}

form.addEventListener("input", change);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const emptied = { title: "", label: "" };
  if (isCorrecting()) return deliver("correct", ["v1/intents", { op: "correct", session: corrected, ...emptied, ...about() }]);
  const kinds = {
    minutes: () => (form.until.value ? { until: form.until.value } : { seconds: Math.round(form.minutes.valueAsNumber * 60) || 0 }), countup: () => ({ mode: "countup" }),
    plan: () => ({ plan: form.plan.value }),
  };
  start({ ...about(), ...kinds[form.kind.value]() });
});

part("speak").addEventListener("submit", async (event) => {
  event.preventDefault();
  const speak = event.target;
  const text = speak.text.value.trim();
  if (await deliver(text ? "message" : "unsaid", ["v1/message", { text }])) speak.reset();
});

// --- The session ---

function draw() {
  clearTimeout(timer);
  const waits = [drawLink()];
  if (timeline && isFinite(low)) {
    if (noticeSuspend() && !isLost) waits.push(1000); // earlier if the node answers or the connection fails
    else waits.push(...drawSession());
  }
  // Half a millisecond late: an early timer would draw the same again.
  if (!document.hidden && Math.min(...waits) < Infinity) timer = setTimeout(draw, Math.max(Math.min(...waits), 1) + 0.5);
}

/// Says whether the node is lost, and since when.
/// - Returns: In how many ms that changes.
function drawLink() {
  const isAway = isLost && (!timeline || performance.now() - heardAt >= 1000);
  const age = timeline ? performance.now() - heardAt : Date.now() - heardWall;
  const lost = [say("pageLost", { node: overview ? overview.node : "" }), overview ? lastHeard(age) : ""].filter(Boolean).join(" · ");
  const isLooking = !!overview && !overview.mayPress;
  if (isShutOut) document.title = say("linkOver");
  write(part("link"), isShutOut ? say("linkOver") : isAway ? lost : isLooking ? say("notPermitted") : "");
  // Without a timeline it is not known yet whether a session runs.
  const isWaiting = !overview || (!timeline && !isLost);
  for (const [name, isOn] of [["lost", isAway || isShutOut], ["look", isLooking], ["waiting", isWaiting]]) root.classList.toggle(name, isOn);
  return isLost ? 1000 : Infinity;
}

function drawSession() {
  const now = nodeNow();
  const until = select(now);
  const isLive = ["running", "paused", "ready"].includes(entry.status);
  const kept = ["lost", "look", "waiting"].filter((name) => root.classList.contains(name));
  const { text, isDown, isOvertime, done, wait } = reading(now);
  const stale = entry.notices.find((notice) => notice.since !== undefined);
  root.className = [theme, entry.status, isLive ? "live" : "", isDown || isOvertime ? "" : "open", stale ? "stale" : "", ...kept].filter(Boolean).join(" ");
  root.style.setProperty("--tint", visible(entry.tint, isLight()));
  const label = entry.label ? entry.label.name : "";
  const mark = part("name").firstElementChild;
  mark.style.setProperty("--tag", visible(entry.label ? entry.label.colour : entry.tint, isLight()));
  mark.classList.toggle("empty", !label);
  const names = [label, entry.title].filter(Boolean);
  write(part("name").lastElementChild, names.map(isolated).join(" · "));
  write(part("time"), entry.count && !["superseded", "stopped"].includes(entry.status) ? text : "");
  part("time").style.setProperty("--signs", Math.max(text.length, 5));
  write(part("state"), entry.state);
  write(part("detail"), [entry.indicator, entry.ends].filter(Boolean).map(isolated).join(" · "));
  part("arc").style.strokeDasharray = done.toFixed(4) + " 1";
  part("arc").style.visibility = done > 0.001 ? "" : "hidden";
  const notices = entry.notices.map((notice) => (notice === stale ? lastHeard(now - stale.since) + " · " + isolated(stale.from) : notice.text));
  write(part("notice"), notices.join(" · "));
  if (ending && !isLive) clearEnding();
  drawButtons(isLive);
  // A correction that a person is typing stays while the owner is not heard.
  drawFresh(isLive && (!stale || (isCorrecting() && part("fresh").open)));
  keepAwake();
  const isLoud = part("sound").checked;
  if (isLoud) alerts.look(entry, now, tell);
  const title = entry.title || label || (overview ? overview.node : "");
  if (document.title !== title) document.title = title;
  return [until, wait, stale ? 1000 : Infinity, drawEnding(), alerts.ring(entry, now, isLoud)];
}

/// Draws the buttons in rows: the usual ones first, below the others.
function drawButtons(isLive) {
  const isReachable = !isLost && !isShutOut;
  const wishes = isReachable ? entry.buttons : [];
  const usual = [["ok"], ["pause", "resume", "startBreak", "startFocus"], ["extend"], ["skip", "stop"], ["take"]];
  const rows = (root.classList.contains("stale") ? [["ok"], ["take", "stop"]] : usual)
    .map((row) => wishes.filter((wish) => row.includes(wish.op))).filter((row) => row.length > 0);
  const box = part("buttons");
  const names = JSON.stringify(rows.map((row) => row.map(({ op, seconds, text }) => [op, seconds, text])));
  if (box.dataset.names !== names) {
    box.dataset.names = names;
    box.replaceChildren(...rows.map((row, index) => element("div", {}, ...row.map((wish, place) => {
      const button = element("button", { type: "button", textContent: wish.text, className: index + place ? "" : "main" });
      button.dataset.op = wish.op;
      button.onclick = () => (wish.op === "stop" ? end() : press(wish));
      return button;
    }))));
  }
  for (const button of document.querySelectorAll("#buttons button, .offers button, form .main")) {
    button.disabled = pending !== "" || (button.dataset.op === "stop" && !!ending);
    button.setAttribute("aria-busy", String(!!button.dataset.op && button.dataset.op === pending));
  }
}

// --- Pressing: every press has an answer in words ---

const applied = {
  start: "eventStarted", pause: "eventPaused", resume: "eventResumed", stop: "eventStopped", startBreak: "eventPhase",
  startFocus: "eventPhase", skip: "eventPhase", take: "movedHere", ok: "alarmEnded", message: "messageShown", unsaid: "messageTakenBack",
  correct: "saved",
};

const press = (wish) => deliver(wish.op, request(wish), wish.text);
const start = (wanted) => deliver("start", ["v1/start", wanted]);

/// Returns the name that the form gives to a field of a request.
function fieldName(field) {
  const key = field === "seconds" ? "duration" : field;
  return overview.words[key] ? say(key) : field;
}

/// Sends a request and shows its answer.
/// Sends a press, and says what became of it.
/// - Returns: Whether it was sent and applied.
async function deliver(op, [path, body], text = "") {
  // A stop is sent seconds after its press, and must not be lost to another press.
  if (pending && op !== "stop") return false;
  pending = op;
  draw();
  const { reply, text: refusal } = await send(path, body);
  pending = "";
  const isApplied = refusal === "";
  const answer = isApplied ? (reply.outcome === "noop" ? say("alreadySo") : applied[op] ? say(applied[op]) : text) : refusal;
  // The reason of an invalid request names its field, and a problem says that a change may be lost.
  const more = isApplied ? reply.problem && reply.problem.text : ["invalid", "failed"].includes(reply.outcome) && [fieldName(reply.field), reply.reason].filter(Boolean).join(": ");
  tell([answer, more ? isolated(more) : ""].filter(Boolean).join(" · "));
  if (isApplied && ["start", "correct"].includes(op)) part("fresh").open = false;
  if (isApplied && op === "start") scrollTo(0, 0);
  return isApplied;
}

let message = "";
let messageTimer = 0;
function tell(text) {
  message = text;
  clearTimeout(messageTimer);
  if (text) {
    messageTimer = setTimeout(() => tell(""), answerLasts);
    part("spoken").textContent = text;
  }
  draw();
  drawEnding();
}

// --- The end, which can be undone for a while. Leaving or hiding the page sends it at once ---

let ending = null;

function end() {
  ending = { session: entry.session, until: performance.now() + undoLasts, timer: setTimeout(sendEnd, undoLasts) };
  part("spoken").textContent = say("endsInSeconds", { count: undoLasts / 1000 });
  draw();
}

/// Forgets a press to end, and stops its timer.
function clearEnding() {
  if (ending) clearTimeout(ending.timer);
  ending = null;
}

function sendEnd() {
  if (!ending) return;
  // Without a phase: the next one may have started since, and the person wants the end of the session.
  const body = { op: "stop", session: ending.session };
  clearEnding();
  deliver("stop", ["v1/intents", body]);
}

/// Draws the line above the lower edge: the stop that can still be undone, or the last answer.
/// - Returns: In how many ms it changes.
function drawEnding() {
  const left = ending ? Math.max(ending.until - performance.now(), 0) : 0;
  const text = ending ? say("endsInSeconds", { count: Math.ceil(left / 1000) }) : message;
  write(part("answer"), text);
  part("toast").classList.toggle("empty", text === "");
  part("undo").classList.toggle("empty", !ending);
  return ending ? left % 1000 || 1000 : Infinity;
}

part("undo").onclick = () => {
  clearEnding();
  draw();
  drawEnding();
};
addEventListener("pagehide", sendEnd);
document.addEventListener("visibilitychange", () => (document.hidden ? sendEnd() : refresh()));

// --- Sound at the end of a phase, a choice for each device ---

try {
  part("sound").checked = localStorage.getItem(soundStore) !== null;
} catch {
  // Without storage the sound is off whenever the page is opened.
}
part("sound").onchange = () => {
  const isOn = part("sound").checked;
  if (isOn && "Notification" in window) Notification.requestPermission();
  try {
    if (isOn) localStorage.setItem(soundStore, "1");
    else localStorage.removeItem(soundStore);
  } catch {
    // As above.
  }
};
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => part("sound").checked && alerts.unlock(), { passive: true });

// --- Start ---

addEventListener("news", refresh);
// A node that no longer takes the key of this page is lost as well.
addEventListener("lost", refresh);
prefersLight.addEventListener("change", () => {
  drawOverview();
  draw();
});
if (theme) root.classList.add(theme);
// Browsers allow a service worker on this machine, and over TLS.
if ("serviceWorker" in navigator) navigator.serviceWorker.register("remote-worker.js", { scope: "remote" }).catch(() => {});
recall();
refresh();
connect();
draw();
