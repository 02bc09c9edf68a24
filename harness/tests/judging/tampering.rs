//! What the proxy does to a good target, in the words of [`Tamper`](crate::support::proxy::Tamper): `response`, `push`, `setting`
//! and so on. `everywhere` changes responses and notifications alike; `within` is how long the harness waits for a response.

macro_rules! tamper {
    ($($kind:ident($what:expr)),+) => {{
        let mut tamper = $crate::support::proxy::Tamper::default();
        $(tamper!(@$kind tamper, $what);)+
        tamper
    }};
    (@everywhere $tamper:ident, $what:expr) => {
        $tamper.response = Some(|_, message| { let change: fn(&mut $crate::support::proxy::Message) = $what; change(message) });
        $tamper.push = Some(|_, push| { let change: fn(&mut $crate::support::proxy::Message) = $what; change(&mut push.message) });
    };
    (@within $tamper:ident, $what:expr) => { $tamper.timeout = Some($what) };
    (@$kind:ident $tamper:ident, $what:expr) => { $tamper.$kind = Some($what) };
}
