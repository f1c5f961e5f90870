//! Prints the hash of every scenario's trace, as computed on this machine.

fn main() {
    print!("{}", rocketscope_tests::trace::report());
}
