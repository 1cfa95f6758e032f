//! The page: views of a world that runs in a worker. Yew draws; the engine is only spoken to through `protocol`.

mod actions;
mod app;
mod host;
mod keys;
mod parts;
mod path;
mod sentence;
mod state;
mod ui;
mod windows;
mod words;

fn main() {
    console_error_panic_hook::set_once();
    let root = web_sys::window()
        .and_then(|w| w.document())
        .and_then(|d| d.get_element_by_id("app"))
        .expect("index.html has #app");
    yew::Renderer::<app::App>::with_root(root).render();
}
