use super::*;
use crate::load::example_results as sample;

fn page(result: &LoadResult) -> String {
    html(result, None).unwrap()
}

/// The page without drawings, which have tests of their own.
macro_rules! assert_page {
    ($page:expr) => {
        insta::with_settings!({filters => vec![
            (r"(?s)<style>.*?</style>", "<style>…</style>"),
            (r"(?s)(<desc[^\n]*</desc>).*?</svg>", "$1 …</svg>"),
            (r"(?s)(<th scope=.row.>4.0 s</th>).*?</tbody>", "$1 …</tbody>"),
        ]}, { insta::assert_snapshot!($page) });
    };
}

#[test]
fn passed() {
    assert_page!(page(&sample::passed()));
}

#[test]
fn failed_thresholds() {
    assert_page!(page(&sample::failed_thresholds()));
}

#[test]
fn findings() {
    assert_page!(page(&sample::findings()));
}

#[test]
fn inconclusive_by_the_generator() {
    assert_page!(page(&sample::limited()));
}

#[test]
fn interrupted() {
    assert_page!(page(&sample::interrupted()));
}

#[test]
fn empty() {
    assert_page!(page(&sample::judged(sample::empty())));
}

#[test]
fn everything_against_an_earlier_run() {
    let (before, after) = (sample::limited(), sample::everything());
    assert_page!(html(&after, Some(&before)).unwrap());
}

#[test]
fn it_opens_anywhere() {
    let (before, after) = (sample::passed(), sample::everything());
    let page = html(&after, Some(&before)).unwrap();
    for foreign in
        ["<script", "javascript:", "onload", "http-equiv=\"refresh\"", "<link", "<img", "src=", "url(", "@import", "<iframe", "href="]
    {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn what_a_target_says_is_text() {
    let hostile = "</style><script>alert(1)</script>\"'&";
    let mut result = sample::everything();
    (result.title, result.target, result.profile) = (hostile.into(), hostile.into(), hostile.into());
    (result.operations[0].operation, result.scenarios[0].scenario) = (hostile.into(), hostile.into());
    (result.findings[0].message, result.findings[0].operation) = (hostile.into(), hostile.into());
    (result.findings[0].clauses, result.findings[0].examples[0].got) = (vec![hostile.into(); 2], Some(hostile.into()));
    (result.findings[0].examples[0].curl, result.findings[0].examples[0].at) = (Some(hostile.into()), Some(hostile.into()));
    (result.thresholds[0].rule, result.trials[0].note) = (hostile.into(), hostile.into());
    result.generator.limit = Some(hostile.into());
    let result = sample::judged(result);
    let page = html(&result, Some(&sample::passed())).unwrap();
    assert!(!page.contains("<script") && page.matches("</style>").count() == 1);
    assert!(page.matches("&lt;script&gt;").count() > 12, "{}", page.matches("&lt;script&gt;").count());
}

#[test]
fn every_element_is_closed_and_every_id_is_its_own() {
    for result in [sample::everything(), sample::judged(sample::empty())] {
        let page = page(&result);
        let mut open = Vec::new();
        for tag in page.split('<').skip(1).map(|part| part.split('>').next().unwrap()) {
            let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap();
            match tag {
                _ if tag.ends_with('/') || ["!doctype", "meta"].contains(&name) => {}
                _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
                _ => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        let ids: Vec<_> = page.split(" id=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), distinct.len(), "{ids:?}");
        assert_eq!(page.matches("role=\"img\"").count() * 2, ids.len(), "each drawing has a title and a description");
    }
}

#[test]
#[ignore = "writes pages to be looked at into the folder of PAYCHECK_PAGES"]
fn pages_to_be_looked_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("PAYCHECK_PAGES").unwrap());
    let (before, after) = (sample::limited(), sample::everything());
    std::fs::write(folder.join("everything.html"), html(&after, Some(&before)).unwrap()).unwrap();
    std::fs::write(folder.join("passed.html"), page(&sample::passed())).unwrap();
    std::fs::write(folder.join("empty.html"), page(&sample::judged(sample::empty()))).unwrap();
}
