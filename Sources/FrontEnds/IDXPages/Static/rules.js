"use strict";

// Ticks the rules of a new password while it is typed, after sign-in.js.
{
  const count = (pattern) => (typed, least) => (typed.match(pattern) ?? []).length >= least;
  const longest = (typed) => Math.max(0, ...(typed.match(/(.)\1*/gsu) ?? []).map((run) => [...run].length));
  const tests = {
    length: (typed, least) => typed.length >= least,
    lower: count(/\p{Lowercase}/gu), upper: count(/\p{Uppercase}/gu), digits: count(/\p{N}/gu),
    symbols: count(/[^A-Za-z0-9]/g), repeats: (typed, most) => longest(typed) <= most,
    username: (typed, _, name) => [name, ...name.split(/[@.,_#-]/)]
      .every((part) => part.length < 4 || !typed.toLowerCase().includes(part.toLowerCase())),
  };

  for (const rules of document.querySelectorAll(".rules")) {
    const items = [...rules.querySelectorAll("[data-rule]")];
    const input = rules.parentElement.parentElement.querySelector("input");
    if (!items.length || !input) continue;
    const line = addStatus(rules.parentElement, "away");
    let timer;
    input.addEventListener("input", () => {
      for (const item of items) {
        const [name, number] = item.dataset.rule.split(" ");
        const isMet = input.value !== "" && tests[name](input.value, Number(number), rules.dataset.username ?? "");
        item.classList.toggle("met", isMet);
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        line.textContent = rules.dataset.met.replace("{count}", rules.querySelectorAll(".met").length)
          .replace("{total}", items.length);
      }, 600);
    });
  }
}
