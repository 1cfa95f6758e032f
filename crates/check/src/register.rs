//! The model of one key: read, write, delete, compare and swap.

use crate::linearizability::Model;
use bytes::Bytes;

/// One key that holds a value or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Register;

/// What is asked of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterInput {
    /// Its value.
    Read,
    /// Put a value.
    Write(Bytes),
    /// Delete it.
    Delete,
    /// Put `new` if the value is `expected` (`None`: there is none).
    Cas {
        /// The value it must have.
        expected: Option<Bytes>,
        /// The value it gets.
        new: Bytes,
    },
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterOutput {
    /// A read's value.
    Value(Option<Bytes>),
    /// A write or delete is done.
    Done,
    /// Whether the value was as expected.
    Swapped(bool),
}

impl Model for Register {
    type State = Option<Bytes>;
    type Input = RegisterInput;
    type Output = RegisterOutput;

    fn init(&self) -> Option<Bytes> {
        None
    }

    fn step(
        &self,
        state: &Option<Bytes>,
        input: &RegisterInput,
        output: Option<&RegisterOutput>,
    ) -> Option<Option<Bytes>> {
        match (input, output) {
            (RegisterInput::Read, Some(RegisterOutput::Value(v))) => (v == state).then(|| state.clone()),
            (RegisterInput::Read, None) => Some(state.clone()),
            (RegisterInput::Write(v), Some(RegisterOutput::Done) | None) => Some(Some(v.clone())),
            (RegisterInput::Delete, Some(RegisterOutput::Done) | None) => Some(None),
            (RegisterInput::Cas { expected, new }, out) => {
                let holds = expected == state;
                match out {
                    Some(RegisterOutput::Swapped(s)) if *s != holds => None,
                    Some(RegisterOutput::Swapped(_)) | None => {
                        Some(if holds { Some(new.clone()) } else { state.clone() })
                    }
                    Some(_) => None,
                }
            }
            _ => None,
        }
    }
}
