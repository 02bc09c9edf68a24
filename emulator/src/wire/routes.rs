//! Tables of routes, and the router that matches them.
//!
//! In a path, `{name}` stands for one part of it and `{*name}` for all that is left; `{name}.json` for a part with this
//! ending. A last part `{name?}` or `{*name?}` may be empty: it names nothing, but the path is the API's.

use http::Method;

/// What answers at a path: a documented call, a page, a file.
pub(crate) trait Endpoint: Copy + Send + Sync + 'static {
    /// The API that it belongs to.
    const API: &'static str;

    /// The name of its operation, as faults and freedoms know it.
    fn operation_name(self) -> &'static str;
}

/// A path, and the endpoints behind it by method.
pub(crate) struct Route<E: 'static> {
    pub(crate) path: &'static str,
    pub(crate) methods: &'static [(Method, E)],
}

/// Why a route has no endpoint for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoEndpoint {
    /// The path takes no method at all.
    Path,
    /// The path takes other methods.
    Method,
}

/// What is known of every route, whatever its API is.
pub(crate) trait PathInfo: Sync {
    /// The methods that the path takes.
    fn methods(&self) -> Vec<&'static str>;

    /// The name of the operation behind the path; a method that the path doesn't take has that of its API.
    fn operation_name(&self, method: &Method) -> &'static str;
}

impl<E: Endpoint> PathInfo for Route<E> {
    fn methods(&self) -> Vec<&'static str> {
        self.methods.iter().map(|(method, _)| method.as_str()).collect()
    }

    fn operation_name(&self, method: &Method) -> &'static str {
        self.endpoint(method).map_or(E::API, E::operation_name)
    }
}

impl<E: Copy> Route<E> {
    /// The endpoint behind a method.
    pub(crate) fn endpoint(&self, method: &Method) -> Result<E, NoEndpoint> {
        if self.methods.is_empty() {
            return Err(NoEndpoint::Path);
        }
        self.methods.iter().find(|(known, _)| known == method).map(|(_, endpoint)| *endpoint).ok_or(NoEndpoint::Method)
    }
}

/// The variable parts of a path.
pub(crate) struct PathParts<'p> {
    parts: matchit::Params<'p, 'p>,
    ending: &'static str,
}

impl<'p> PathParts<'p> {
    /// A part by its name; empty if the path has no such part. Escapes are left as they are.
    pub(crate) fn get(&self, name: &str) -> &'p str {
        let part = self.parts.get(name).unwrap_or_default();
        part.strip_suffix(self.ending).unwrap_or(part)
    }

    /// Whether the last part has the required ending, and more than that.
    fn fit(&self) -> bool {
        let last = self.parts.iter().last().map(|(_, part)| part);
        self.ending.is_empty() || last.is_none_or(|part| part.len() > self.ending.len() && part.ends_with(self.ending))
    }
}

/// The target of a path.
#[derive(Clone)]
struct Target<T> {
    value: T,
    /// What the last part ends with, `.json` for example.
    ending: &'static str,
}

/// Finds the target of a path.
pub(crate) struct Router<T>(matchit::Router<Target<T>>);

impl<T: Clone> Router<T> {
    /// A router without any path.
    pub(crate) fn new() -> Self {
        Self(matchit::Router::new())
    }

    /// Adds a path.
    pub(crate) fn add(&mut self, path: &'static str, value: T) {
        let Some((base, ending)) = path.rsplit_once('}').filter(|(_, ending)| !ending.contains('/')) else {
            return self.insert(path.to_owned(), Target { value, ending: "" });
        };
        let base = match base.strip_suffix('?') {
            None => base,
            Some(base) => {
                let empty = base.rsplit_once('{').map_or(base, |(before, _)| before);
                self.insert(format!("{empty}{ending}"), Target { value: value.clone(), ending: "" });
                base
            }
        };
        self.insert(format!("{base}}}"), Target { value, ending });
    }

    /// A path that can't be inserted is a mistake in a table; the tests of `routing` insert all tables.
    fn insert(&mut self, path: String, target: Target<T>) {
        if let Err(error) = self.0.insert(path.as_str(), target) {
            tracing::error!(%error, path, "a route can't be added");
            debug_assert!(false, "{path}: {error}");
        }
    }

    /// Finds the target of a path, and the path's variable parts.
    pub(crate) fn find<'p>(&'p self, path: &'p str) -> Option<(&'p T, PathParts<'p>)> {
        let found = self.0.at(path).ok()?;
        let parts = PathParts { parts: found.params, ending: found.value.ending };
        parts.fit().then_some((&found.value.value, parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router() -> Router<u8> {
        let mut router = Router::new();
        for (number, path) in
            ["/{page}", "/a/{id}.json", "/b/{id?}.json", "/c/{id}/x/{other?}", "/d/{*rest?}", "/d/known"].into_iter().enumerate()
        {
            router.add(path, number as u8);
        }
        router
    }

    fn found(path: &str) -> Option<(u8, [String; 3])> {
        router().find(path).map(|(value, parts)| (*value, ["id", "other", "rest"].map(|name| parts.get(name).to_owned())))
    }

    fn expected(value: u8, parts: [&str; 3]) -> Option<(u8, [String; 3])> {
        Some((value, parts.map(str::to_owned)))
    }

    #[test]
    fn a_part_has_its_ending_and_is_not_empty() {
        assert_eq!(found("/a/1.json"), expected(1, ["1", "", ""]));
        assert_eq!(found("/a/1.json.json"), expected(1, ["1.json", "", ""]));
        for path in ["/a/1", "/a/.json", "/a/", "/a/1/2.json", "/a/%31.jso"] {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[test]
    fn an_optional_part_may_be_empty() {
        assert_eq!(found("/b/.json"), expected(2, ["", "", ""]));
        assert_eq!(found("/b/1.json"), expected(2, ["1", "", ""]));
        assert_eq!(found("/c/1/x/"), expected(3, ["1", "", ""]));
        assert_eq!(found("/c/1/x/2"), expected(3, ["1", "2", ""]));
        assert_eq!(found("/c//x/2"), expected(3, ["", "2", ""]));
    }

    #[test]
    fn a_known_path_comes_before_the_rest() {
        assert_eq!(found("/d/known"), expected(5, ["", "", ""]));
        assert_eq!(found("/d/"), expected(4, ["", "", ""]));
        assert_eq!(found("/d/known/1"), expected(4, ["", "", "known/1"]));
        assert_eq!(found("/d/kno"), expected(4, ["", "", "kno"]));
    }

    #[test]
    fn a_part_is_found_beside_longer_paths() {
        assert_eq!(found("/d"), expected(0, ["", "", ""]));
        assert_eq!(found("/page"), expected(0, ["", "", ""]));
        for path in ["", "/", "//", "/a/b/c"] {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[test]
    fn a_route_has_an_endpoint_for_each_of_its_methods() {
        let route = Route { path: "/a", methods: &[(Method::GET, 1), (Method::PUT, 2)] };
        assert_eq!((route.endpoint(&Method::GET), route.endpoint(&Method::PUT)), (Ok(1), Ok(2)));
        assert_eq!(route.endpoint(&Method::POST), Err(NoEndpoint::Method));
        assert_eq!(Route::<u8> { path: "/b", methods: &[] }.endpoint(&Method::GET), Err(NoEndpoint::Path));
    }
}
