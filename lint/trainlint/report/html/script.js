"use strict";
// The page works without this: then everything is shown. It shows one group at a time, filters, and leads the keyboard.
document.documentElement.classList.add("js");

const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
const target = (href) => document.getElementById(decodeURIComponent(href.slice(1)));
let opener = null; // the part of the picture whose note is open

function showGroup(group) {
  all(".group.shown").forEach((each) => each.classList.toggle("shown", each === group));
  group.classList.add("shown");
  all("a.open").forEach((link) => {
    const chosen = target(link.getAttribute("href")) === group;
    link.closest("tr").classList.toggle("chosen", chosen);
    if (chosen) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
}

function showView(view) {
  all(".view", view.closest(".group")).forEach((each) => { each.hidden = each !== view; });
  all('[role="tab"]', view.closest(".group")).forEach((tab) => {
    const chosen = tab.getAttribute("aria-controls") === view.id;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  });
}

function closeNote() {
  all(".why.shown").forEach((each) => each.classList.remove("shown"));
  all(".item.chosen").forEach((each) => each.classList.remove("chosen"));
}

function showNote(note) {
  closeNote();
  note.classList.add("shown");
  all(".item", note.closest(".view")).forEach((item) => {
    const chosen = item.getAttribute("href") === "#" + note.id;
    item.classList.toggle("chosen", chosen);
    if (chosen && item.getClientRects().length) opener = item; // of the two pictures the one that is seen
  });
}

// Show what an address names, whatever hides it; whether there is such a thing.
function reveal(hash, focus) {
  const found = hash.length > 1 ? target(hash) : null;
  if (!found) return false;
  const group = found.closest(".group");
  if (group) showGroup(group);
  const view = found.closest(".view");
  if (view) showView(view);
  if (found.matches(".why")) showNote(found);
  if (found.matches(".finding") && found.hidden) {
    const form = document.getElementById("finding-filters");
    form.reset();
    filter(form);
  }
  if (focus) {
    found.focus({ preventScroll: true });
    const block = found.matches(".why") ? "nearest" : "start";
    found.scrollIntoView({ block });
  }
  return true;
}

function filter(form) {
  const data = new FormData(form);
  const words = String(data.get("text") || "").toLowerCase().split(/\s+/).filter(Boolean);
  const groups = form.id === "group-filters";
  const items = groups ? all("#group-table tbody tr") : all(".finding[data-severity]");
  let shown = 0;
  items.forEach((item) => {
    const facts = groups ? item.querySelector("a.open").dataset : item.dataset;
    const choice = groups ? data.getAll("answer").includes(facts.answer) : data.getAll("severity").includes(facts.severity);
    const chosen = (name, separator) => {
      const wanted = data.get(name);
      return !wanted || (facts[name] || "").split(separator).includes(wanted);
    };
    const text = item.textContent.toLowerCase();
    const fits = choice && chosen("category", "\n") && chosen("group", " ") && chosen("snapshot", "\t") &&
      words.every((word) => text.includes(word));
    item.hidden = !fits;
    shown += fits;
  });
  form.elements.count.value = `${shown} of ${items.length} shown`;
}

function step(items, from, by) {
  const next = items[items.indexOf(from) + by];
  if (next) next.focus();
}

function onKey(event) {
  const at = document.activeElement;
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (event.key === "Escape") {
    const note = document.querySelector(".why.shown");
    const group = at.closest ? at.closest(".group") : null;
    if (note) {
      const back = opener;
      closeNote();
      if (back) back.focus();
    } else if (group) {
      const link = all("a.open").find((each) => target(each.getAttribute("href")) === group);
      if (link) link.focus();
    }
  } else if (by && at.matches("a.open")) {
    event.preventDefault();
    step(all("a.open").filter((link) => !link.closest("tr").hidden), at, by);
  } else if (by && at.matches(".item")) {
    event.preventDefault();
    step(all(".item", at.closest("svg")), at, by);
  } else if (by && at.matches('[role="tab"]')) {
    event.preventDefault();
    step(all('[role="tab"]', at.parentElement), at, by);
    showView(document.getElementById(document.activeElement.getAttribute("aria-controls")));
  }
}

function onClick(event) {
  const tab = event.target.closest('[role="tab"]');
  if (tab) showView(document.getElementById(tab.getAttribute("aria-controls")));
  const link = event.target.closest("a[href^='#']");
  if (link && link.getAttribute("href") === location.hash) { // the address does not change, so there is no event
    event.preventDefault();
    reveal(location.hash, true);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const first = document.querySelector(".group");
  if (first) showGroup(first);
  reveal(location.hash, true);
  all("form.filters").forEach((form) => {
    filter(form);
    form.addEventListener("input", () => filter(form));
    form.addEventListener("reset", () => setTimeout(() => filter(form)));
    form.addEventListener("submit", (event) => event.preventDefault());
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  window.addEventListener("hashchange", () => reveal(location.hash, true));
});
