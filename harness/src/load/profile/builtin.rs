//! The profiles in the binary.

use std::sync::Arc;

use crate::base::source::{Diagnostic, Problems, Source};
use crate::spec::contract::Files;

/// The names of the profiles in the binary, sorted: `create-v1`.
pub fn names() -> Vec<String> {
    let files = Files::profiles();
    files.paths().filter_map(|path| path.strip_suffix(".yaml")).map(str::to_owned).collect()
}

/// A profile in the binary by its name; a name that is not one is a mistake that names the nearest.
pub fn builtin(name: &str) -> Result<Arc<Source>, Problems> {
    let files = Files::profiles();
    match files.get(&format!("{name}.yaml")) {
        Some(source) => Ok(Arc::clone(source)),
        None => {
            let names = names();
            let problem = Diagnostic::of_file("load/".to_owned(), format!("there is no profile `{name}`"));
            let mut problems = Problems::new();
            problems.add(problem.names(name, names.iter().map(String::as_str)));
            Err(problems)
        }
    }
}
