//! What the screen says in words: policies, events, gaps. Pure functions from data to text.

pub mod event;
pub mod fate;
pub mod policy;
pub mod story;
