//! The calls: each authenticates the caller and writes its document.

use std::sync::Arc;

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use jiff::civil::Date;

use super::cells::Style;
use super::csv::{Layout, Quotes};
use super::options::{self, Options};
use super::statement_file::StatementFile;
use super::{archive, cells, detail, pages};
use crate::base::prague;
use crate::common::freedoms::Behaviour;
use crate::common::{Code, Merchant, Refusal};
use crate::transfers::core::{Call, Transfer, sample};
use crate::wire::fields::Unreadable;
use crate::wire::{ApiResponse, Context, JsonRecord, PathParts, Record as _, credentials, form, json, record};
use crate::world::Operation;

/// Carries a call out, unless a fault meets it.
pub(super) fn perform(context: Context<'_>, call: Call, path: &PathParts<'_>) -> Result<Response<Body>, Refusal> {
    if let Some(fault) = context.world.faults().take_refusal(Operation::Transfers(call)) {
        return Err(fault);
    }
    let merchant = authenticated(context)?;
    let query = form::decode(context.query());
    let query = query.map_err(|Unreadable(why)| wrong_query(why))?;
    let options = Options::read(call, &query).map_err(|error| wrong_query(&error.to_string()))?;
    Ok(match call {
        Call::List => list(context, &merchant, day(path.get("date"))?, options),
        Call::Detail => {
            paged(json::MEDIA_TYPE, detail::write(transfer(context, &merchant, path.get("transferId"), options)?, style(context)))
        }
        Call::Csv => {
            single(StatementFile::csv(&transfer(context, &merchant, path.get("transferId"), options)?, layout(context)), "csv", options)
        }
        Call::Abo => single(StatementFile::abo(&transfer(context, &merchant, path.get("transferId"), options)?, options), "abo", options),
        Call::CsvDay => {
            let csv = |transfer: &Arc<Transfer>| StatementFile::csv(transfer, layout(context));
            archive(context, &merchant, day(path.get("date"))?, options, "csv", csv)?
        }
        Call::AboDay => {
            archive(context, &merchant, day(path.get("date"))?, options, "abo", |transfer| StatementFile::abo(transfer, options))?
        }
    })
}

fn layout(context: Context<'_>) -> Layout {
    let quotes = if context.world.behaves(Behaviour::CsvPlain) { Quotes::Plain } else { Quotes::Quoted };
    Layout { quotes, style: style(context) }
}

fn style(context: Context<'_>) -> Style {
    let (four_decimals, fee_first) = (Behaviour::AmountsFourDecimals, Behaviour::FeeRowFirst);
    Style { four_decimals: context.world.behaves(four_decimals), fee_first: context.world.behaves(fee_first) }
}

fn list(context: Context<'_>, merchant: &Merchant, date: Date, options: Options) -> Response<Body> {
    let transfers = transfers(context, merchant, date, options);
    ApiResponse::json(StatusCode::OK, record::array(transfers.iter().map(|transfer| item(transfer)))).into_response()
}

fn item(transfer: &Transfer) -> JsonRecord {
    let mut record = JsonRecord::with_capacity(192);
    record.integer("transferId", i64::try_from(transfer.id).unwrap_or(i64::MAX));
    record.text("transferDate", &transfer.date.to_string());
    record.text("accountCounterparty", &transfer.counterparty.to_string());
    record.text("accountOutgoing", &transfer.outgoing.to_string());
    record.text("variableSymbol", &cells::symbol(transfer));
    record
}

/// A statement in its envelope, or by itself.
fn single(statement: StatementFile, key: &str, options: Options) -> Response<Body> {
    if options.download {
        return file(&statement.name.clone(), statement.media_type, pages::body(statement.pages));
    }
    let mut before = JsonRecord::with_capacity(128);
    before.text("nazev", &statement.name);
    before.text(key, "");
    let mut before = before.into_bytes();
    // The record ends with `"}`, between which and what comes before, the Base64 belongs.
    before.truncate(before.len() - AFTER.len());
    paged(json::MEDIA_TYPE, pages::in_base64(before, statement.pages, AFTER))
}

/// The text after the Base64 in an envelope.
const AFTER: &[u8] = b"\"}";

fn archive(
    context: Context<'_>,
    merchant: &Merchant,
    date: Date,
    options: Options,
    format: &str,
    statement: impl Fn(&Arc<Transfer>) -> StatementFile,
) -> Result<Response<Body>, Refusal> {
    let statements = transfers(context, merchant, date, options).into_iter().map(|transfer| statement(&transfer));
    let mut files: Vec<_> = statements.map(|statement| (statement.name, statement.pages)).collect();
    if context.world.behaves(Behaviour::ArchiveOtherwise) {
        files.reverse();
        files.iter_mut().for_each(|(name, _)| name.insert_str(0, "statements/"));
    }
    let packed = archive::pack(date, files.into_iter());
    let packed = packed.map_err(|_| Refusal::from_code(Code::UNEXPECTED))?;
    Ok(file(&format!("{format}-{date}.zip"), archive::MEDIA_TYPE, pages::sliced(packed.into())))
}

fn file(name: &str, media_type: &'static str, body: Body) -> Response<Body> {
    let mut response = of_type(media_type, body);
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

fn paged(media_type: &'static str, pages: pages::Pages) -> Response<Body> {
    of_type(media_type, pages::body(pages))
}

fn of_type(media_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

fn transfers(context: Context<'_>, merchant: &Merchant, date: Date, options: Options) -> Vec<Arc<Transfer>> {
    if options.test { vec![Arc::new(sample::transfer(date))] } else { context.world.transfers_on(merchant, date) }
}

fn transfer(context: Context<'_>, merchant: &Merchant, number: &str, options: Options) -> Result<Arc<Transfer>, Refusal> {
    let plain = number.bytes().all(|b| b.is_ascii_digit());
    let number = number.parse().ok().filter(|_| plain).ok_or_else(|| wrong_query("transferId is a number"))?;
    if options.test {
        return Ok(Arc::new(sample::transfer(prague::date(context.world.now()))));
    }
    context.world.transfer(merchant, number).ok_or_else(|| wrong_query("there is no such transfer"))
}

fn day(text: &str) -> Result<Date, Refusal> {
    options::date(text).ok_or_else(|| wrong_query("date is a day, YYYY-MM-DD"))
}

/// The merchant: by the credentials of its terminal, or by those of its gateway.
fn authenticated(context: Context<'_>) -> Result<Arc<Merchant>, Refusal> {
    if !context.is_caller_allowed() {
        return Err(wrong_query("unauthorized access from this address"));
    }
    let merchants = context.world.merchants();
    let credentials = credentials::basic(&context.head.headers).ok_or_else(|| wrong_query("unauthorized access"))?;
    let by_terminal =
        merchants.find_by_terminal(&credentials.merchant).filter(|merchant| merchant.settings.terminal_secret == credentials.secret);
    let by_gateway = || merchants.find(&credentials.merchant).filter(|merchant| merchant.settings.secret == credentials.secret);
    by_terminal.or_else(by_gateway).ok_or_else(|| wrong_query("unauthorized access"))
}

/// Refuses a query.
pub(super) fn wrong_query(sentence: &str) -> Refusal {
    Refusal { code: Code::BAD_REQUEST, message: format!("wrong query: {sentence}") }
}
