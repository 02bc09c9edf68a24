//! A batch: what was done on a terminal between two closings, summed up by currency.
//!
//! The document names credits and debits without saying whose. Here they are the merchant's: money that came is a credit,
//! money that went back is a debit. So a payment is a credit; a refund and the reversal of a payment are debits; the
//! reversal of a refund is a credit again. Each counts in the batch it happened in.

use super::Currency;

/// Sums of one currency, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    /// The currency.
    pub(crate) currency: Currency,
    /// Money that came.
    pub(crate) credits: Sum,
    /// Money that went back.
    pub(crate) debits: Sum,
}

/// An amount and a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sum {
    /// Minor units.
    pub(crate) amount: i64,
    /// The number of transactions.
    pub(crate) count: i64,
}

impl Sum {
    const fn add(&mut self, amount: i64) {
        self.amount += amount;
        self.count += 1;
    }

    const fn take_back(&mut self, amount: i64) {
        self.amount -= amount;
        self.count -= 1;
    }
}

impl Totals {
    const fn none(currency: Currency) -> Self {
        Self { currency, credits: Sum { amount: 0, count: 0 }, debits: Sum { amount: 0, count: 0 } }
    }

    const fn is_used(&self) -> bool {
        self.credits.count != 0 || self.debits.count != 0
    }
}

/// The open batch of a terminal.
#[derive(Debug)]
pub(crate) struct Batch {
    number: u32,
    czk: Totals,
    eur: Totals,
    /// A reversal takes back what it reverses, on the side where that counted.
    netted: bool,
}

impl Default for Batch {
    fn default() -> Self {
        Self::numbered(1, false)
    }
}

impl Batch {
    /// A batch in which reversals take back what they reverse, or count on the other side.
    pub(crate) const fn netting(netted: bool) -> Self {
        Self::numbered(1, netted)
    }

    const fn numbered(number: u32, netted: bool) -> Self {
        Self { number, czk: Totals::none(Currency::Czk), eur: Totals::none(Currency::Eur), netted }
    }

    /// Its number, which its closing reports.
    pub(crate) const fn number(&self) -> u32 {
        self.number
    }

    /// Adds money that came.
    pub(crate) const fn credit(&mut self, currency: Currency, amount: i64) {
        self.totals(currency).credits.add(amount);
    }

    /// Adds money that went back.
    pub(crate) const fn debit(&mut self, currency: Currency, amount: i64) {
        self.totals(currency).debits.add(amount);
    }

    /// Reverses a payment of this batch.
    pub(crate) const fn reverse_payment(&mut self, currency: Currency, amount: i64) {
        if self.netted {
            self.totals(currency).credits.take_back(amount);
        } else {
            self.debit(currency, amount);
        }
    }

    /// Reverses a refund, which may be of an earlier batch.
    pub(crate) const fn reverse_refund(&mut self, currency: Currency, amount: i64) {
        if self.netted {
            self.totals(currency).debits.take_back(amount);
        } else {
            self.credit(currency, amount);
        }
    }

    /// Closes it and opens the next. There are totals of the currencies used only; of none, if nothing was done.
    pub(crate) fn close(&mut self) -> (u32, Vec<Totals>) {
        let closed = std::mem::replace(self, Self::numbered(self.number + 1, self.netted));
        (closed.number, [closed.czk, closed.eur].into_iter().filter(Totals::is_used).collect())
    }

    const fn totals(&mut self, currency: Currency) -> &mut Totals {
        match currency {
            Currency::Czk => &mut self.czk,
            Currency::Eur => &mut self.eur,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_sums_up_by_currency_and_the_next_one_starts_from_nothing() {
        let mut batch = Batch::default();
        batch.credit(Currency::Eur, 500);
        batch.credit(Currency::Eur, 700);
        batch.debit(Currency::Eur, 200);
        let sum = |amount, count| Sum { amount, count };
        let expected = Totals { currency: Currency::Eur, credits: sum(1_200, 2), debits: sum(200, 1) };
        assert_eq!(batch.close(), (1, vec![expected]));
        assert_eq!(batch.close(), (2, vec![]), "a closing of nothing counts too");
    }
}
