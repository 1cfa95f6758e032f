// Pictures of the page in its sizes, themes and languages: `cargo xtask shots`.

import { close, open, shot } from "./browser.mjs";

const step = async (page, station) => {
  await page.waitForFunction(
    (name) => document.querySelector(`.st.cur[data-station="${name}"]`),
    station,
    { timeout: 20_000 },
  );
};

async function follow(page, phone, until) {
  await page.click(phone ? ".steps .primary" : "#primary");
  for (const station of until) {
    await step(page, station);
    if (station !== until.at(-1)) await page.click(phone ? ".steps .primary" : "#primary");
  }
}

const PATH = ["kubectl", "http", "authn", "authz", "decode", "default", "mutate", "strategy", "validate", "admit", "storage", "convert", "codec", "transformer"];

for (const [name, options] of [
  ["desk-light", {}],
  ["desk-dark", { dark: true }],
  ["desk-ko", { locale: "ko-KR" }],
  ["desk-ja", { locale: "ja-JP" }],
  ["phone-light", { width: 390, height: 844 }],
  ["phone-dark", { width: 390, height: 844, dark: true }],
  ["tablet", { width: 900, height: 1100 }],
  ["laptop", { width: 1280, height: 720 }],
]) {
  const phone = (options.width ?? 1440) < 720;
  const { page, context, errors } = await open(options);
  await page.waitForTimeout(1500);
  await shot(page, `${name}-1-first`);
  try {
    await follow(page, phone, PATH);
    await page.keyboard.press("f");
    await page.keyboard.press("f");
    await page.keyboard.press("f");
    await page.waitForTimeout(300);
    await shot(page, `${name}-2-transformer`);
  } catch (e) {
    await shot(page, `${name}-2-stuck`);
    console.error(name, String(e.message).split("\n")[0]);
  }
  if (phone) {
    for (const [i, tab] of ["bytes", "keys", "terminal", "more"].entries()) {
      await page.locator(".tabs button").nth(i + 1).click();
      await page.waitForTimeout(300);
      await shot(page, `${name}-${3 + i}-${tab}`);
    }
  } else {
    await page.locator(".views button").nth(1).click();
    await page.waitForTimeout(500);
    await page.locator(".kr[role=row]").nth(3).click();
    await page.waitForTimeout(500);
    await shot(page, `${name}-3-keyspace`);
    await page.locator(".views button").nth(2).click();
    await page.waitForTimeout(300);
    await shot(page, `${name}-4-consensus`);
    await page.locator(".rail button").nth(1).click();
    await page.waitForTimeout(300);
    await shot(page, `${name}-5-configuration`);
  }
  if (errors.length > 0) console.error(name, errors);
  await context.close();
}
await close();
