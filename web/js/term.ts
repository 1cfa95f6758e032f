// One terminal: xterm.js and a line editor (history, cursor keys, completion, Ctrl-C, Ctrl-D, Ctrl-L, IME).
//
// The engine's shell takes whole lines, so that the log of inputs stays small and a rerun is exact; editing a line is
// the page's business. Pasted lines are sent one after another, as fast as prompts come.

import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";

export interface TermHooks {
  line(text: string): void;
  interrupt(): void;
  eof(): void;
  resize(cols: number, rows: number): void;
  // Asks for words at byte `at`; answered through `Term.completions`.
  complete(line: string, at: number): void;
  // Esc and F6 leave the terminal.
  leave(forward: boolean): void;
  label: string;
}

export interface Term {
  write(text: string): void;
  prompt(text: string, more: boolean): void;
  // A command began; its line is written when nobody typed it here (a screen that is shown again).
  busy(command: string): void;
  clear(): void;
  reset(): void;
  cols(): number;
  rows(): number;
  completions(from: number, words: string[]): void;
  type(text: string): void;
  focus(): void;
  fit(): void;
  theme(): void;
  text(): string;
  dispose(): void;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function theme(): ITheme {
  const ink = css("--ink");
  return {
    background: css("--s0"),
    foreground: ink,
    cursor: ink,
    cursorAccent: css("--s0"),
    selectionBackground: css("--line2"),
    red: css("--bad"),
    green: css("--ok"),
    yellow: css("--warn"),
    brightBlack: css("--ink3"),
    scrollbarSliderBackground: css("--line2"),
    scrollbarSliderHoverBackground: css("--line3"),
    scrollbarSliderActiveBackground: css("--line3"),
  };
}

const utf8 = new TextEncoder();

export function open(host: HTMLElement, hooks: TermHooks): Term {
  const term = new Terminal({
    fontFamily: css("--mono"),
    fontSize: 12,
    lineHeight: 1.2,
    cursorBlink: false,
    convertEol: true,
    scrollback: 5000,
    theme: theme(),
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    allowProposedApi: false,
  });
  const fitter = new FitAddon();
  term.loadAddon(fitter);
  term.open(host);
  if (term.textarea) term.textarea.setAttribute("aria-label", hooks.label);

  let prompt = "";
  let editing = false; // A line may be typed at a prompt; otherwise it is input of the running command.
  let line: string[] = []; // By code point.
  let cursor = 0;
  const history: string[] = [];
  let at = 0;
  let kept = "";
  let queue: string[] = []; // Pasted lines that wait for their prompt.
  let column = 0; // Where the program's output left the cursor, so that a prompt begins a line.

  const width = (c: string) => (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u.test(c) ? 2 : 1);
  const cells = (s: string[]) => s.reduce((n, c) => n + width(c), 0);
  let drawnRows = 0; // Rows above the cursor's that the drawn line takes.

  function redraw() {
    const before = cells([...prompt]) + cells(line.slice(0, cursor));
    const all = cells([...prompt]) + cells(line);
    let out = "\r" + (drawnRows > 0 ? `\x1b[${drawnRows}A` : "") + "\x1b[J" + prompt + line.join("");
    if (all > 0 && all % term.cols === 0) out += "\r\n";
    const endRow = Math.floor(all / term.cols);
    const row = Math.floor(before / term.cols);
    if (endRow > row) out += `\x1b[${endRow - row}A`;
    out += "\r" + (before % term.cols > 0 ? `\x1b[${before % term.cols}C` : "");
    drawnRows = row;
    term.write(out);
  }
  function set(text: string) {
    line = [...text];
    cursor = line.length;
    redraw();
  }
  function insert(text: string) {
    const chars = [...text];
    line.splice(cursor, 0, ...chars);
    cursor += chars.length;
    redraw();
  }
  function enter() {
    const text = line.join("");
    cursor = line.length;
    redraw();
    term.write("\r\n");
    column = 0;
    if (editing && text.trim() && history.at(-1) !== text) history.push(text);
    at = history.length;
    line = [];
    cursor = 0;
    drawnRows = 0;
    prompt = "";
    editing = false;
    hooks.line(text);
  }
  function feed(data: string) {
    const parts = data.replace(/\r\n?/g, "\n").split("\n");
    if (parts.length === 1) return insert(parts[0]);
    insert(parts[0]);
    queue.push(...parts.slice(1));
    enter();
  }

  term.attachCustomKeyEventHandler((e) => {
    if (e.isComposing) return true;
    if (e.key === "F6") {
      if (e.type === "keydown") hooks.leave(!e.shiftKey);
      return false;
    }
    // Ctrl-Enter is the page's primary action; the backquote stays a letter here.
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) return false;
    // Copying what is selected is not an interrupt.
    if (e.key.toLowerCase() === "c" && (e.ctrlKey || e.metaKey) && term.hasSelection()) return false;
    return true;
  });

  term.onData((data) => {
    switch (data) {
      case "\r":
        return enter();
      case "\x03":
        term.write("^C\r\n");
        line = [];
        cursor = 0;
        drawnRows = 0;
        column = 0;
        queue = [];
        at = history.length;
        return hooks.interrupt();
      case "\x04":
        if (line.length === 0) return hooks.eof();
        line.splice(cursor, 1);
        return redraw();
      case "\x0c":
        term.clear();
        return redraw();
      case "\x7f":
      case "\b":
        if (cursor > 0) {
          line.splice(--cursor, 1);
          redraw();
        }
        return;
      case "\x1b[3~":
        line.splice(cursor, 1);
        return redraw();
      case "\x1b[D":
      case "\x1bOD":
      case "\x02":
        cursor = Math.max(0, cursor - 1);
        return redraw();
      case "\x1b[C":
      case "\x1bOC":
      case "\x06":
        cursor = Math.min(line.length, cursor + 1);
        return redraw();
      case "\x1b[H":
      case "\x1bOH":
      case "\x01":
        cursor = 0;
        return redraw();
      case "\x1b[F":
      case "\x1bOF":
      case "\x05":
        cursor = line.length;
        return redraw();
      case "\x15":
        line.splice(0, cursor);
        cursor = 0;
        return redraw();
      case "\x0b":
        line.splice(cursor);
        return redraw();
      case "\x17": {
        let from = cursor;
        while (from > 0 && line[from - 1] === " ") from--;
        while (from > 0 && line[from - 1] !== " ") from--;
        line.splice(from, cursor - from);
        cursor = from;
        return redraw();
      }
      case "\x1b[A":
      case "\x1bOA":
      case "\x10":
        if (!editing || at === 0) return;
        if (at === history.length) kept = line.join("");
        return set(history[--at]);
      case "\x1b[B":
      case "\x1bOB":
      case "\x0e":
        if (!editing || at >= history.length) return;
        return set(++at === history.length ? kept : history[at]);
      case "\t":
        if (editing) hooks.complete(line.join(""), utf8.encode(line.slice(0, cursor).join("")).length);
        else insert("\t");
        return;
      case "\x1b":
        return hooks.leave(true);
    }
    if (data.startsWith("\x1b")) return;
    feed(data);
  });

  const api: Term = {
    write(text) {
      // Output of a background command must not tear a line that is being typed.
      const typing = editing && prompt !== "";
      if (typing) term.write("\r" + (drawnRows > 0 ? `\x1b[${drawnRows}A` : "") + "\x1b[J");
      term.write(text);
      const last = text.slice(text.lastIndexOf("\n") + 1);
      column = text.includes("\n") ? last.length : column + last.length;
      if (typing) {
        if (column > 0) term.write("\r\n");
        column = 0;
        drawnRows = 0;
        redraw();
      }
    },
    prompt(text, more) {
      if (column > 0 && !more) term.write("\r\n");
      column = 0;
      prompt = text;
      editing = true;
      drawnRows = 0;
      redraw();
      const next = queue.shift();
      if (next !== undefined) {
        insert(next);
        if (queue.length > 0) enter();
      }
    },
    busy(command) {
      if (editing) {
        line = [...command];
        cursor = line.length;
        redraw();
        term.write("\r\n");
        line = [];
        cursor = 0;
        drawnRows = 0;
      }
      column = 0;
      editing = false;
      prompt = "";
    },
    clear() {
      term.write("\x1b[H\x1b[2J\x1b[3J");
      column = 0;
    },
    reset() {
      term.reset();
      line = [];
      cursor = 0;
      drawnRows = 0;
      column = 0;
      queue = [];
      prompt = "";
      editing = false;
    },
    cols: () => term.cols,
    rows: () => term.rows,
    completions(from, words) {
      const typed = line.join("");
      const head = new TextDecoder().decode(utf8.encode(typed).slice(0, from));
      const start = [...head].length;
      const have = line.slice(start, cursor).join("");
      const fit = words.filter((w) => w.startsWith(have));
      if (fit.length === 0) return;
      let common = fit[0];
      for (const w of fit) while (!w.startsWith(common)) common = common.slice(0, -1);
      if (common.length > have.length || fit.length === 1) {
        const end = fit.length === 1 && !/[=/]$/.test(common) ? " " : "";
        line.splice(start, cursor - start, ...common, ...end);
        cursor = start + [...common].length + end.length;
        return redraw();
      }
      const shown = cursor;
      cursor = line.length;
      redraw();
      term.write("\r\n" + columns(fit, term.cols) + "\r\n");
      drawnRows = 0;
      cursor = shown;
      redraw();
    },
    type: feed,
    focus: () => term.focus(),
    fit() {
      if (host.clientWidth < 40 || host.clientHeight < 20) return;
      fitter.fit();
    },
    theme() {
      term.options.theme = theme();
    },
    text() {
      const buffer = term.buffer.active;
      const lines: string[] = [];
      for (let i = 0; i < buffer.length; i++) {
        const row = buffer.getLine(i)!;
        const text = row.translateToString(true);
        if (row.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
        else lines.push(text);
      }
      return lines.join("\n").trimEnd();
    },
    dispose() {
      watching.disconnect();
      term.dispose();
    },
  };
  term.onResize(({ cols, rows }) => hooks.resize(cols, rows));
  const watching = new ResizeObserver(() => api.fit());
  watching.observe(host);
  api.fit();
  // For tests and for copying: what the terminal shows, as text.
  (host as HTMLElement & { terminalText?: () => string }).terminalText = api.text;
  return api;
}

function columns(words: string[], cols: number): string {
  const wide = Math.max(...words.map((w) => w.length)) + 2;
  const per = Math.max(1, Math.floor(cols / wide));
  const rows: string[] = [];
  for (let i = 0; i < words.length; i += per) {
    rows.push(words.slice(i, i + per).map((w) => w.padEnd(wide)).join("").trimEnd());
  }
  return rows.join("\n");
}
