//! The world: composes everything, saves it, answers windows.
