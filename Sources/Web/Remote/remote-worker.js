// SPDX-License-Identifier: Apache-2.0
//
// Keeps the files of the remote page, so that the page opens without its node and says that the node is away. It never
// answers for the node.
"use strict";

const cacheName = "lockstep-remote";
const shell = [
  "remote", "remote.css", "remote.js", "live.js", "alerts.js", "look.css", "remote.svg", "inter-text.v1.woff2", "inter-bold.v1.woff2",
  "inter-digits.v1.woff2",
];
const patience = 2000; // ms for the node, before the kept file is used

addEventListener("install", (event) => {
  const keep = async () => (await caches.open(cacheName)).addAll(shell.map((name) => new Request(name, { cache: "reload" })));
  event.waitUntil(keep().then(() => skipWaiting()));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const name = shell.find((name) => pathname.endsWith("/" + name));
  if (name && event.request.method === "GET") event.respondWith(answer(event, name));
});

// A press on a notification shows the page.
addEventListener("notificationclick", (event) => {
  event.notification.close();
  const show = async () => {
    const [page] = await clients.matchAll({ type: "window" });
    return page ? page.focus() : clients.openWindow("remote");
  };
  event.waitUntil(show());
});

/// Returns the file of the node, or the kept one if the node does not answer in time.
async function answer(event, name) {
  const cache = await caches.open(cacheName);
  const fresh = fetch(event.request).then(async (response) => {
    if (response.ok) await cache.put(name, response.clone());
    // A page whose key is no longer valid says so itself.
    return (response.status === 401 && (await cache.match(name))) || response;
  });
  event.waitUntil(fresh.catch(() => {}));
  const late = new Promise((done) => setTimeout(done, patience)).then(() => cache.match(name));
  const kept = async () => (await cache.match(name)) || fresh;
  return (await Promise.race([fresh, late]).catch(kept)) || fresh;
}
