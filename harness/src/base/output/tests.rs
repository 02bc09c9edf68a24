use std::fs;
use std::path::PathBuf;

use super::*;

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn folders_are_created_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/report.xml");
    write_whole(&path, b"one").unwrap();
    write_whole(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(entries(path.parent().unwrap()), ["report.xml"]);
}

#[test]
fn a_file_is_created_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/first.yaml");
    create_whole(&path, b"one").unwrap();
    assert_eq!(create_whole(&path, b"two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert_eq!(entries(path.parent().unwrap()), ["first.yaml"]);
}

#[test]
fn an_error_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = write_whole(folder.path(), b"one").unwrap_err();
    assert!(error.to_string().contains(&folder.path().display().to_string()), "{error}");
    let error = StreamFile::new(folder.path()).err().unwrap();
    assert!(error.to_string().contains("cannot be written"), "{error}");
}

#[test]
fn a_check_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.xml");
    fs::write(&path, "before").unwrap();
    check(&path).unwrap();
    check(&folder.path().join("a/b/other.xml")).unwrap();
    check(&path.join("below-a-file.xml")).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(entries(folder.path()), ["report.xml"]);
}

#[test]
fn a_stream_takes_its_place_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.tape");
    fs::write(&path, "before").unwrap();
    let mut stream = StreamFile::new(&path).unwrap();
    assert_eq!(entries(folder.path()), ["run.tape"]);
    stream.write_all(b"one").unwrap();
    stream.flush().unwrap();
    let [former, draft] = <[String; 2]>::try_from(entries(folder.path())).unwrap();
    assert!(draft.starts_with("run.tape.") && draft.ends_with(".partial"), "{draft}");
    assert_eq!(
        (fs::read(folder.path().join(draft)).unwrap(), fs::read(folder.path().join(former)).unwrap()),
        (b"one".into(), b"before".into())
    );
    stream.clone().complete().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert_eq!(entries(folder.path()), ["run.tape"]);
}

#[test]
fn a_stream_that_is_dropped_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.tape");
    fs::write(&path, "before").unwrap();
    StreamFile::new(&path).unwrap().write_all(b"half").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(entries(folder.path()), ["run.tape"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn pipe(folder: &Path) -> PathBuf {
        let path = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    #[test]
    fn a_pipe_is_written_to_and_stays_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        check(&path).unwrap();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        write_whole(&path, b"report").unwrap();
        assert_eq!(reader.join().unwrap(), b"report");
        assert_eq!(entries(folder.path()), ["pipe"]);
        // Another pipe: a process that a test beside this one just starts may hold the reading end of the first a moment longer.
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        let mut stream = StreamFile::new(&path).unwrap();
        stream.write_all(b"events").unwrap();
        stream.complete().unwrap();
        assert_eq!(reader.join().unwrap(), b"events");
        assert!(!fs::metadata(&path).unwrap().is_file());
    }

    #[test]
    fn a_link_is_followed_to_its_file_and_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, b"after").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"after");
    }

    #[test]
    fn nothing_is_created_through_a_link_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        symlink(&file, &link).unwrap();
        assert!(check(&link).unwrap_err().to_string().contains("a link to nothing"));
        assert!(write_whole(&link, b"after").unwrap_err().to_string().contains("a link to nothing"));
        assert!(!file.exists());
    }

    #[test]
    fn a_file_keeps_its_permissions_and_a_new_one_has_those_of_any_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let (kept, fresh, plain) = (folder.path().join("kept"), folder.path().join("fresh"), folder.path().join("plain"));
        fs::write(&kept, "before").unwrap();
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o640)).unwrap();
        fs::write(&plain, "plain").unwrap();
        write_whole(&kept, b"after").unwrap();
        write_whole(&fresh, b"new").unwrap();
        assert_eq!(fs::metadata(&kept).unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::metadata(&fresh).unwrap().mode(), fs::metadata(&plain).unwrap().mode());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_names_the_file_and_every_further_write_fails_too() {
        let full = Path::new("/dev/full");
        assert!(write_whole(full, b"x").unwrap_err().to_string().contains("/dev/full cannot be written"));
        let mut stream = StreamFile::new(full).unwrap();
        for _ in 0..2 {
            let error = stream.write_all(b"x").unwrap_err();
            assert!(error.to_string().contains("/dev/full cannot be written"), "{error}");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
        assert_eq!(stream.complete().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn outputs_are_distinguished_from_inputs_and_each_other_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("in"), "input").unwrap();
        symlink(at("in"), at("link")).unwrap();
        fs::hard_link(at("in"), at("hard")).unwrap();
        fs::create_dir(at("below")).unwrap();
        fs::write(at("below/read.yaml"), "input").unwrap();
        let pipe = pipe(folder.path());
        let clashes = |outputs: &[&Path]| clash(&[&at("in"), &at("below"), &at("missing")], outputs);
        for name in ["in", "link", "hard", "below/../in", "below/read.yaml"] {
            assert!(matches!(clashes(&[&at(name)]), Some(Clash::Input(_))), "{name}");
        }
        for (one, other) in [("new", "new"), ("new", "below/../new"), ("a/new", "a/./new")] {
            assert!(matches!(clashes(&[&at(one), &at(other)]), Some(Clash::Twice(_))), "{one} {other}");
        }
        assert_eq!(clashes(&[Path::new("-"), Path::new("-")]), Some(Clash::Twice("-".to_owned())));
        assert_eq!(clashes(&[&at("new"), &at("other"), &at("below/new"), &pipe, &pipe]), None);
    }
}

#[test]
fn a_result_so_far_is_replaced_whole_and_gone_when_it_is_not_needed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/result.json");
    let partial = PartialFile::beside(&path).unwrap().unwrap();
    partial.write(b"one").unwrap();
    partial.write(b"two").unwrap();
    let [name] = entries(path.parent().unwrap()).try_into().unwrap();
    assert!(name.starts_with("result.json.") && name.ends_with(".partial"), "{name}");
    assert_eq!(fs::read(path.with_file_name(&name)).unwrap(), b"two");
    drop(partial);
    assert_eq!(entries(path.parent().unwrap()), Vec::<String>::new());
    let kept = PartialFile::beside(&path).unwrap().unwrap();
    kept.write(b"three").unwrap();
    assert_eq!(fs::read(kept.keep().unwrap()).unwrap(), b"three");
    assert_eq!(PartialFile::beside(&path).unwrap().unwrap().keep(), None, "nothing was written");
    assert!(PartialFile::beside(Path::new("-")).unwrap().is_none(), "nothing stands beside standard output");
}
