// SPDX-License-Identifier: Apache-2.0
//
// Sound, notification and vibration at the end of a phase or session: once for each end, however many pages a device
// shows. It needs the words of live.js.
"use strict";

const alerts = (() => {
  const lateAfter = 5000; // ms; the node has the same limit
  const rivalry = 50; // ms in which two pages may notice the same end
  // The same chime as a node's own (Sources/NodeRuntime/Hooks/Chime.swift): start in seconds, frequency in hertz.
  const notes = [[0, 659.25], [0.22, 880]];
  const [attack, fade, length, loudness] = [0.008, 0.32, 1.8, 0.35];
  let last = null; // the state that was looked at before
  let context = null;
  let release = () => {}; // releases the lock of the latest event

  function audio() {
    context = context || new AudioContext();
    return context;
  }

  function chime() {
    const out = audio();
    if (out.state !== "running") return;
    for (const [start, pitch] of notes) {
      for (const [factor, part] of [[1, 1 / 1.2], [2, 0.2 / 1.2]]) {
        const [tone, gain, at] = [out.createOscillator(), out.createGain(), out.currentTime + start];
        tone.frequency.value = pitch * factor;
        gain.gain.setValueAtTime(0, at);
        gain.gain.linearRampToValueAtTime(loudness * part, at + attack);
        gain.gain.setTargetAtTime(0, at + attack, fade);
        tone.connect(gain).connect(out.destination);
        tone.start(at);
        tone.stop(at + length);
      }
    }
  }

  /// Takes the lock of an event, unless another page has it, and holds it until this page's next event.
  function claim(event) {
    return new Promise((done) => {
      navigator.locks.request(`alert ${event}`, { ifAvailable: true }, (lock) => {
        done(lock !== null);
        return lock && new Promise((next) => {
          release();
          release = next;
        });
      }).catch(() => done(true));
    });
  }

  /// Returns whether this page reports an event, and no other page of the browser does.
  async function reports(event) {
    // Without TLS a browser has locks on 127.0.0.1 only.
    if (navigator.locks) return claim(event);
    const page = Math.random().toString(36);
    try {
      if (JSON.parse(localStorage.alerted || "[]")[0] === event) return false;
      localStorage.alerted = JSON.stringify([event, page]);
      await new Promise((done) => setTimeout(done, rivalry));
      return localStorage.alerted === JSON.stringify([event, page]);
    } catch (error) {
      return true; // a browser without storage
    }
  }

  async function notify(text, title) {
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    // The notification of the next end replaces this one, and alerts again.
    const options = { body: title, tag: "phase", renotify: true };
    const worker = navigator.serviceWorker && (await navigator.serviceWorker.getRegistration());
    if (worker) await worker.showNotification(text, options);
    else new Notification(text, options);
  }

  /// Reports the end of a phase since the last look, a late one on the page by `tell`.
  async function look(entry, now, tell) {
    const before = last;
    last = { session: entry.session, phase: entry.phase, status: entry.status };
    if (!before || before.session === undefined || before.session !== entry.session) return;
    const isCompleted = entry.status === "completed" && before.status !== "completed";
    const isNext = entry.phase > before.phase && ["running", "ready", "paused"].includes(entry.status);
    if (!(isCompleted || isNext) || !(await reports([entry.session, entry.phase, isCompleted].join()))) return;
    const isLate = now - entry.began > lateAfter;
    const time = new Date(Date.now() - now + entry.began).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
    const event = say(isCompleted ? "eventCompleted" : "eventPhase");
    const text = isLate ? say("eventLate", { event, time }) : event;
    if (isLate) tell(text);
    else {
      chime();
      if ("vibrate" in navigator) navigator.vibrate([200, 100, 200]);
    }
    notify(text, entry.title).catch(() => {});
  }

  // An alarm rings while it waits for a person, on devices that were there when it began.
  const [newFor, ringsFor, ringEvery] = [10000, 300000, 2500]; // ms; the node has the same limits
  let alarm = null; // when the last alarm began
  let rangAt = 0; // the beginning of an alarm counts: `look` chimes then
  let mayRing = false;

  /// Rings again and again while a new alarm waits, until `ringsFor` has passed.
  /// - Returns: In how many ms it rings again.
  function ring({ alarm: began }, now, isLoud) {
    if (began === undefined) alarm = null;
    if (began === undefined || now - began >= ringsFor) return Infinity;
    if (began !== alarm) [alarm, mayRing, rangAt] = [began, now - began < newFor, now];
    else if (mayRing && now - rangAt >= ringEvery) {
      rangAt = now;
      if (isLoud) chime();
      if ("vibrate" in navigator) navigator.vibrate([300, 150, 300]);
    }
    return mayRing ? rangAt + ringEvery - now : Infinity;
  }

  // Browsers that allow sound only after a press allow it from the first press on.
  const unlock = () => audio().resume();
  return { look, ring, unlock };
})();
