//! Commands that the user provides, run without a shell. What they print is bounded, and so is their time.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::base::text::first_chars;

/// The most that a command may print.
const MOST_PRINTED: usize = 1024 * 1024;
/// How much of what it prints to standard error is kept, in bytes, and how much of that a message shows, in characters.
const KEPT_OF_ERRORS: usize = 4096;
const SHOWN_OF_ERRORS: usize = 300;

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Output {
    /// The beginning of what it printed to standard error.
    pub(crate) fn complaint(&self) -> String {
        first_chars(&String::from_utf8_lossy(&self.stderr), SHOWN_OF_ERRORS).trim().to_owned()
    }
}

/// Why a command has no output; each follows the command's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SubprocessError {
    /// It was ended.
    #[error("took longer than {0} s")]
    Late(u64),
    /// It was not started, or its output can't be read.
    #[error("could not be run: {0}")]
    NotRun(String),
    /// It was ended.
    #[error("printed more than {MOST_PRINTED} bytes")]
    TooMuch,
}

impl From<io::Error> for SubprocessError {
    fn from(error: io::Error) -> Self {
        Self::NotRun(error.to_string())
    }
}

/// Runs a command to its end, which has to come within this time.
pub(crate) async fn run(program: &str, arguments: &[String], within: Duration) -> Result<Output, SubprocessError> {
    let late = |_| Err(SubprocessError::Late(within.as_secs()));
    tokio::time::timeout(within, to_its_end(program, arguments)).await.unwrap_or_else(late)
}

async fn to_its_end(program: &str, arguments: &[String]) -> Result<Output, SubprocessError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = tokio::try_join!(printed(stdout), beginning(stderr))?;
    Ok(Output { status: child.wait().await?, stdout, stderr })
}

async fn printed(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, SubprocessError> {
    let Some(stream) = stream else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    stream.take(MOST_PRINTED as u64 + 1).read_to_end(&mut bytes).await?;
    if bytes.len() > MOST_PRINTED { Err(SubprocessError::TooMuch) } else { Ok(bytes) }
}

/// Keeps the beginning and reads the rest, so that the command can go on.
async fn beginning(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, SubprocessError> {
    let Some(mut stream) = stream else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    (&mut stream).take(KEPT_OF_ERRORS as u64).read_to_end(&mut bytes).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run_shell(line: &str) -> Result<Output, SubprocessError> {
        run("sh", &["-c".to_owned(), line.to_owned()], Duration::from_secs(600)).await
    }

    #[tokio::test]
    async fn a_command_that_prints_without_end_is_ended() {
        assert_eq!(run("yes", &[], Duration::from_secs(600)).await.unwrap_err(), SubprocessError::TooMuch);
    }

    #[tokio::test]
    async fn of_errors_the_beginning_is_kept_and_the_command_goes_on() {
        let output = run_shell("echo wrong >&2; head -c 3000000 /dev/zero >&2; echo {}; exit 3").await.unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice(), output.stderr.len()), (Some(3), &b"{}\n"[..], KEPT_OF_ERRORS));
        assert!(output.complaint().starts_with("wrong"));
    }

    #[tokio::test]
    async fn what_cannot_be_run_and_what_does_not_end_is_said() {
        let gone = run("/no/such/program", &[], Duration::from_secs(600)).await.unwrap_err();
        assert!(gone.to_string().starts_with("could not be run: "), "{gone}");
        let late = run("sleep", &["600".to_owned()], Duration::from_millis(1)).await.unwrap_err();
        assert_eq!(late.to_string(), "took longer than 0 s");
    }
}
