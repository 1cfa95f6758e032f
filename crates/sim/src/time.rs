//! Virtual time: nanoseconds since the world's start.

use core::fmt;
use core::ops::{Add, Sub};
use core::time::Duration;

/// Unix time, in nanoseconds, at which every world starts: 2026-01-01T00:00:00Z.
pub const EPOCH_UNIX_NANOS: i64 = 1_767_225_600_000_000_000;

/// A point of virtual time: nanoseconds since the world's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The world's start.
    pub const ZERO: Time = Time(0);

    /// The same moment on the wall clock, in nanoseconds since the Unix epoch.
    pub fn unix_nanos(self) -> i64 {
        EPOCH_UNIX_NANOS.saturating_add_unsigned(self.0)
    }

    /// Time passed since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, d: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(d.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Time> for Time {
    type Output = Duration;
    fn sub(self, earlier: Time) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for Time {
    /// `HH:MM:SS.mmmuuu`, the clock of the page.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.0 / 1_000;
        let (s, us) = (us / 1_000_000, us % 1_000_000);
        write!(f, "{:02}:{:02}:{:02}.{:06}", s / 3600, s / 60 % 60, s % 60, us)
    }
}
