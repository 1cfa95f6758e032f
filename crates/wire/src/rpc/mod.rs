//! gRPC status: the code and text with which a call fails, and the catalogue of etcd's own errors.
//!
//! Codes are numbered as gRPC numbers them; [`Status`] prints as grpc-go prints its errors.

pub mod errors;

use std::fmt;

/// A gRPC status code, with its number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Code {
    /// Success.
    Ok = 0,
    /// The caller gave up.
    Canceled = 1,
    /// An error without a better code.
    Unknown = 2,
    /// The request is wrong whatever the state of the system.
    InvalidArgument = 3,
    /// The deadline passed.
    DeadlineExceeded = 4,
    /// Something asked for is not there.
    NotFound = 5,
    /// Something to be made is there already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// Space, quota or patience ran out.
    ResourceExhausted = 8,
    /// The system is not in the state this needs.
    FailedPrecondition = 9,
    /// A conflict with other work.
    Aborted = 10,
    /// Past the valid range.
    OutOfRange = 11,
    /// The method is not there.
    Unimplemented = 12,
    /// An invariant is broken.
    Internal = 13,
    /// Not now; try again.
    Unavailable = 14,
    /// Data is lost or corrupted.
    DataLoss = 15,
    /// The caller did not say who it is.
    Unauthenticated = 16,
}

impl Code {
    /// The code with that number; numbers gRPC does not know are [`Code::Unknown`].
    pub fn from_number(n: u32) -> Code {
        use Code::*;
        const ALL: [Code; 17] = [
            Ok,
            Canceled,
            Unknown,
            InvalidArgument,
            DeadlineExceeded,
            NotFound,
            AlreadyExists,
            PermissionDenied,
            ResourceExhausted,
            FailedPrecondition,
            Aborted,
            OutOfRange,
            Unimplemented,
            Internal,
            Unavailable,
            DataLoss,
            Unauthenticated,
        ];
        ALL.get(n as usize).copied().unwrap_or(Unknown)
    }

    /// The name as grpc-go prints it.
    pub fn name(self) -> &'static str {
        match self {
            Code::Ok => "OK",
            Code::Canceled => "Canceled",
            Code::Unknown => "Unknown",
            Code::InvalidArgument => "InvalidArgument",
            Code::DeadlineExceeded => "DeadlineExceeded",
            Code::NotFound => "NotFound",
            Code::AlreadyExists => "AlreadyExists",
            Code::PermissionDenied => "PermissionDenied",
            Code::ResourceExhausted => "ResourceExhausted",
            Code::FailedPrecondition => "FailedPrecondition",
            Code::Aborted => "Aborted",
            Code::OutOfRange => "OutOfRange",
            Code::Unimplemented => "Unimplemented",
            Code::Internal => "Internal",
            Code::Unavailable => "Unavailable",
            Code::DataLoss => "DataLoss",
            Code::Unauthenticated => "Unauthenticated",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a call failed: what travels in the trailers `grpc-status` and `grpc-message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The code.
    pub code: Code,
    /// The text, which etcdctl prints after `Error: `.
    pub message: String,
}

impl Status {
    /// A status with this code and text.
    pub fn new(code: Code, message: impl Into<String>) -> Status {
        Status { code, message: message.into() }
    }

    /// The entry of etcd's catalogue with this text, if there is one. etcd's client tells errors apart by their text.
    pub fn known(&self) -> Option<Error> {
        Error::with_text(&self.message)
    }

    /// Whether this is that error of etcd's catalogue (compared by text, as etcd's client does).
    pub fn is(&self, error: Error) -> bool {
        self.message == error.text
    }
}

/// As grpc-go: `rpc error: code = NotFound desc = …`.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rpc error: code = {} desc = {}", self.code, self.message)
    }
}

impl std::error::Error for Status {}

/// An entry of etcd's error catalogue ([`errors`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The gRPC code.
    pub code: Code,
    /// The text, with its prefix `etcdserver: `.
    pub text: &'static str,
}

impl Error {
    /// The catalogue's entry with exactly this text.
    pub fn with_text(text: &str) -> Option<Error> {
        errors::ALL.iter().copied().find(|e| e.text == text)
    }

    /// The status as the catalogue has it.
    pub fn status(self) -> Status {
        Status::new(self.code, self.text)
    }

    /// The status as etcd 3.6's server really sends it. Its table holds the client's form of two errors, and those
    /// leave the server with code Unknown: "too many requests" and "not enough started members".
    pub fn as_sent(self) -> Status {
        if self == errors::REQUEST_TOO_MANY_REQUESTS || self == errors::MEMBER_NOT_ENOUGH_STARTED {
            return Status::new(Code::Unknown, self.text);
        }
        self.status()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl From<Error> for Status {
    fn from(e: Error) -> Status {
        e.status()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_grpc_go() {
        let s: Status = errors::PERMISSION_DENIED.into();
        assert_eq!(s.to_string(), "rpc error: code = PermissionDenied desc = etcdserver: permission denied");
        assert_eq!(s.known(), Some(errors::PERMISSION_DENIED));
        assert_eq!(Status::new(Code::Unknown, "raft proposal dropped").known(), None);
    }

    #[test]
    fn codes_by_number() {
        for n in 0..=16 {
            assert_eq!(Code::from_number(n) as u32, n);
        }
        assert_eq!(Code::from_number(17), Code::Unknown);
        assert_eq!(errors::COMPACTED.code as u8, 11);
        assert_eq!(errors::NO_SPACE.code as u8, 8);
        assert_eq!(errors::REQUEST_TOO_MANY_REQUESTS.as_sent().code, Code::Unknown);
    }

    #[test]
    fn every_text_has_the_prefix_and_is_unique() {
        for (i, e) in errors::ALL.iter().enumerate() {
            assert!(e.text.starts_with("etcdserver: "), "{e}");
            assert!(!errors::ALL[..i].iter().any(|o| o.text == e.text), "{e}");
        }
    }
}
