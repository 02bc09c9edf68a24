//! Pushing metrics to an OpenTelemetry collector, where this program was built with it.

#[cfg(feature = "otlp")]
pub(super) use pushed::{end, start};
#[cfg(not(feature = "otlp"))]
pub(super) use unbuilt::{end, start};

#[cfg(feature = "otlp")]
mod pushed {
    use std::io::{self, Write};
    use std::sync::Arc;

    use url::Url;

    use crate::cli::failure::Failure;
    use crate::load::load_test::LoadTest;
    use crate::load::metrics::MetricsPage;
    use crate::load::otlp::{MetricsPush, Origin};

    /// Begins to push, if somebody takes the metrics.
    pub(in super::super) async fn start(url: &Url, page: &Arc<MetricsPage>, test: &LoadTest) -> Result<MetricsPush, Failure> {
        let origin = Origin {
            profile: test.profile.name.clone(),
            target: test.target.title.clone(),
            seed: test.seed,
            shard: test.shard.to_string(),
        };
        MetricsPush::start(url, Arc::clone(page), origin).await.map_err(Failure::invalid)
    }

    /// Pushes the last metrics. The load was as it was, whoever knows of it: a collector that is gone is told, and no more.
    pub(in super::super) async fn end(push: MetricsPush) -> io::Result<()> {
        match push.end().await {
            Ok(()) => Ok(()),
            Err(error) => writeln!(io::stderr(), "the last metrics were not pushed: {error}"),
        }
    }
}

#[cfg(not(feature = "otlp"))]
mod unbuilt {
    use std::convert::Infallible;
    use std::io;
    use std::sync::Arc;

    use url::Url;

    use crate::cli::failure::Failure;
    use crate::load::load_test::LoadTest;
    use crate::load::metrics::MetricsPage;

    /// Says what to do.
    pub(in super::super) async fn start(_: &Url, _: &Arc<MetricsPage>, _: &LoadTest) -> Result<Infallible, Failure> {
        let message = "this paycheck was built without OTLP, which takes a while to build; released ones have it, and so has what \
                       `cargo build --release --locked --bin paycheck --features otlp` makes. `--prometheus IP:PORT` is in every build";
        Err(Failure::invalid(message))
    }

    /// There is nothing to end.
    pub(in super::super) async fn end(push: Infallible) -> io::Result<()> {
        match push {}
    }
}
