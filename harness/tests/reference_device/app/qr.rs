//! QR payments at the register: the QR payment API with a token of its own.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::{Ask, By, Trouble, read};
use super::{App, Flaw, Kind, NotAllowed};

/// The user of the QR payment API.
const USER: By<'static> = By::Basic { user: "qr-100001", password: "secret-qr-100001" };

/// What the register keeps of its QR payments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Till {
    token: Option<Token>,
    /// "Store `transId`."
    pub payments: BTreeMap<String, Payment>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Token {
    token: String,
    expiry: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payment {
    pub state: State,
    /// Of a cancelled one.
    pub reason: Option<Reason>,
    /// `transRefundId` of its refunds.
    pub refunds: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    Pending,
    Paid,
    Cancelled,
}

/// The stable keys of `paymentRejectedReason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    CustomerTimeout,
    ByMerchant,
    ByPayer,
    ByProvider,
    ProviderTimeout,
    FraudSuspected,
    NotSpecified,
}

impl Reason {
    /// "Treat any other value as unspecified."
    fn from_text(text: &str, flaw: Option<Flaw>) -> Option<Self> {
        Some(match text {
            "Customer timeout" => Self::CustomerTimeout,
            "Canceled by merchant" => Self::ByMerchant,
            "Canceled by payer" => Self::ByPayer,
            "Canceled by provider" => Self::ByProvider,
            "Provider timeout" => Self::ProviderTimeout,
            "Fraud suspected" => Self::FraudSuspected,
            "Not specified" => Self::NotSpecified,
            _ if flaw == Some(Flaw::KnowsAllReasons) => return None,
            _ => Self::NotSpecified,
        })
    }
}

/// What may be done about a payment that nobody has confirmed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoreOptions {
    /// "The operator only waits for expiry."
    None,
    ReleaseGoodsOrChangeMethod,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    trans_id: String,
    status: State,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    status: State,
    payment_rejected_reason: Option<String>,
    refunds: Vec<Refund>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Refund {
    trans_refund_id: String,
    ref_id: Option<String>,
}

impl App {
    /// Sells something to be paid by QR code, and tells its `transId`.
    pub async fn sell_by_qr(&mut self, amount: i64, now: Timestamp) -> Result<String, Trouble> {
        self.may_sell().map_err(|_| Trouble::Unanswered)?;
        let qr = self.config().qr_api.clone();
        let order = json!({
            "merchantId": qr.mid, "terminalId": qr.terminal_id, "amount": amount, "currency": "CZK", "method": "BANK_CZ_T_OTHER",
        });
        let created: Created = read(self.ask_qr(&Ask::post("/pos/qr-api/payment", order), now).await?)?;
        self.record(Kind::Qr, amount, None, now);
        let payment = Payment { state: created.status, reason: None, refunds: Vec::new() };
        if !self.has(Flaw::ForgetsTransIds) {
            self.memory.till.payments.insert(created.trans_id.clone(), payment);
        }
        Ok(created.trans_id)
    }

    /// Asks for every payment that is not final: "poll payment status until it is PAID or CANCELLED".
    pub async fn poll(&mut self, now: Timestamp) -> Result<(), Trouble> {
        let pending = self.memory.till.payments.iter().filter(|(_, payment)| payment.state == State::Pending);
        for trans_id in pending.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            let status = self.qr_status(&trans_id, now).await?;
            let reason = status.payment_rejected_reason.and_then(|text| Reason::from_text(&text, self.flaw));
            let payment = self.memory.till.payments.get_mut(&trans_id).expect("a stored payment");
            (payment.state, payment.reason) = (status.status, reason);
        }
        Ok(())
    }

    async fn qr_status(&mut self, trans_id: &str, now: Timestamp) -> Result<Status, Trouble> {
        read(self.ask_qr(&Ask::get(format!("/pos/qr-api/payment/{trans_id}")), now).await?)
    }

    /// Gives money back. Permissions for card operations are none for this.
    pub async fn refund_by_qr(&mut self, trans_id: &str, amount: i64, now: Timestamp) -> Result<String, Trouble> {
        if self.has(Flaw::HoldsPermissionsAgainstQr) && !(self.config().reversal_enabled && self.config().refund_enabled) {
            return Err(Trouble::Unanswered);
        }
        let ref_id = format!("refund-{}", self.memory.till.payments[trans_id].refunds.len() + 1);
        let ask = Ask::post(format!("/pos/qr-api/payment/{trans_id}/refund"), json!({ "amount": amount, "created": now, "refId": ref_id }));
        let refund = match self.ask_qr(&ask, now).await {
            Ok(response) => read::<Refund>(response)?.trans_refund_id,
            Err(Trouble::Unanswered) if self.has(Flaw::RefundsTwice) => read::<Refund>(self.ask_qr(&ask, now).await?)?.trans_refund_id,
            Err(Trouble::Unanswered) => self.recovered(trans_id, &ref_id, now).await?,
            Err(refused) => return Err(refused),
        };
        let payment = self.memory.till.payments.get_mut(trans_id).expect("a stored payment");
        payment.refunds.push(refund.clone());
        Ok(refund)
    }

    /// "Use it to recover transRefundId when the creation response was lost."
    async fn recovered(&mut self, trans_id: &str, ref_id: &str, now: Timestamp) -> Result<String, Trouble> {
        let refunds = self.qr_status(trans_id, now).await?.refunds;
        let lost = refunds.into_iter().find(|refund| refund.ref_id.as_deref() == Some(ref_id));
        lost.map(|refund| refund.trans_refund_id).ok_or(Trouble::Unanswered)
    }

    /// The logos of the methods for an amount, as images. "Use the value returned, the file name does not follow the
    /// method id."
    pub async fn logos(&mut self, amount: i64, now: Timestamp) -> Result<Vec<Vec<u8>>, Trouble> {
        let qr = self.config().qr_api.clone();
        let ask = json!({ "merchantId": qr.mid, "terminalId": qr.terminal_id, "currency": "CZK", "amount": amount });
        let offer = self.ask_qr(&Ask::post("/pos/qr-api/methods", ask), now).await?;
        let mut images = Vec::new();
        for method in offer["methods"].as_array().ok_or(Trouble::Unanswered)? {
            let (id, logo) = (method["id"].as_str().unwrap_or_default(), method["logo"].as_str().unwrap_or_default());
            let guessed = logo.rsplit_once('/').map(|(folder, _)| format!("{folder}/{id}.png")).unwrap_or_default();
            let address = if self.has(Flaw::GuessesLogos) { &guessed } else { logo };
            images.push(self.wire.fetch(address).await?);
        }
        Ok(images)
    }

    /// "Whether the register may offer further options for an unconfirmed QR payment."
    pub fn more_options(&self) -> MoreOptions {
        let may = self.config().qr_more_options || self.has(Flaw::AlwaysOffersMore);
        if may { MoreOptions::ReleaseGoodsOrChangeMethod } else { MoreOptions::None }
    }

    /// Lets the goods go before the money is there; the payment then waits for it longer.
    pub async fn release_goods(&mut self, trans_id: &str, now: Timestamp) -> Result<(), NotAllowed> {
        if self.more_options() == MoreOptions::None {
            return Err(NotAllowed::NoPermission);
        }
        let ask = Ask::post(format!("/pos/qr-api/payment/{trans_id}/extend"), json!({ "note": "the goods are released" }));
        self.ask_qr(&ask, now).await.map(|_| ()).map_err(|_| NotAllowed::NoPermission)
    }

    /// "Use it as a Bearer token for all QR calls until it expires, then authenticate again."
    async fn ask_qr(&mut self, ask: &Ask, now: Timestamp) -> Result<Value, Trouble> {
        let is_good = |token: &Token| now < token.expiry || self.flaw == Some(Flaw::KeepsAnExpiredToken);
        let token = match self.memory.till.token.clone().filter(is_good) {
            Some(token) => token,
            None => {
                let mid = json!({ "mid": self.config().qr_api.mid });
                read(self.wire.ask(&Ask::post("/pos/auth-api/authenticate", mid), USER).await?)?
            }
        };
        self.memory.till.token = Some(token.clone());
        self.wire.ask(ask, By::Bearer(&token.token)).await
    }
}
