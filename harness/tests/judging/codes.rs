//! Every command, with what it can't use: the code is the documented one for it, and no command panics.

use tempfile::tempdir;

use crate::support::binary::{file, run};

/// What a command line stands for in these texts, and the code of the command.
const CALLS: [(&str, i32); 46] = [
    ("", 3),
    ("no-such-command", 3),
    ("verify NOTHING", 3),
    ("verify BINARY", 3),
    ("verify FOLDER", 3),
    ("verify --target NOTHING", 3),
    ("verify --target BINARY", 3),
    ("verify --contracts NOTHING", 3),
    ("verify --contracts FOLDER", 3),
    ("verify --known BINARY", 3),
    ("verify --clause no.such.clause", 3),
    ("verify --jobs 0", 3),
    ("verify --seed -1", 3),
    ("verify -f no-scenario-has-this-in-its-name-at-all", 2),
    ("mutate --tape NOTHING", 3),
    ("mutate --tape BINARY", 3),
    ("mutate --target BINARY", 3),
    ("compare BINARY emulator", 3),
    ("compare NOTHING NOTHING", 3),
    ("compare emulator", 3),
    ("coverage --contracts FOLDER", 3),
    ("coverage --target BINARY --run", 3),
    ("explore --api nothing", 3),
    ("explore --steps 0", 3),
    ("explore --target BINARY", 3),
    ("fuzz --api nothing", 3),
    ("fuzz --target BINARY", 3),
    ("load", 3),
    ("load no-such-profile", 3),
    ("load BINARY", 3),
    ("load create-v1 --target BINARY", 3),
    ("load create-v1 --baseline BINARY", 3),
    ("load merge BINARY", 3),
    ("load merge NOTHING", 3),
    ("load notification not-a-url", 3),
    ("notify not-a-url", 3),
    ("notify http://127.0.0.1:1/ --credentials BINARY", 3),
    ("emulate --world BINARY", 3),
    ("emulate --listen nowhere", 3),
    ("emulate --freedoms no-such=thing", 3),
    ("clause no.such.clause", 3),
    ("contracts no.such.operation", 3),
    ("qr not-a-code", 1),
    ("init --force NOTHING/below/BINARY", 3),
    ("schema nothing", 3),
    ("--config BINARY verify", 3),
];

#[test]
fn what_a_command_can_t_use_has_a_documented_code() {
    let folder = tempdir().unwrap();
    let binary = folder.path().join("binary");
    std::fs::write(&binary, [0, 159, 146, 150, 255, 10, 123, 58]).unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    file(folder.path(), "unrelated.txt", "unrelated");
    let mut wrong = Vec::new();
    for (call, code) in CALLS {
        let words = call.split(' ').filter(|word| !word.is_empty());
        let words = words.map(|word| {
            let named = word.replace("BINARY", &binary.display().to_string()).replace("FOLDER", &empty.display().to_string());
            named.replace("NOTHING", "no-such-file.yaml")
        });
        // A panic fails by itself: its message is on standard error.
        let output = run(words);
        if output.code != code {
            wrong.push(format!("`{call}` ends with {}, not {code}: {}{}", output.code, output.out, output.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
