//! The frame: who owns which state, how the engine's messages reach them, and which part lies where.

use protocol::host::Boot;
use protocol::view::Follow;
use protocol::{Config, Event};
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use crate::actions::{edit, open};
use crate::host;
use crate::keys::Keys;
use crate::parts::consensus::Consensus;
use crate::parts::editor;
use crate::parts::inspector::Inspector;
use crate::parts::keyspace::Keyspace;
use crate::parts::nowbar::{NowBar, StepRow, clock};
use crate::parts::panels::{Rail, SidePanel};
use crate::parts::pipeline::Pipeline;
use crate::parts::strip::TraceStrip;
use crate::parts::terminals::{self, Terminals};
use crate::parts::top::{More, Tabs, TopBar};
use crate::state::link::{Hot, Link};
use crate::state::prefs::Prefs;
use crate::state::session::{Notice, Session, SessionAction};
use crate::state::view::{Pane, Stage, View, ViewAction};
use crate::ui::{Ui, icon};
use crate::windows;
use crate::words::T;

/// Width and height of the window, px.
fn size() -> (i32, i32) {
    let px = |v: Result<JsValue, JsValue>| v.ok().and_then(|v| v.as_f64()).unwrap_or(1000.0) as i32;
    web_sys::window().map_or((1440, 900), |w| (px(w.inner_width()), px(w.inner_height())))
}

/// One message of the worker.
fn receive(session: &UseReducerDispatcher<Session>, kind: &str, bytes: &[u8], text: &str) {
    let notice = |key| session.dispatch(SessionAction::Notice(Some(Notice { key, text: text.to_string() })));
    match kind {
        "began" | "restored" | "events" => {
            let mut numbers = text.split(' ').filter_map(|n| n.parse::<u64>().ok());
            let (newest, seq) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            let answer = protocol::host::split(bytes)
                .and_then(|(ran, body)| Ok((ran, protocol::decode::<Vec<Event>>(body)?)));
            match answer {
                Ok((ran, events)) => {
                    match kind {
                        "began" => terminals::begin(),
                        "restored" => terminals::restore(seq),
                        _ => {}
                    }
                    for event in &events {
                        terminals::deliver(seq, event);
                        editor::deliver(event);
                    }
                    session.dispatch(SessionAction::Answer {
                        ran,
                        newest,
                        restored: kind != "events",
                        began: kind == "began",
                        events,
                    });
                }
                Err(why) => {
                    session.dispatch(SessionAction::Notice(Some(Notice { key: "notice.broken", text: why })))
                }
            }
        }
        "saved" => {
            if let Ok(revision) = text.parse() {
                session.dispatch(SessionAction::Saved(revision));
            }
        }
        "file" => host::download("world.etcdscope", bytes),
        "crash" => notice("notice.crash"),
        "damaged" => notice("notice.damaged"),
        "elsewhere" => notice("notice.elsewhere"),
        "unsaved" => notice("notice.unsaved"),
        "broken" => notice("notice.broken"),
        "refused" => notice("notice.refused"),
        _ => {}
    }
}

#[component(App)]
pub fn app() -> Html {
    let (name, text, _) = open::SCRIPTS[0];
    let prefs = use_reducer(Prefs::load);
    let session = use_reducer(Session::default);
    let view = use_reducer(move || View::new(&format!("~/{name}"), text));
    let link = use_reducer(Link::default);
    let size = use_state(size);
    let t = T(prefs.lang);
    let ui = Ui { t, view: view.dispatcher(), link: link.dispatcher(), session: session.dispatcher() };

    // The worker's messages, the window's size, the system's theme: for as long as the page lives.
    {
        let (dispatch, size) = (session.dispatcher(), size.clone());
        use_effect_with((), move |_| {
            let handler = Closure::<dyn FnMut(String, Vec<u8>, String)>::new(
                move |kind: String, bytes: Vec<u8>, text: String| receive(&dispatch, &kind, &bytes, &text),
            );
            host::listen(&handler);
            handler.forget();
            host::start(
                &protocol::encode(&Boot { config: Config::default(), saved: None }),
                protocol::VERSION,
            );
            let resized = Closure::<dyn FnMut()>::new(move || size.set(self::size()));
            if let Some(window) = web_sys::window() {
                let _ = window.add_event_listener_with_callback("resize", resized.as_ref().unchecked_ref());
            }
            resized.forget();
        });
    }
    {
        let prefs = prefs.clone();
        use_effect_with((prefs.theme, prefs.lang), move |_| {
            terminals::retheme();
            let system = Closure::<dyn FnMut()>::new(move || {
                prefs.show();
                terminals::retheme();
            });
            let media =
                web_sys::window().and_then(|w| w.match_media("(prefers-color-scheme: dark)").ok().flatten());
            if let Some(media) = &media {
                media.set_onchange(Some(system.as_ref().unchecked_ref()));
            }
            move || {
                if let Some(media) = media {
                    media.set_onchange(None);
                }
                drop(system);
            }
        });
    }
    // Keys, always with the newest state.
    {
        let keys = use_mut_ref(|| None::<Keys>);
        *keys.borrow_mut() =
            Some(Keys { ui: ui.clone(), session: session.clone(), view: view.clone(), link: link.clone() });
        use_effect_with((), move |_| {
            let handler =
                Closure::<dyn FnMut(web_sys::KeyboardEvent)>::new(move |e: web_sys::KeyboardEvent| {
                    let now = keys.borrow().clone();
                    if let Some(now) = now {
                        now.handle(&e);
                    }
                });
            if let Some(window) = web_sys::window() {
                let _ = window.add_event_listener_with_callback("keydown", handler.as_ref().unchecked_ref());
            }
            handler.forget();
        });
    }
    // Windows follow what is shown; after the engine's memory was put back all are asked for again.
    {
        let asked = use_mut_ref(Vec::new);
        let wanted = if session.ready { windows::wanted(&session, &view) } else { Vec::new() };
        let followed = session.followed;
        use_effect_with((session.restored, wanted), move |(restored, wanted)| {
            let mut asked = asked.borrow_mut();
            let (times, old) = asked.pop().unwrap_or((0, Vec::new()));
            if let (true, Some(trace)) = (times != *restored, followed) {
                host::view(protocol::View::Follow(Follow::Trace(trace)));
            }
            windows::subscribe(if times == *restored { &old } else { &[] }, wanted);
            asked.push((*restored, wanted.clone()));
        });
    }
    // What the manifest says is checked as it is typed.
    {
        let text = view.doc.text.clone();
        use_effect_with((text, session.ready, session.restored), |(text, ready, restored)| {
            if *ready {
                edit::check(*restored, text);
            }
        });
    }
    // `kubectl edit` hands its text over; a file that was asked for is opened.
    {
        let (ui, session) = (ui.clone(), session.clone());
        use_effect_with(session.edit.clone(), move |request| {
            if let Some(request) = request {
                ui.view.dispatch(ViewAction::Open(
                    request.name.clone(),
                    request.text.as_str().into(),
                    Some(request.effect),
                ));
                ui.session.dispatch(SessionAction::EditTaken);
            }
        });
    }
    {
        let ui = ui.clone();
        use_effect_with((session.file.clone(), view.opening.clone()), move |(file, opening)| {
            if let (Some(file), Some(path)) = (file, opening)
                && file.path == *path
            {
                let text = String::from_utf8_lossy(&file.data);
                ui.view.dispatch(ViewAction::Open(path.clone(), (*text).into(), None));
                ui.view.dispatch(ViewAction::Opening(None));
                ui.session.dispatch(SessionAction::ForgetFile);
            }
        });
    }
    // In a new world nothing is chosen or held yet.
    {
        let view = view.dispatcher();
        use_effect_with(session.began, move |_| view.dispatch(ViewAction::NewWorld));
    }
    // What was shown of another subject must not stand while its own is on the way.
    {
        let ui = ui.clone();
        let subject = (view.stage == Stage::Keyspace, view.key.clone(), view.trace.or(session.now.trace));
        use_effect_with(subject, move |_| ui.session.dispatch(SessionAction::ForgetValue));
    }

    let hot = Hot { link: (*link).clone(), slots: session.slots.clone() };
    let (width, height) = *size;
    let (wide, rows) = (if width < 720 { 8 } else { 16 }, if height < 760 { 4 } else { 5 });
    let (main, _) = clock(session.ran.now);
    let pane = match view.pane {
        Pane::Stage => "stage",
        Pane::Inspector => "inspector",
        Pane::Terminal => "terminal",
        Pane::More => "more",
    };
    html! {
        <ContextProvider<Hot> context={hot}>
            <div class={classes!("app", view.drawer.then_some("drawer"), view.panel.is_some().then_some("side-open"), session.looking_back().then_some("past"))}
                data-pane={pane} data-event={session.ran.event.to_string()} data-ready={session.ready.to_string()}>
                <TopBar ui={ui.clone()} stage={view.stage} panel={view.panel} prefs={prefs.clone()} members={session.cluster.members.len()}
                    encrypted={!session.cluster.encryption.is_empty()} saved={session.saved} clock={main} />
                <NowBar ui={ui.clone()} session={session.clone()} view={view.clone()} />
                <TraceStrip ui={ui.clone()} strip={session.strip.clone()} {width} low={height < 760} past={session.looking_back()} even={view.even}
                    following={session.now.trace.is_some()} event={session.ran.event} />
                { notice(&ui, &session) }
                <main class="body">
                    <Rail ui={ui.clone()} panel={view.panel} />
                    if let Some(panel) = view.panel {
                        <SidePanel ui={ui.clone()} {panel} files={session.files.clone()} folder={view.folder.clone()} cluster={session.cluster.clone()} mode={session.ran.mode} />
                    }
                    <section class="stage" id="region-stage" tabindex="-1" aria-label={t.s(view.stage.key())}>{ stage(&ui, &session, &view, rows, width) }</section>
                    <Inspector ui={ui.clone()} view={view.clone()} text={session.text.clone()} value={session.value.clone()}
                        gone={session.value_gone.clone()} diagnostics={session.diagnostics.clone()} rows={12} {wide} />
                </main>
                <Terminals ui={ui.clone()} open={view.terms.clone()} terms={session.terms.clone()} paused={session.paused()} />
                <StepRow ui={ui.clone()} session={session.clone()} view={view.clone()} />
                <Tabs ui={ui.clone()} view={view.clone()} />
                if view.pane == Pane::More { <More ui={ui.clone()} view={view.clone()} /> }
            </div>
        </ContextProvider<Hot>>
    }
}

fn stage(ui: &Ui, session: &Session, view: &View, rows: usize, width: i32) -> Html {
    let wide = if width < 720 { 8 } else { 16 };
    // What the station panel has beside rail, path and inspector.
    let room = match width {
        ..720 => width - 32,
        720..1024 => width - 76,
        1024..1280 => width - 44 - 424 - 32,
        _ => width - 44 - 424 - 440 - 32 - if view.panel.is_some() { 380 } else { 0 },
    };
    // Rail, member names, inspector and an open panel take their room first.
    let taken = if width < 720 { 32 } else { 276 }
        + if width < 1280 { 0 } else { 440 }
        + if view.panel.is_some() { 380 } else { 0 };
    let cells = ((width - taken) / 77).clamp(2, 40) as u64;
    match view.stage {
        Stage::Pipeline => html! {
            <Pipeline ui={ui.clone()} path={session.path.clone()} now={session.now.clone()} station={session.station.clone()}
                requests={session.requests.clone()} cluster={session.cluster.clone()} chosen={view.span} past={session.looking_back()} {rows} {wide} {room} ahead={view.ahead} holds={view.holds.clone()} />
        },
        Stage::Keyspace => html! {
            <Keyspace ui={ui.clone()} keys={session.keys.clone()} life={session.key.clone()} chosen={view.key.clone()}
                revision={view.revision} prefix={view.prefix.clone()} />
        },
        Stage::Consensus => html! { <Consensus ui={ui.clone()} cluster={session.cluster.clone()} {cells} /> },
    }
}

/// What a person must know, with the engine's own words.
fn notice(ui: &Ui, session: &Session) -> Html {
    let Some(notice) = &session.notice else { return Html::default() };
    let dispatch = ui.session.clone();
    let close = Callback::from(move |_: MouseEvent| dispatch.dispatch(SessionAction::Notice(None)));
    html! {
        <div class="notice err" role="alert">
            <span>{ ui.t.f(notice.key, &[]) }</span><code lang="en">{ &notice.text }</code><span class="sp" />
            <button class="tool sm" aria-label={ui.t.s("panel.close")} onclick={close}>{ icon("cross") }</button>
        </div>
    }
}
