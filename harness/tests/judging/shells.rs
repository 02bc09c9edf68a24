//! Completions and manual pages come from the definitions that the command line is read by.

use std::process::{Command, Stdio};

use tempfile::tempdir;

use crate::support::binary::run;

/// What bash offers for the last of these words.
fn offered(script: &str, words: &[&str]) -> String {
    let typed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let [.., before, last] = words else { panic!("{words:?}") };
    let ask = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_paycheck paycheck '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        typed.join(" "),
        words.len() - 1
    );
    let output = Command::new("bash").args(["-c", &ask]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn bash_completes_commands_options_and_values() {
    let script = run(["completions", "bash"]).with_code(0).out;
    for (words, wanted) in [
        (["paycheck", "ver"].as_slice(), "verify"),
        (&["paycheck", "verify", "--fail"], "--fail-fast"),
        (&["paycheck", "load", "not"], "notification"),
        (&["paycheck", "--color", "nev"], "never"),
        (&["paycheck", "schema", "tar"], "target"),
    ] {
        let offered = offered(&script, words);
        assert_eq!(offered.lines().collect::<Vec<_>>(), [wanted], "{words:?}");
    }
}

#[test]
fn other_shells_get_scripts_of_their_own() {
    for (shell, mark) in [
        ("zsh", "#compdef paycheck"),
        ("fish", "complete -c paycheck"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[paycheck]"),
    ] {
        let script = run(["completions", shell]).with_code(0).out;
        assert!(script.contains(mark) && script.contains("max-failures"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempdir().unwrap();
    run(["man", "--out", &folder.path().display().to_string()]).with_code(0);
    for (page, part) in [
        ("paycheck.1", "paycheck\\-verify(1)"),
        ("paycheck-verify.1", "\\-\\-max\\-failures"),
        ("paycheck-load-notification.1", "\\-\\-rate"),
    ] {
        let text = std::fs::read_to_string(folder.path().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".TH ") && text.contains(part), "{page}\n{text}");
    }
    assert!(run(["man"]).with_code(0).out.contains(".TH paycheck 1"));
}
