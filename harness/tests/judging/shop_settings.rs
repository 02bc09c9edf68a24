//! What the settings of a live shop forbid is skipped, and says so; it is no rule broken.

use harness::base::verdict::Verdict;
use serde_json::json;

use crate::live_shop::{PAYER, judged};
use crate::support::live::Shop;
use crate::support::proxy::Tamper;
use crate::support::{shipped, story};

#[tokio::test]
async fn a_shop_without_redirect_creation_is_not_flagged() {
    let shop = Shop::open_broken(Tamper {
        setting: Some(|settings| settings["merchants"][0]["redirect-creation"] = json!(false)),
        ..Tamper::default()
    })
    .await;
    let cases = ["a-redirect-creation-sends-the-payer", "a-redirect-creation-leads-to-a-page"];
    let (finished, _) = judged(&shop, PAYER, shipped(&cases), 8, |_| ()).await;
    assert_eq!(finished.len(), 3);
    for case in finished {
        let Verdict::Skipped { reason } = &case.verdict else { panic!("{}", story(&case)) };
        assert!(reason.to_string().ends_with("is refused. The allowed creation mode is a merchant setting"), "{reason}");
    }
}
