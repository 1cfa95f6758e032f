//! The page's hands: what boot.ts puts into `globalThis.etcdscope`.

use js_sys::{Array, Function, Object, Promise, Reflect};
use protocol::{Command, Input, Run, View};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = etcdscope)]
    pub fn listen(handler: &Closure<dyn FnMut(String, Vec<u8>, String)>);
    #[wasm_bindgen(js_namespace = etcdscope)]
    fn post(kind: &str, bytes: &[u8], number: f64);
    #[wasm_bindgen(js_namespace = etcdscope)]
    pub fn start(boot: &[u8], version: u32);
    #[wasm_bindgen(js_namespace = etcdscope, js_name = term)]
    pub fn open_term(host: &web_sys::HtmlElement, hooks: &JsValue) -> Promise;
    #[wasm_bindgen(js_namespace = etcdscope, js_name = editor)]
    pub fn open_editor(host: &web_sys::HtmlElement, text: &str, hooks: &JsValue) -> Promise;
    #[wasm_bindgen(js_namespace = etcdscope)]
    pub fn download(name: &str, bytes: &[u8]);
    #[wasm_bindgen(js_namespace = etcdscope)]
    pub fn pick() -> Promise;
    #[wasm_bindgen(js_namespace = etcdscope)]
    pub fn copy(text: &str) -> Promise;
    #[wasm_bindgen(js_namespace = etcdscope)]
    pub fn pref(key: &str) -> Option<String>;
    #[wasm_bindgen(js_namespace = etcdscope, js_name = setPref)]
    pub fn set_pref(key: &str, value: &str);

    /// One terminal (term.ts).
    #[derive(Clone)]
    pub type Term;
    #[wasm_bindgen(method)]
    pub fn write(this: &Term, text: &str);
    #[wasm_bindgen(method)]
    pub fn prompt(this: &Term, text: &str, more: bool);
    #[wasm_bindgen(method)]
    pub fn busy(this: &Term, command: &str);
    #[wasm_bindgen(method)]
    pub fn clear(this: &Term);
    #[wasm_bindgen(method)]
    pub fn reset(this: &Term);
    #[wasm_bindgen(method)]
    pub fn cols(this: &Term) -> u16;
    #[wasm_bindgen(method)]
    pub fn rows(this: &Term) -> u16;
    #[wasm_bindgen(method)]
    pub fn completions(this: &Term, from: u32, words: &Array);
    #[wasm_bindgen(method, js_name = type)]
    pub fn type_text(this: &Term, text: &str);
    #[wasm_bindgen(method, js_name = focus)]
    pub fn focus_term(this: &Term);
    #[wasm_bindgen(method)]
    pub fn theme(this: &Term);
    #[wasm_bindgen(method, js_name = dispose)]
    pub fn dispose_term(this: &Term);

    /// One editor (editor.ts).
    #[derive(Clone)]
    pub type Editor;
    #[wasm_bindgen(method)]
    pub fn text(this: &Editor) -> String;
    #[wasm_bindgen(method)]
    pub fn set(this: &Editor, text: &str);
    #[wasm_bindgen(method)]
    pub fn diagnose(this: &Editor, list: &Array);
    #[wasm_bindgen(method)]
    pub fn mark(this: &Editor, list: &Array);
    #[wasm_bindgen(method)]
    pub fn suggestions(this: &Editor, from: u32, words: &Array);
    #[wasm_bindgen(method)]
    pub fn show(this: &Editor, byte: u32);
    #[wasm_bindgen(method, js_name = focus)]
    pub fn focus_editor(this: &Editor);
    #[wasm_bindgen(method, js_name = dispose)]
    pub fn dispose_editor(this: &Editor);
}

/// Sends a command to the engine.
pub fn send(command: Command) {
    post("command", &protocol::encode(&command), 0.0);
}

pub fn input(input: Input) {
    send(Command::Input(input));
}

pub fn view(view: View) {
    send(Command::View(view));
}

pub fn run(run: Run) {
    send(Command::Run(run));
}

/// Puts the world back to an event that has happened.
pub fn back(event: u64) {
    post("back", &[], event as f64);
}

/// Begins a new world; nothing of the old one is kept.
pub fn reset(boot: &[u8]) {
    post("reset", boot, 0.0);
}

/// Asks for the world as a file; it comes as a message of kind `file`.
pub fn export() {
    post("export", &[], 0.0);
}

/// Goes on with the world of a file.
pub fn import(bytes: &[u8]) {
    post("import", bytes, 0.0);
}

/// An object of named functions and values, as the scripts' `open` functions want it.
pub struct Hooks(Object);

impl Hooks {
    pub fn new() -> Self {
        Hooks(Object::new())
    }

    pub fn value(self, name: &str, value: impl Into<JsValue>) -> Self {
        Reflect::set(&self.0, &name.into(), &value.into()).expect("a plain object takes any property");
        self
    }

    pub fn function(self, name: &str, function: &Function) -> Self {
        self.value(name, function.clone())
    }

    pub fn js(self) -> JsValue {
        self.0.into()
    }
}

/// Waits for a promise and hands its value on; a refusal is shown in the console, where a developer looks.
pub fn then(promise: Promise, done: impl FnOnce(JsValue) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        match wasm_bindgen_futures::JsFuture::from(promise).await {
            Ok(value) => done(value),
            Err(why) => {
                let console =
                    Reflect::get(&js_sys::global(), &"console".into()).unwrap_or(JsValue::UNDEFINED);
                if let Ok(error) =
                    Reflect::get(&console, &"error".into()).and_then(|f| f.dyn_into::<Function>())
                {
                    let _ = error.call1(&console, &why);
                }
            }
        }
    });
}
