//! The entry of the page and of its worker.

fn main() {
    rocketscope_web::run();
}
