//! Transfers and statements over HTTP.

mod abo;
mod archive;
mod cells;
mod csv;
mod detail;
mod pages;
mod routes;
mod statement;

#[cfg(test)]
mod statement_tests;

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};
use jiff::civil::Date;

use self::routes::{Options, ask};
use self::statement::Statement;
use super::core::{Call, Transfer, sample};
use crate::attend::attend;
use crate::gateway::core::{Code, Merchant, Refusal};
use crate::gateway::wire::{Caller, Disconnected};
use crate::prague;
use crate::terminal::wire::refused;
use crate::wire::fields::Unreadable;
use crate::wire::{JsonRecord, Record as _, Reply, credentials, form, json, record};
use crate::world::{Operation, World};
pub(crate) use routes::owns;

/// A call about transfers.
#[derive(Clone, Copy)]
struct Context<'a> {
    world: &'a World,
    caller: Caller,
    head: &'a Parts,
}

/// Answers a call about transfers, whose path has to be one that they [`owns`].
pub(crate) async fn answer<B>(world: &World, caller: Caller, head: &Parts, path: &str, body: B) -> Result<Response<Body>, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Some((call, what)) = ask(path).filter(|_| head.method == Method::GET) else {
        let why = wrong_query("transfers are read by GET");
        return Ok(refused(StatusCode::METHOD_NOT_ALLOWED, &why).into_response());
    };
    let context = Context { world, caller, head };
    // There is nothing to send, so nothing that is sent is looked at.
    attend(world, Some(Operation::Transfers(call)), body, |_| {
        carried_out(context, call, what).unwrap_or_else(|refusal| refused(world.error_status(), &refusal).into_response())
    })
    .await
}

fn carried_out(context: Context<'_>, call: Call, what: &str) -> Result<Response<Body>, Refusal> {
    if let Some(fault) = context.world.faults().strike(Operation::Transfers(call)) {
        return Err(fault);
    }
    let merchant = authenticated(context)?;
    let query = form::decode(context.head.uri.query().unwrap_or_default().as_bytes());
    let query = query.map_err(|Unreadable(why)| wrong_query(why))?;
    let options = Options::read(call, &query).map_err(|why| wrong_query(&why))?;
    Ok(match call {
        Call::List => list(context, &merchant, day(what)?, options),
        Call::Detail => paged(json::MEDIA_TYPE, detail::write(transfer(context, &merchant, what, options)?)),
        Call::Csv => single(Statement::csv(&transfer(context, &merchant, what, options)?), "csv", options),
        Call::Abo => single(Statement::abo(&transfer(context, &merchant, what, options)?, options), "abo", options),
        Call::CsvDay => archive(context, &merchant, day(what)?, options, "csv", Statement::csv)?,
        Call::AboDay => archive(context, &merchant, day(what)?, options, "abo", |transfer| Statement::abo(transfer, options))?,
    })
}

fn list(context: Context<'_>, merchant: &Merchant, date: Date, options: Options) -> Response<Body> {
    let transfers = transfers(context, merchant, date, options);
    Reply::json(StatusCode::OK, record::array(transfers.iter().map(|transfer| item(transfer)))).into_response()
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
fn single(statement: Statement, key: &str, options: Options) -> Response<Body> {
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

/// What follows the Base64 in an envelope.
const AFTER: &[u8] = b"\"}";

fn archive(
    context: Context<'_>,
    merchant: &Merchant,
    date: Date,
    options: Options,
    format: &str,
    statement: impl Fn(&Arc<Transfer>) -> Statement,
) -> Result<Response<Body>, Refusal> {
    let statements = transfers(context, merchant, date, options).into_iter().map(|transfer| statement(&transfer));
    let packed = archive::pack(date, statements.map(|statement| (statement.name, statement.pages)));
    let packed = packed.map_err(|_| Refusal::of(Code::UNEXPECTED))?;
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
    routes::date(text).ok_or_else(|| wrong_query("date is a day, YYYY-MM-DD"))
}

/// The merchant: by the credentials of its terminal, or by those of its gateway.
fn authenticated(context: Context<'_>) -> Result<Arc<Merchant>, Refusal> {
    if !context.world.allows(context.caller.address) {
        return Err(wrong_query("unauthorized access from this address"));
    }
    let merchants = context.world.merchants();
    let credentials = credentials::basic(&context.head.headers).ok_or_else(|| wrong_query("unauthorized access"))?;
    let by_terminal =
        merchants.of_terminal(&credentials.merchant).filter(|merchant| merchant.settings.terminal_secret == credentials.secret);
    let by_gateway = || merchants.find(&credentials.merchant).filter(|merchant| merchant.settings.secret == credentials.secret);
    by_terminal.or_else(by_gateway).ok_or_else(|| wrong_query("unauthorized access"))
}

fn wrong_query(sentence: &str) -> Refusal {
    Refusal { code: Code::BAD_REQUEST, message: format!("wrong query: {sentence}") }
}
