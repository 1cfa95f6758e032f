// axe-core in the page; a violation is an error that names the rule and the element.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function violations(page) {
  // By the page's own policy no script can be added from here; the debugger may run one.
  await page.evaluate(source);
  return page.evaluate(async () => {
    const result = await window.axe.run(document, {
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return result.violations.map((v) => `${v.id} (${v.impact}): ${v.help}\n    ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " — " + n.any.concat(n.all, n.none).map((c) => c.message).join("; ")).join("\n    ")}`);
  });
}
