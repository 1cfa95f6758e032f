// A text editor for manifests and configurations: CodeMirror with YAML, diagnostics and field completion that the engine
// answers, and the marks of linked fields.

import { autocompletion, type CompletionContext, type CompletionResult, closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";

export interface EditorHooks {
  changed(text: string): void;
  // Ctrl-S, Cmd-S.
  save(): void;
  // Which mark the pointer or cursor is on: its field's number, or -1.
  over(field: number): void;
  cursor(field: number): void;
  pin(field: number): void;
  leave(forward: boolean): void;
  // Asks for fields at byte `at`.
  suggest(text: string, at: number): void;
  label: string;
  wrap: boolean;
}

export interface Editor {
  text(): string;
  set(text: string): void;
  // [line, column, endLine, endColumn, severity (0 error, 1 warning), message] …, counted from 1.
  diagnose(list: [number, number, number, number, number, string][]): void;
  // [start, end, field, hue, pattern, hot] …, in UTF-8 bytes.
  mark(list: [number, number, number, number, number, number][]): void;
  suggestions(from: number, words: [string, string][]): void;
  show(byte: number): void;
  focus(): void;
  dispose(): void;
}

type MarkRow = [number, number, number, number, number, number];
const setMarks = StateEffect.define<MarkRow[]>();

const utf8 = new TextEncoder();

// UTF-8 offsets of the engine to UTF-16 offsets of the editor, for a sorted list in one walk.
function toUtf16(text: string, bytes: number[]): Map<number, number> {
  const wanted = [...new Set(bytes)].sort((a, b) => a - b);
  const found = new Map<number, number>();
  let byte = 0;
  let unit = 0;
  let i = 0;
  while (i < wanted.length) {
    if (wanted[i] <= byte || unit >= text.length) {
      found.set(wanted[i++], unit);
      continue;
    }
    const code = text.codePointAt(unit)!;
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    unit += code < 0x10000 ? 1 : 2;
  }
  return found;
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, tr) {
    set = set.map(tr.changes);
    for (const e of tr.effects) {
      if (!e.is(setMarks)) continue;
      const text = tr.state.doc.toString();
      const at = toUtf16(text, e.value.flatMap((m) => [m[0], m[1]]));
      const out: Range<Decoration>[] = [];
      for (const [start, end, field, hue, pattern, hot] of e.value) {
        const from = at.get(start)!;
        const to = at.get(end)!;
        if (to <= from) continue;
        const attributes: Record<string, string> = { "data-f": String(field) };
        if (hue > 0) {
          attributes["data-h"] = String(hue);
          attributes["data-p"] = String(pattern);
        }
        out.push(Decoration.mark({ class: (hue > 0 ? "u" : "u0") + (hot ? " hot" : ""), attributes }).range(from, to));
        if (hot === 2) {
          const line = tr.state.doc.lineAt(from);
          out.push(Decoration.line({ class: "yl hot", attributes: { "data-h": String(hue) } }).range(line.from));
        }
      }
      out.sort((a, b) => a.from - b.from || a.value.startSide - b.value.startSide);
      set = Decoration.set(out);
    }
    return set;
  },
  provide: (f) => EditorView.decorations.from(f),
});

export function open(host: HTMLElement, text: string, hooks: EditorHooks): Editor {
  let answer: ((r: CompletionResult | null) => void) | undefined;
  let quiet = false;
  const fieldAt = (target: EventTarget | null): number => {
    const el = (target as HTMLElement | null)?.closest?.("[data-f]") as HTMLElement | null;
    return el ? Number(el.dataset.f) : -1;
  };
  const source = (context: CompletionContext): Promise<CompletionResult | null> | null => {
    const word = context.matchBefore(/[A-Za-z][A-Za-z0-9]*/);
    if (!word && !context.explicit) return null;
    const all = context.state.doc.toString();
    const at = utf8.encode(all.slice(0, context.pos)).length;
    answer?.(null);
    return new Promise((resolve) => {
      answer = resolve;
      hooks.suggest(all, at);
      setTimeout(() => resolve(null), 2000);
    });
  };
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        closeBrackets(),
        yaml(),
        indentUnit.of("  "),
        EditorState.tabSize.of(2),
        autocompletion({ override: [source], icons: false }),
        marks,
        hooks.wrap ? EditorView.lineWrapping : [],
        EditorView.contentAttributes.of({ "aria-label": hooks.label, tabindex: "0" }),
        keymap.of([
          { key: "Mod-s", run: () => (hooks.save(), true) },
          // Ctrl-Enter belongs to the page.
          { key: "Mod-Enter", run: () => true },
          { key: "F6", run: () => (hooks.leave(true), true) },
          { key: "Shift-F6", run: () => (hooks.leave(false), true) },
          // Tab indents only while text is selected; else it leaves, so that nobody is caught here.
          { key: "Tab", run: (v) => !v.state.selection.main.empty && indentMore(v) },
          { key: "Shift-Tab", run: (v) => !v.state.selection.main.empty && indentLess(v) },
          ...defaultKeymap.filter((b) => b.key !== "Mod-Enter"),
          ...historyKeymap,
          ...lintKeymap,
        ]),
        EditorView.updateListener.of((u) => {
          if (u.docChanged && !quiet) hooks.changed(u.state.doc.toString());
          if (u.selectionSet && u.view.hasFocus) {
            const at = u.view.domAtPos(u.state.selection.main.head).node;
            hooks.cursor(fieldAt(at.nodeType === Node.TEXT_NODE ? at.parentElement : at));
          }
        }),
        EditorView.domEventHandlers({
          mousemove: (e) => hooks.over(fieldAt(e.target)),
          mouseleave: () => hooks.over(-1),
          click: (e) => {
            const f = fieldAt(e.target);
            if (f >= 0) hooks.pin(f);
          },
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set(text) {
      if (text === view.state.doc.toString()) return;
      quiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      quiet = false;
    },
    diagnose(list) {
      const doc = view.state.doc;
      const pos = (line: number, column: number) => {
        const l = doc.line(Math.min(Math.max(line, 1), doc.lines));
        return Math.min(l.from + Math.max(column - 1, 0), l.to);
      };
      view.dispatch(
        setDiagnostics(
          view.state,
          list.map(([line, column, endLine, endColumn, severity, message]) => {
            const from = pos(line, column);
            return {
              from,
              to: Math.max(from, pos(endLine, endColumn)),
              severity: severity === 0 ? ("error" as const) : ("warning" as const),
              message,
            };
          }),
        ),
      );
    },
    mark(list) {
      view.dispatch({ effects: setMarks.of(list) });
    },
    suggestions(from, words) {
      const all = view.state.doc.toString();
      const at = toUtf16(all, [from]).get(from) ?? 0;
      answer?.({ from: at, options: words.map(([label, detail]) => ({ label, detail })), validFor: /^[A-Za-z0-9]*$/ });
      answer = undefined;
    },
    show(byte) {
      const at = toUtf16(view.state.doc.toString(), [byte]).get(byte) ?? 0;
      view.dispatch({ effects: EditorView.scrollIntoView(at, { y: "nearest" }) });
    },
    focus: () => view.focus(),
    dispose: () => view.destroy(),
  };
}
