// What the browser tests share: one Chromium, a page whose errors fail the test, and a few things a person does.

import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";

const PAGE = process.env.PAGE ?? "http://127.0.0.1:8080/";
const FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
let browser;

export async function launch() {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS.split(" ") });
  return browser;
}

export async function close() {
  await browser?.close();
  browser = undefined;
}

// Opens the page; `errors` collects what the console and the page complain of.
export async function open({ width = 1440, height = 900, dark = false, locale = "en-US", path = "", context } = {}) {
  const b = await launch();
  context ??= await b.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", locale, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (e) => errors.push(`pageerror: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && errors.push(`console: ${m.text()}`));
  page.on("response", (r) => r.status() >= 400 && errors.push(`${r.status()} ${r.url()}`));
  page.on("request", (r) => !r.url().startsWith(PAGE) && !/^(data|blob):/.test(r.url()) && errors.push(`request to another host: ${r.url()}`));
  await page.goto(PAGE + path);
  await page.waitForSelector('.app[data-ready="true"]');
  return { page, context, errors };
}

// Waits until the terminal's text matches.
export async function terminal(page, n, pattern, timeout = 30_000) {
  await page.waitForFunction(
    ([n, source, flags]) => new RegExp(source, flags).test(document.querySelector(`[data-term="${n}"]`)?.terminalText?.() ?? ""),
    [n, pattern.source, pattern.flags],
    { timeout },
  );
  return page.evaluate((n) => document.querySelector(`[data-term="${n}"]`).terminalText(), n);
}

// Types a command into a terminal and enters it.
export async function enter(page, n, line) {
  await page.locator(`[data-term="${n}"] textarea`).focus();
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}

export async function shot(page, name) {
  const dir = process.env.SHOTS ?? "target/shots";
  await mkdir(dir, { recursive: true });
  await page.screenshot({ path: `${dir}/${name}.png` });
}
