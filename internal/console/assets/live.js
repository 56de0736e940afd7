// Parts of a page that are marked with data-part show what changes while the page is open: the server
// tells that something has changed, and the page asks once more for itself.
"use strict";

const main = document.querySelector("main[data-follow]");

// Not more often than this, however much happens.
const pause = 1500;

let after = main && main.dataset.after;
let source = null;
let waits = false; // a look is planned
let looking = false;
let looked = 0;

// concerns tells whether an event is about what the page shows.
const concerns = (event) => main.dataset.follow === "everything" || event.memory_ids.includes(main.dataset.follow);

// inUse tells whether somebody is working in a part: it is not taken away then.
const inUse = (part) => part.contains(document.activeElement) || part.querySelector("input:checked, details[open]");

const parts = (page) => [...page.querySelectorAll("[data-part][id]")];

// show puts the parts of a newer page in the place of those that differ.
const show = (page) => {
  let left = 0;
  const newer = new Map(parts(page).map((part) => [part.id, part]));
  for (const part of parts(document)) {
    const other = newer.get(part.id);
    if (!other || other.innerHTML === part.innerHTML) continue;
    if (inUse(part)) left++;
    else part.replaceWith(other);
  }
  // The list and the message "No memory is of this kind" have different parts.
  if (newer.size !== parts(document).length) left++;
  main.querySelector("[data-news]").hidden = left === 0;
};

const look = async () => {
  waits = false;
  looking = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // mneme stops or starts anew: the events come back when it does.
  }
  looking = false;
  looked = Date.now();
  if (waits) plan();
};

const plan = () => {
  if (looking || plan.timer) {
    waits = true;
    return;
  }
  plan.timer = setTimeout(() => {
    plan.timer = 0;
    look();
  }, Math.max(200, looked + pause - Date.now()));
};

const follow = () => {
  if (source || document.hidden) return;
  const events = "/api/v1/events/stream";
  source = new EventSource(after ? `${events}?after=${encodeURIComponent(after)}` : events);
  source.addEventListener("change", (message) => {
    after = message.lastEventId;
    if (concerns(JSON.parse(message.data))) plan();
  });
  source.addEventListener("reset", (message) => {
    after = message.lastEventId;
    plan();
  });
};

// A browser opens few connections to one server: a page that nobody sees gives its own back, and
// goes on after the last event when it is seen again.
const rest = () => {
  if (source) source.close();
  source = null;
};

if (main) {
  main.querySelector("[data-news] button").addEventListener("click", () => location.reload());
  follow();
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : follow()));
  addEventListener("pagehide", rest);
  addEventListener("pageshow", follow);
}
