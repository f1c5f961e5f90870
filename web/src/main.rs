//! The RocketScope page.

fn main() {}
