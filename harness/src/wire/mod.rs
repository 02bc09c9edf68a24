//! What goes over the wire: exchanges, bodies, the formats of files inside bodies, masking.

mod arena;
pub(crate) mod body_stream;
pub mod exchange;
pub mod expression;
pub mod fact_table;
pub mod format;
pub(crate) mod ingest;
