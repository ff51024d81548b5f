//! Recordings taken elsewhere: as casts, pictures, documents and drafts of labs.
//!
//! Everything here is drawn or written from the fold of a recording's events, by the painter that draws the screen, so
//! that an export shows what a replay shows. Files and terminals are left to whoever asks.
