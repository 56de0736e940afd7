// What makes the pages handier; all of them work without it.
"use strict";

// "/" goes to the field to search in, as people know it.
document.addEventListener("keydown", (event) => {
  const field = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (event.key !== "/" || field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const search = document.querySelector("[data-search]");
  if (search instanceof HTMLElement) search.focus();
  else location.assign("/search");
});

// A list counts what is chosen, and chooses all of its page.
for (const form of document.querySelectorAll("[data-choose]")) {
  const boxes = () => [...form.querySelectorAll("input[name=id]")]; // the list changes while it is open
  const all = form.querySelector("[data-all]");
  const told = form.querySelector("[data-chosen]");
  const count = () => {
    const chosen = boxes().filter((box) => box.checked).length;
    told.textContent = chosen ? `${chosen} chosen` : "";
  };
  all.hidden = false;
  all.querySelector("input").addEventListener("change", (event) => {
    for (const box of boxes()) box.checked = event.target.checked;
    count();
  });
  form.addEventListener("change", count);
  count();
}
