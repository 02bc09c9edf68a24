//! Pushing metrics to an OpenTelemetry collector.

use std::io::{self, Write};
use std::sync::Arc;

use url::Url;

use crate::cli::failure::Failure;
use crate::load::load_test::LoadTest;
use crate::load::metrics::MetricsPage;
use crate::load::otlp::{MetricsPush, ResourceAttributes};

/// Begins to push, unless the collector refuses the first message.
pub(super) async fn start(url: &Url, page: &Arc<MetricsPage>, test: &LoadTest) -> Result<MetricsPush, Failure> {
    let origin = ResourceAttributes {
        profile: test.profile.name.clone(),
        target: test.target.title.clone(),
        seed: test.seed,
        shard: test.shard.to_string(),
    };
    MetricsPush::start(url, Arc::clone(page), origin).await.map_err(Failure::invalid)
}

/// Pushes the last metrics. A collector that is gone by then is worth a warning; it does not change the verdict of the load.
pub(super) async fn end(push: MetricsPush) -> io::Result<()> {
    match push.end().await {
        Ok(()) => Ok(()),
        Err(error) => writeln!(io::stderr(), "the last metrics were not pushed: {error}"),
    }
}
