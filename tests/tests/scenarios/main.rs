//! Named situations in which the real NameServer, broker and Java client of 4.9.8 were watched (`tests/scenarios/`): the
//! simulator is put into the same one, and has to do the same.

mod consuming;
mod filter;
mod producer;
mod rig;
mod shrinking;
mod transaction;
