//! Payment methods and the expressions that select them.
//!
//! The table of identifiers is not shown in the documents. This one is the emulator's own, modelled on what public
//! clients use; selectors join with `+` and take out with `-`: `BANK_ALL+CARD_ALL-BANK_CZ_FB_P`.

use super::Country;

/// The kind of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// A card typed in on the gateway page.
    Card,
    /// A card out of Apple Pay or Google Pay.
    CardWallet,
    /// A bank's payment button.
    Bank,
    /// Pay later.
    Later,
    /// Pay in parts.
    Part,
    /// A loan.
    Loan,
    /// None of the above.
    Wallet,
}

/// One payment method.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// Its identifier, as in `method`.
    pub(crate) id: &'static str,
    /// Its name for people.
    pub(crate) name: &'static str,
    /// Its kind.
    pub(crate) group: Group,
    /// The only country it is offered in, or `None` for everywhere.
    pub(crate) country: Option<&'static str>,
}

const fn row(id: &'static str, name: &'static str, group: Group, country: Option<&'static str>) -> Method {
    Method { id, name, group, country }
}

/// Every method the emulator knows. At most 128: a [`Selection`] is a set of bits. A payer who does not choose pays by the first
/// that is offered.
pub(crate) static METHODS: [Method; 77] = [
    row("CARD_CZ_CSOB_2", "Payment card", Group::Card, None),
    row("CARD_CZ_COMGATE", "Payment card (Comgate)", Group::Card, None),
    row("CARD_CZ_BS", "Payment card (Bank Sandbox)", Group::Card, None),
    row("APPLEPAY_REDIRECT", "Apple Pay", Group::CardWallet, None),
    row("GOOGLEPAY_REDIRECT", "Google Pay", Group::CardWallet, None),
    row("BANK_CZ_RB", "Raiffeisenbank", Group::Bank, Some("CZ")),
    row("BANK_CZ_KB", "Komerční banka", Group::Bank, Some("CZ")),
    row("BANK_CZ_CS_P", "Česká spořitelna", Group::Bank, Some("CZ")),
    row("BANK_CZ_CSOB_P", "ČSOB", Group::Bank, Some("CZ")),
    row("BANK_CZ_FB_P", "Fio banka", Group::Bank, Some("CZ")),
    row("BANK_CZ_MB_P", "mBank", Group::Bank, Some("CZ")),
    row("BANK_CZ_GE_P", "Moneta", Group::Bank, Some("CZ")),
    row("BANK_CZ_AB_P", "Air Bank", Group::Bank, Some("CZ")),
    row("BANK_CZ_UC", "UniCredit Bank", Group::Bank, Some("CZ")),
    row("BANK_CZ_MO", "Moneta Money Bank", Group::Bank, Some("CZ")),
    row("BANK_CZ_AB", "Air Bank, transfer", Group::Bank, Some("CZ")),
    row("BANK_CZ_CSOB", "ČSOB, transfer", Group::Bank, Some("CZ")),
    row("BANK_CZ_RB_PSD2", "Raiffeisenbank (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_KB_PSD2", "Komerční banka (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_CS_PSD2", "Česká spořitelna (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_CSOB_PSD2", "ČSOB (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_FB_PSD2", "Fio banka (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_MB_PSD2", "mBank (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_MO_PSD2", "Moneta Money Bank (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_AB_PSD2", "Air Bank (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_UC_PSD2", "UniCredit Bank (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_PB_PSD2", "Partners Banka (PSD2)", Group::Bank, Some("CZ")),
    row("BANK_CZ_OTHER", "Another bank", Group::Bank, Some("CZ")),
    row("BANK_SK_TB_P", "Tatra banka", Group::Bank, Some("SK")),
    row("BANK_SK_SP_P", "Slovenská sporiteľňa", Group::Bank, Some("SK")),
    row("BANK_SK_VUB_P", "VÚB", Group::Bank, Some("SK")),
    row("BANK_SK_SLSP", "Slovenská sporiteľňa, transfer", Group::Bank, Some("SK")),
    row("BANK_SK_CSOB_PSD2", "ČSOB (PSD2, SK)", Group::Bank, Some("SK")),
    row("BANK_SK_RB_PSD2", "Raiffeisen (PSD2, SK)", Group::Bank, Some("SK")),
    row("BANK_SK_SLSP_PSD2", "Slovenská sporiteľňa (PSD2)", Group::Bank, Some("SK")),
    row("BANK_SK_TB_PSD2", "Tatra banka (PSD2)", Group::Bank, Some("SK")),
    row("BANK_SK_UC_PSD2", "UniCredit Bank (PSD2, SK)", Group::Bank, Some("SK")),
    row("BANK_SK_VUB_PSD2", "VÚB (PSD2)", Group::Bank, Some("SK")),
    row("BANK_SK_OTHER", "Another bank", Group::Bank, Some("SK")),
    row("BANK_PL_MT", "mTransfer", Group::Bank, Some("PL")),
    row("BANK_PL_PKO", "PKO BP", Group::Bank, Some("PL")),
    row("BANK_PL_BLIK", "BLIK", Group::Bank, Some("PL")),
    row("BANK_PL_ALR", "Alior Bank", Group::Bank, Some("PL")),
    row("BANK_PL_BGZ", "BGŻ", Group::Bank, Some("PL")),
    row("BANK_PL_BL", "BLIK (BL)", Group::Bank, Some("PL")),
    row("BANK_PL_BM", "Bank Millennium", Group::Bank, Some("PL")),
    row("BANK_PL_BOS", "BOŚ Bank", Group::Bank, Some("PL")),
    row("BANK_PL_BP", "Bank Pocztowy", Group::Bank, Some("PL")),
    row("BANK_PL_BSP", "Banki Spółdzielcze", Group::Bank, Some("PL")),
    row("BANK_PL_BZ", "BZ WBK", Group::Bank, Some("PL")),
    row("BANK_PL_CA", "Crédit Agricole", Group::Bank, Some("PL")),
    row("BANK_PL_GO", "Getin Bank", Group::Bank, Some("PL")),
    row("BANK_PL_ING", "ING", Group::Bank, Some("PL")),
    row("BANK_PL_INT", "Inteligo", Group::Bank, Some("PL")),
    row("BANK_PL_MB", "mBank (PL)", Group::Bank, Some("PL")),
    row("BANK_PL_NEB", "Nest Bank", Group::Bank, Some("PL")),
    row("BANK_PL_NOB", "Noble Bank", Group::Bank, Some("PL")),
    row("BANK_PL_PB", "Plus Bank", Group::Bank, Some("PL")),
    row("BANK_PL_PEK", "Bank Pekao", Group::Bank, Some("PL")),
    row("BANK_PL_TOB", "Toyota Bank", Group::Bank, Some("PL")),
    row("BANK_PL_VWB", "Volkswagen Bank", Group::Bank, Some("PL")),
    row("BANK_PL_OTHER", "Another bank", Group::Bank, Some("PL")),
    row("BANK_EUR_OTHER", "Another bank, EUR", Group::Bank, None),
    row("PAYPAL", "PayPal", Group::Wallet, None),
    row("LATER_TWISTO", "Twisto", Group::Later, Some("CZ")),
    row("LATER_SKIPPAY", "Skip Pay", Group::Later, Some("CZ")),
    row("LATER_PLATIMPAK", "PlatímPak", Group::Later, Some("CZ")),
    row("LATER_COFIDIS", "Cofidis later", Group::Later, Some("CZ")),
    row("PART_TWISTO", "Twisto in three parts", Group::Part, Some("CZ")),
    row("PART_SKIPPAY", "Skip Pay in parts", Group::Part, Some("CZ")),
    row("PART_ESSOX", "Essox in parts", Group::Part, Some("CZ")),
    row("PART_COFIDIS", "Cofidis in parts", Group::Part, Some("CZ")),
    row("PART_SK_SKIPPAY", "Skip Pay in parts, SK", Group::Part, Some("SK")),
    row("LOAN_COFIDIS", "Cofidis", Group::Loan, Some("CZ")),
    row("LOAN_ESSOX", "Essox", Group::Loan, Some("CZ")),
    row("LOAN_HOMECREDIT", "Home Credit", Group::Loan, Some("CZ")),
    row("LOAN_TB", "Tatra banka, loan", Group::Loan, Some("SK")),
];

impl Method {
    /// Finds a method by its identifier.
    pub(crate) fn find(id: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.id == id)
    }

    /// Whether a card is behind it; pre-authorized and recurring payments need one.
    pub(crate) const fn is_card(&self) -> bool {
        matches!(self.group, Group::Card | Group::CardWallet)
    }
}

/// A set of methods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Selection(u128);

impl Selection {
    /// Every method.
    pub(crate) const ALL: Self = Self((1 << METHODS.len()) - 1);
    /// No method.
    pub(crate) const NONE: Self = Self(0);

    /// Reads an expression; `None` if it is malformed or names an unknown method.
    pub(crate) fn parse(expression: &str) -> Option<Self> {
        Self::read(expression, |term, _| Self::named(term))
    }

    /// Reads an expression as a tolerant world does: an identifier that the table doesn't have, but another table may,
    /// stands for the methods of its group; spaces are nothing or a plus, and what is not begun begins with all methods.
    pub(crate) fn parse_tolerantly(expression: &str) -> Option<Self> {
        Self::read(&spelled_out(expression), |term, joined| Self::named(term).or_else(|| Self::plausible(term, joined)))
    }

    /// An unknown identifier of the usual form. Taken out of a choice, it takes nothing with it.
    fn plausible(term: &str, joined: bool) -> Option<Self> {
        let usual = !term.is_empty() && term.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
        let group = term.split_once('_').map_or(term, |(group, _)| group);
        let group = Self::named(&format!("{group}_ALL")).unwrap_or(Self::ALL);
        usual.then_some(if joined { group } else { Self::NONE })
    }

    fn read(expression: &str, named: impl Fn(&str, bool) -> Option<Self>) -> Option<Self> {
        // By far the most frequent one.
        if expression == "ALL" {
            return Some(Self::ALL);
        }
        let mut selected = Self::NONE;
        let mut rest = expression;
        let mut joined = true;
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let (term, tail) = rest.split_at(end);
            let named = named(term, joined)?;
            selected = if joined { selected.or(named) } else { selected.without(named) };
            let Some(operator) = tail.chars().next() else { return Some(selected) };
            joined = operator == '+';
            rest = tail.get(1..).unwrap_or_default();
        }
    }

    fn named(term: &str) -> Option<Self> {
        let of_group = |groups: &[Group]| Some(Self::such_that(|method| groups.contains(&method.group)));
        match term {
            "ALL" => Some(Self::ALL),
            "CARD_ALL" => of_group(&[Group::Card, Group::CardWallet]),
            "BANK_ALL" | "BANK_ONLY" => of_group(&[Group::Bank]),
            "LATER_ALL" => of_group(&[Group::Later]),
            "PART_ALL" => of_group(&[Group::Part]),
            "LOAN_ALL" => of_group(&[Group::Loan]),
            id => Method::find(id).map(|_| Self::such_that(|method| method.id == id)),
        }
    }

    /// The methods that `wanted` holds for.
    pub(crate) fn such_that(wanted: impl Fn(&Method) -> bool) -> Self {
        let bits = METHODS.iter().enumerate().filter(|(_, method)| wanted(method)).map(|(at, _)| 1 << at);
        Self(bits.fold(0, |all, bit: u128| all | bit))
    }

    /// The methods of both.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The methods of either.
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The methods that the other doesn't have.
    #[must_use]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The methods paid by card.
    #[must_use]
    pub(crate) fn by_card(self) -> Self {
        self.and(Self::such_that(Method::is_card))
    }

    /// The methods offered in a country.
    #[must_use]
    pub(crate) fn offered_in(self, country: Country) -> Self {
        if country.is_all() {
            return self;
        }
        self.and(Self::such_that(|method| method.country.is_none_or(|only| only == country.code())))
    }

    /// Without Apple Pay and Google Pay.
    #[must_use]
    pub(crate) fn without_wallets(self) -> Self {
        self.and(Self::such_that(|method| method.group != Group::CardWallet))
    }

    /// Whether nothing is selected.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the method is selected.
    pub(crate) fn contains(self, method: &Method) -> bool {
        self.methods().any(|selected| selected.id == method.id)
    }

    /// The selected methods, in the order of the table.
    pub(crate) fn methods(self) -> impl Iterator<Item = &'static Method> {
        METHODS.iter().enumerate().filter(move |(at, _)| self.0 & (1 << at) != 0).map(|(_, method)| method)
    }
}

/// The expression without spaces. Between two names they are a plus that a client did not escape in a form.
fn spelled_out(expression: &str) -> String {
    let mut plain = String::with_capacity(expression.len() + 3);
    for word in expression.split_ascii_whitespace() {
        if !plain.is_empty() && !plain.ends_with(['+', '-']) && !word.starts_with(['+', '-']) {
            plain.push('+');
        }
        plain.push_str(word);
    }
    if plain.is_empty() || plain.starts_with('-') {
        plain.insert_str(0, "ALL");
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn ids(expression: &str) -> Vec<&'static str> {
        Selection::parse(expression).unwrap().methods().map(|method| method.id).collect()
    }

    #[test]
    fn a_single_method_selects_itself() {
        assert_eq!(ids("BANK_CZ_RB"), ["BANK_CZ_RB"]);
    }

    #[test]
    fn what_public_clients_name_is_known() {
        for id in ["CARD_CZ_COMGATE", "BANK_CZ_KB_PSD2", "BANK_SK_SLSP", "BANK_PL_BL", "LATER_PLATIMPAK", "PART_SK_SKIPPAY", "LOAN_TB"] {
            assert_eq!(ids(id), [id]);
        }
        assert_eq!(ids("BANK_ONLY"), ids("BANK_ALL"));
    }

    #[test]
    fn no_two_methods_have_one_identifier_or_one_name_in_a_country() {
        let ids: BTreeSet<_> = METHODS.iter().map(|method| method.id).collect();
        let names: BTreeSet<_> = METHODS.iter().map(|method| (method.name, method.country)).collect();
        assert_eq!((ids.len(), names.len()), (METHODS.len(), METHODS.len()));
    }

    #[test]
    fn expressions_are_read_from_left_to_right() {
        assert_eq!(ids("LATER_ALL+PAYPAL-LATER_TWISTO"), ["PAYPAL", "LATER_SKIPPAY", "LATER_PLATIMPAK", "LATER_COFIDIS"]);
        assert_eq!(ids("LATER_ALL-LATER_TWISTO+LATER_TWISTO"), ids("LATER_ALL"));
        assert!(ids("LATER_ALL-ALL").is_empty());
    }

    #[test]
    fn unknown_names_and_dangling_operators_are_refused() {
        for expression in ["", "NOPE", "all", "ALL+", "+ALL", "ALL++ALL", "ALL BANK_ALL", "ALL+NOPE"] {
            assert_eq!(Selection::parse(expression), None, "{expression}");
        }
    }

    #[test]
    fn a_tolerant_world_takes_identifiers_of_other_tables() {
        let ids =
            |expression| Selection::parse_tolerantly(expression).map(|chosen| chosen.methods().map(|method| method.id).collect::<Vec<_>>());
        assert_eq!(ids("BANK_CZ_RB").unwrap(), ["BANK_CZ_RB"], "a known one still is itself");
        assert_eq!(ids("LATER_TWISTO+PART_NEW"), ids("LATER_TWISTO+PART_ALL"));
        assert_eq!(ids("BANK_ALL-BANK_CZ_NEW"), ids("BANK_ALL"));
        assert_eq!(ids("QR_CZ"), ids("ALL"));
        for malformed in ["bank", "ALL+", "+ALL", "ALL + + PAYPAL", "B!"] {
            assert_eq!(ids(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn a_tolerant_world_takes_spaces_and_expressions_that_begin_with_nothing() {
        for (written, meant) in [
            ("", "ALL"),
            (" ", "ALL"),
            ("-BANK_CZ_KB", "ALL-BANK_CZ_KB"),
            ("CARD_ALL + APPLEPAY_REDIRECT - CARD_CZ_BS", "CARD_ALL+APPLEPAY_REDIRECT-CARD_CZ_BS"),
            ("BANK_ALL PAYPAL", "BANK_ALL+PAYPAL"),
        ] {
            assert_eq!(Selection::parse_tolerantly(written), Selection::parse(meant), "{written}");
            assert_eq!(Selection::parse(written), None, "{written}");
        }
    }

    #[test]
    fn a_country_offers_its_own_methods_and_those_of_everywhere() {
        let offered = |code| Selection::ALL.offered_in(Country::parse(code).unwrap());
        assert!(offered("SK").methods().all(|method| method.country.is_none_or(|country| country == "SK")));
        assert_eq!(offered("ALL"), Selection::ALL);
    }
}
