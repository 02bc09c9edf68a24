use super::*;

fn read(files: &[(&str, &str)]) -> Imports {
    Imports::parse(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))).unwrap()
}

/// The arrows of a crate of `lib.rs`, `a.rs`, `b/mod.rs`, `b/c.rs` and `d.rs`, where `a.rs` is given.
fn arrows(a: &str) -> Vec<String> {
    let imports = read(&[
        ("lib.rs", "mod a; mod b; mod d;"),
        ("a.rs", a),
        ("b/mod.rs", "mod c; pub use c::{C, f as g}; pub use c::inner; pub struct B;"),
        ("b/c.rs", "pub struct C; pub fn f() {} pub mod inner { pub struct Deep; } made! { pub struct ByMacro; }"),
        ("d.rs", "pub(crate) use crate::b::*; pub use crate::b::C as Renamed;"),
    ]);
    imports.arrows().iter().filter(|arrow| arrow.from == "a.rs").map(Arrow::to_string).collect()
}

#[test]
fn every_way_to_name_an_item_is_an_arrow() {
    for a in [
        "use crate::b::B;",
        "use super::b::B as Other;",
        "use crate::{b::{self, B}};",
        "fn f() -> crate::b::B { loop {} }",
        "fn f(_: super::b::B) {}",
        "use crate::b; fn f() { let _ = b::B; }",
        "use crate::b as other; fn f() { let _ = other::B; }",
        "fn f() { use crate::b::B; }",
        "fn f() { macro_call!(\"no::path\", crate::b::B) }",
        "use crate::b; fn f() { macro_call!(b::B) }",
        "impl Trait for crate::b::B {}",
    ] {
        assert_eq!(arrows(a), ["a.rs -> b/mod.rs: B"], "{a}");
    }
}

#[test]
fn a_reexport_is_followed_to_the_file_that_defines_the_item() {
    assert_eq!(arrows("use crate::b::C;"), ["a.rs -> b/c.rs: C"]);
    assert_eq!(arrows("use crate::b::g;"), ["a.rs -> b/c.rs: f"]);
    assert_eq!(arrows("use crate::d::Renamed;"), ["a.rs -> b/c.rs: C"]);
    assert_eq!(arrows("use crate::d::C;"), ["a.rs -> b/c.rs: C"], "through a glob");
    assert_eq!(arrows("use crate::b::inner::Deep;"), ["a.rs -> b/c.rs: Deep"]);
    assert_eq!(arrows("use crate::b::c::ByMacro;"), ["a.rs -> b/c.rs: ByMacro"]);
}

#[test]
fn declarations_tests_and_other_crates_are_no_arrows() {
    for a in [
        "pub use crate::b::B;",
        "use crate::b;",
        "use std::fmt; fn f(_: fmt::Error) {}",
        "#[cfg(test)] mod tests { use crate::b::B; }",
        "#[cfg(test)] use crate::b::B;",
        "#[cfg(all(test, unix))] fn f() -> crate::b::B { loop {} }",
        "fn f() { macro_call!(\"crate::b::B\") }",
        "// crate::b::B",
    ] {
        assert_eq!(arrows(a), Vec::<String>::new(), "{a}");
    }
}

#[test]
fn a_reexport_that_its_file_uses_is_an_arrow() {
    assert_eq!(arrows("pub use crate::b::B; fn f(_: B) {}"), ["a.rs -> b/mod.rs: B"]);
}

#[test]
fn code_outside_of_tests_is_read() {
    assert_eq!(arrows("#[cfg(not(test))] use crate::b::B;"), ["a.rs -> b/mod.rs: B"]);
    assert_eq!(arrows("#[cfg(unix)] use crate::b::B;"), ["a.rs -> b/mod.rs: B"]);
}

#[test]
fn a_parent_and_its_child_that_use_each_other_are_a_circle() {
    let imports = read(&[
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod child; pub struct Parent; fn f() { child::g() }"),
        ("a/child.rs", "use super::Parent; pub fn g() {}"),
    ]);
    let [circle] = &imports.circles()[..] else { panic!("{:?}", imports.circles()) };
    assert_eq!(circle.files, ["a/child.rs", "a/mod.rs"]);
    assert!(circle.to_string().contains("a/child.rs -> a/mod.rs: Parent"), "{circle}");
}

#[test]
fn a_circle_is_found_however_long_and_others_apart() {
    let imports = read(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "pub struct C; fn f(_: crate::a::A) {}"),
        ("d.rs", "use crate::a::A; use crate::e::E;"),
        ("e.rs", "use crate::f::F; pub struct E;"),
        ("f.rs", "use crate::e::E; pub struct F;"),
    ]);
    let files: Vec<_> = imports.circles().into_iter().map(|circle| circle.files).collect();
    assert_eq!(files, [vec!["a.rs", "b.rs", "c.rs"], vec!["e.rs", "f.rs"]]);
}

#[test]
fn what_leads_to_a_circle_is_not_in_it() {
    let imports = read(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")]);
    assert_eq!(imports.circles(), []);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let error =
        |files: &[(&str, &str)]| Imports::parse(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))).unwrap_err();
    assert!(error(&[("lib.rs", "fn {")]).starts_with("lib.rs: "));
    assert!(error(&[("lib.rs", "mod a;")]).contains("no file of `mod a`"));
    assert!(error(&[("a.rs", "")]).contains("lib.rs"));
}

const ORDER: Rooms = Rooms(&[
    &[Room { name: "base", modules: &["base"] }],
    &[Room { name: "one", modules: &["api::one"] }, Room { name: "two", modules: &["api::two"] }],
    &[Room { name: "front", modules: &["app", "server"] }],
]);

fn violations(one: &str) -> Vec<String> {
    let imports = read(&[
        ("lib.rs", "mod api; mod app; mod base; mod server; mod stray;"),
        ("api/mod.rs", "mod one; mod two; mod onetime;"),
        ("api/one.rs", one),
        ("api/two.rs", "use crate::base::Base; pub struct Two;"),
        ("api/onetime.rs", "pub struct Onetime;"),
        ("app.rs", "use crate::server::Server; pub struct App;"),
        ("server.rs", "use crate::api::two::Two; pub struct Server;"),
        ("base.rs", "pub struct Base;"),
        ("stray.rs", "pub struct Stray;"),
    ]);
    ORDER.violations(&imports)
}

#[test]
fn arrows_run_down_the_order_of_rooms() {
    assert_eq!(violations("use crate::base::Base;"), Vec::<String>::new());
    assert_eq!(violations("use crate::app::App;"), ["`one` uses `front`, which is above it: api/one.rs -> app.rs: App"]);
    assert_eq!(violations("use crate::api::two::Two;"), ["`one` uses its neighbour `two`: api/one.rs -> api/two.rs: Two"]);
    assert_eq!(violations("use crate::stray::Stray;"), ["stray.rs is in no room: api/one.rs -> stray.rs: Stray"]);
    assert_eq!(violations("use super::onetime::Onetime;"), ["api/onetime.rs is in no room: api/one.rs -> api/onetime.rs: Onetime"]);
}
