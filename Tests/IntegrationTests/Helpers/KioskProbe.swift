// SPDX-License-Identifier: Apache-2.0

/// Scripts that check a page: all text is visible, apart, readable and of an allowed colour.
enum KioskProbe {
    /// Defines `measure(width, height)`, which returns a list of faults. It runs before the page's script.
    static let script = counters + geometry + colours + measure

    /// Counts actions that a page must not do, or not too often.
    private static let counters = #"""
        window.counted = { noise: 0, wakeLocks: 0, spoken: [] };
        navigator.vibrate = () => { counted.noise++; return true; };
        for (const name of ["Audio", "AudioContext", "Notification", "SpeechSynthesisUtterance"]) {
          window[name] = function () { counted.noise++; };
        }
        navigator.wakeLock.request = async () => {
          counted.wakeLocks++;
          return { release: async () => { counted.wakeLocks--; } };
        };
        addEventListener("DOMContentLoaded", () => {
          const spoken = document.getElementById("spoken");
          if (!spoken) return;
          new MutationObserver(() => counted.spoken.push(spoken.textContent)).observe(
            spoken, { childList: true, characterData: true, subtree: true });
        });

        """#

    /// Checks the boxes of visible texts and drawings.
    private static let geometry = #"""
        const isShown = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const style = getComputedStyle(at);
            if (style.display === "none" || style.visibility === "hidden") return false;
          }
          return node.getClientRects().length > 0;
        };
        const texts = () => {
          const found = [];
          const walker = document.createTreeWalker(document.getElementById("stage"), NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            if (!node.data.trim() || !isShown(node.parentElement)) continue;
            const range = document.createRange();
            range.selectNodeContents(node);
            found.push({ node: node.parentElement, text: node.data.trim(), boxes: [...range.getClientRects()] });
          }
          return found;
        };
        const drawings = () => [...document.querySelectorAll("#icon, #emoji, #tag, #bar, #ring, button, #qr, summary, figure")]
          .filter((node) => isShown(node) && node.checkVisibility());
        // Letters occupy the middle of a line's height.
        const ink = (box) => ({
          left: box.left, right: box.right, top: box.top + box.height * 0.18, bottom: box.bottom - box.height * 0.18 });
        const doMeet = (one, other, slack) =>
          Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack &&
          Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
        const isOutside = (box, frame, slack) =>
          box.left < frame.left - slack || box.top < frame.top - slack || box.right > frame.right + slack ||
          box.bottom > frame.bottom + slack;
        const geometryFaults = () => {
          const faults = [];
          const frame = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
          const all = texts();
          for (const { node, text, boxes } of all) {
            for (const box of boxes.map(ink)) {
              if (isOutside(box, frame, 0.5)) faults.push(`"${text}" leaves the window`);
              for (let at = node; at !== document.body; at = at.parentElement) {
                const isClipping = getComputedStyle(at).overflow !== "visible";
                if (isClipping && isOutside(box, at.getBoundingClientRect(), 1)) faults.push(`"${text}" is clipped`);
              }
            }
            const hasBox = getComputedStyle(node).display !== "inline" && !node.closest("svg");
            if (hasBox && node.scrollWidth > node.clientWidth + 1) faults.push(`"${text}" is wider than its box`);
          }
          for (const node of drawings()) {
            const box = node.getBoundingClientRect();
            if (isOutside(box, frame, 0.5)) faults.push(`#${node.id || node.textContent} leaves the window`);
          }
          all.forEach((one, index) => {
            for (const other of all.slice(index + 1)) {
              const meets = one.boxes.some((box) => other.boxes.some((next) => doMeet(ink(box), ink(next), 1)));
              if (meets) faults.push(`"${one.text}" and "${other.text}" overlap`);
            }
            for (const node of drawings()) {
              if (node.contains(one.node) || node.id === "ring") continue;
              const box = node.getBoundingClientRect();
              if (one.boxes.some((other) => doMeet(ink(other), box, 1))) {
                faults.push(`"${one.text}" and #${node.id || node.textContent} overlap`);
              }
            }
          });
          if (document.documentElement.scrollHeight > innerHeight) faults.push("the page can be scrolled");
          return faults;
        };

        """#

    /// Checks colours and contrast of the computed styles (WCAG 2.2, 1.4.3 and 1.4.11).
    private static let colours = #"""
        const channels = (colour) => {
          const parts = colour.match(/[\d.]+/g).map(Number);
          return parts.length === 3 ? [...parts, 1] : parts;
        };
        const over = (front, back) => front.slice(0, 3).map((value, index) => value * front[3] + back[index] * (1 - front[3]));
        const luminance = (parts) => {
          const [red, green, blue] = parts.map((value) => {
            const share = value / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const contrast = (one, other) => {
          const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
          return (high + 0.05) / (low + 0.05);
        };
        const ground = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const colour = channels(getComputedStyle(at).backgroundColor);
            if (colour[3] > 0) return colour.slice(0, 3);
          }
          return [255, 255, 255];
        };
        const opacity = (node) => {
          let value = 1;
          for (let at = node; at; at = at.parentElement) value *= Number(getComputedStyle(at).opacity);
          return value;
        };
        const contrastFaults = () => {
          const faults = [];
          for (const { node, text } of texts().filter(({ node }) => node.id !== "emoji")) {
            const style = getComputedStyle(node);
            const colour = channels(node.closest("svg") ? style.fill : style.color);
            colour[3] *= opacity(node);
            const size = parseFloat(style.fontSize);
            const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
            const ratio = contrast(over(colour, ground(node)), ground(node));
            if (ratio < (isLarge ? 3 : 4.5)) faults.push(`"${text}" has a contrast of ${ratio.toFixed(2)}`);
          }
          for (const [id, property] of [["tag", "stroke"], ["arc", "stroke"]]) {
            const node = document.getElementById(id);
            if (!node || !isShown(node)) continue;
            const ratio = contrast(channels(getComputedStyle(node)[property]).slice(0, 3), ground(node));
            if (ratio < 3) faults.push(`#${id} has a contrast of ${ratio.toFixed(2)}`);
          }
          return faults;
        };
        const usedColours = () => {
          const used = new Set();
          const add = (colour) => {
            const parts = channels(colour);
            if (parts[3] > 0) used.add("#" + parts.slice(0, 3).map((value) => value.toString(16).padStart(2, "0")).join(""));
          };
          for (const node of document.querySelectorAll("html, body, body *")) {
            const style = getComputedStyle(node);
            add(style.color);
            add(style.backgroundColor);
            for (const edge of ["Top", "Left"]) if (parseFloat(style[`border${edge}Width`])) add(style[`border${edge}Color`]);
            if (isShown(node)) for (const paint of [style.fill, style.stroke]) if (node.closest("svg") && paint.startsWith("rgb")) add(paint);
          }
          return [...used];
        };

        """#

    private static let measure = #"""
        const onlyTheTime = /^(\d+(:\d\d){1,2}( -\d+(h\d+)?m)?)?$/;
        window.measure = async (width, height) => {
          while (innerWidth !== width || innerHeight !== height) await new Promise((done) => setTimeout(done, 2));
          dispatchEvent(new Event("resize"));
          for (const motion of document.getAnimations()) motion.finish();
          const faults = geometryFaults();
          const root = document.documentElement;
          const isBoring = root.classList.contains("boring");
          const isPaper = root.classList.contains("e-ink");
          if (!isBoring) faults.push(...contrastFaults());
          const allowed = isBoring ? ["#0a0a0a", "#888888", "#444444"] : isPaper ? ["#000000", "#ffffff"] : usedColours();
          for (const colour of usedColours()) if (!allowed.includes(colour)) faults.push(`${colour} is used`);
          const text = [...document.body.querySelectorAll("*")].flatMap((node) => [...node.childNodes])
            .filter((node) => node.nodeType === 3).map((node) => node.data.trim()).filter(Boolean).join(" ");
          if (isBoring && !onlyTheTime.test(text)) faults.push(`"${text}" is written`);
          if (isBoring && !onlyTheTime.test(document.title)) faults.push(`"${document.title}" is the title`);
          if (isPaper && /\d:\d\d:\d\d|\d+ s\b/.test(text)) faults.push(`"${text}" has seconds`);
          return [...new Set(faults)];
        };
        """#
}
