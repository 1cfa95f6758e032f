//! One request, one answer: the bytes of `protocol::host` around a world. Safe code; `export.rs` holds the rest.

use protocol::host::{self, Boot, Op};
use protocol::{Command, Event, Ran};

/// A world as the host sees it: commands in, events out, time in slices.
pub trait World: Sized {
    /// Makes the world; a damaged saved world is an error, in words for the reader.
    fn boot(boot: Boot) -> Result<Self, String>;
    fn handle(&mut self, command: Command) -> Vec<Event>;
    /// Runs at most `max` events and not beyond virtual time `until` (ns), or until a stop that was asked for. With
    /// `pass_stops` only `max` and `until` end it: a rerun up to an event index.
    fn run(&mut self, max: u64, until: u64, pass_stops: bool) -> Ran;
    fn ran(&self) -> Ran;
    fn take_events(&mut self) -> Vec<Event>;
    /// Everything that survives a reload; `dirty` is false afterwards.
    fn save(&mut self) -> Vec<u8>;
}

/// Answers one request; the world is made by the first, `Boot`.
pub fn answer<W: World>(state: &mut Option<W>, request: &[u8]) -> Vec<u8> {
    match try_answer(state, request) {
        Ok(bytes) => bytes,
        Err(why) => {
            let mut bytes = vec![255];
            bytes.extend_from_slice(why.as_bytes());
            bytes
        }
    }
}

fn try_answer<W: World>(state: &mut Option<W>, request: &[u8]) -> Result<Vec<u8>, String> {
    let (op, body) = request.split_first().ok_or("an empty request")?;
    let op = Op::from_byte(*op).ok_or_else(|| format!("no operation {op}"))?;
    if op == Op::Boot {
        let world = state.insert(W::boot(protocol::decode(body)?)?);
        return Ok(with_events(world, Vec::new()));
    }
    let world = state.as_mut().ok_or("the world has not been made")?;
    match op {
        Op::Boot => unreachable!("handled above"),
        Op::Command => {
            let events = world.handle(protocol::decode(body)?);
            Ok(with_events(world, events))
        }
        Op::Run => {
            let body: &[u8; 17] = body.try_into().map_err(|_| "run: 17 bytes are wanted")?;
            let number = |at: usize| u64::from_le_bytes(body[at..at + 8].try_into().expect("eight bytes"));
            let ran = world.run(number(0), number(8), body[16] & host::PASS_STOPS != 0);
            if body[16] & host::KEEP_EVENTS != 0 {
                return Ok([&host::head(&ran)[..], &protocol::encode(&Vec::<Event>::new())].concat());
            }
            Ok(with_events(world, Vec::new()))
        }
        Op::Save => {
            let blob = world.save();
            let mut bytes = host::head(&world.ran()).to_vec();
            bytes.extend_from_slice(&blob);
            Ok(bytes)
        }
    }
}

fn with_events<W: World>(world: &mut W, mut events: Vec<Event>) -> Vec<u8> {
    events.extend(world.take_events());
    let mut bytes = host::head(&world.ran()).to_vec();
    bytes.extend(protocol::encode(&events));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Mode, Run, View, WindowId};

    /// A world that counts.
    #[derive(Default)]
    struct Counter {
        ran: Ran,
        events: Vec<Event>,
    }

    impl World for Counter {
        fn boot(boot: Boot) -> Result<Self, String> {
            match boot.saved {
                Some(_) => Err("the file is cut short".into()),
                None => Ok(Counter::default()),
            }
        }
        fn handle(&mut self, command: Command) -> Vec<Event> {
            if command == Command::Run(Run::Fast) {
                self.ran.mode = Mode::Fast;
            }
            vec![Event::Clear { term: 1 }]
        }
        fn run(&mut self, max: u64, until: u64, _pass_stops: bool) -> Ran {
            self.ran.event += max;
            self.ran.now = until;
            self.events.push(Event::Clear { term: 2 });
            self.ran
        }
        fn ran(&self) -> Ran {
            self.ran
        }
        fn take_events(&mut self) -> Vec<Event> {
            std::mem::take(&mut self.events)
        }
        fn save(&mut self) -> Vec<u8> {
            b"disks".to_vec()
        }
    }

    fn request(op: Op, body: &[u8]) -> Vec<u8> {
        [&[op as u8], body].concat()
    }

    #[test]
    fn a_session_of_requests() {
        let mut world: Option<Counter> = None;
        let boot = protocol::encode(&Boot::default());
        assert!(host::split(&answer(&mut world, &request(Op::Boot, &boot))).is_ok());
        let bytes = answer(&mut world, &request(Op::Command, &protocol::encode(&Command::Run(Run::Fast))));
        let (ran, body) = host::split(&bytes).unwrap();
        assert_eq!(ran.mode, Mode::Fast);
        assert_eq!(protocol::decode::<Vec<Event>>(body), Ok(vec![Event::Clear { term: 1 }]));
        let slice = [10u64.to_le_bytes(), 2_000u64.to_le_bytes()].concat();
        let bytes = answer(&mut world, &request(Op::Run, &[&slice[..], &[0]].concat()));
        let (ran, body) = host::split(&bytes).unwrap();
        assert_eq!((ran.event, ran.now), (10, 2_000));
        assert_eq!(protocol::decode::<Vec<Event>>(body), Ok(vec![Event::Clear { term: 2 }]));
        assert_eq!(host::split(&answer(&mut world, &request(Op::Save, &[]))).unwrap().1, b"disks");
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let mut world: Option<Counter> = None;
        let why = |world: &mut Option<Counter>, bytes: &[u8]| host::split(&answer(world, bytes)).unwrap_err();
        assert_eq!(why(&mut world, &[]), "an empty request");
        assert_eq!(why(&mut world, &[77]), "no operation 77");
        let view = protocol::encode(&Command::View(View::Unsubscribe { id: WindowId(1) }));
        assert_eq!(why(&mut world, &request(Op::Command, &view)), "the world has not been made");
        let boot = protocol::encode(&Boot { saved: Some(vec![1]), ..Boot::default() });
        assert_eq!(why(&mut world, &request(Op::Boot, &boot)), "the file is cut short");
        let boot = protocol::encode(&Boot::default());
        answer(&mut world, &request(Op::Boot, &boot));
        assert_eq!(why(&mut world, &request(Op::Run, &[1, 2])), "run: 17 bytes are wanted");
    }
}
