//! Alternatives that are carried out by code, because no change of a finished response could.

/// Declares the behaviours, each with the freedom and the alternative that bring it about.
macro_rules! behaviours {
    ($($(#[$doc:meta])* $name:ident = ($freedom:literal, $alternative:literal)),+ $(,)?) => {
        /// Something that the emulator does in another way than by default.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Behaviour { $($(#[$doc])* $name),+ }

        impl Behaviour {
            /// Every behaviour.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The freedom, and the alternative of it.
            pub(crate) const fn source(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => ($freedom, $alternative)),+
                }
            }

            /// The behaviour that an alternative brings about.
            pub(crate) fn find(freedom: &str, alternative: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|behaviour| behaviour.source() == (freedom, alternative))
            }
        }
    };
}

behaviours! {
    /// Identifiers of payments are in small letters.
    IdentifiersSmall = ("http.identifiers", "small"),
    /// Identifiers of payments are long.
    IdentifiersLong = ("http.identifiers", "long"),
    /// The characters of a label are counted as UTF-16 does.
    LabelsInUtf16 = ("gateway.label.characters", "utf-16"),
    /// The length of a variable symbol is counted in characters.
    SymbolsInCharacters = ("qr.symbol.length", "characters"),
    /// Other outages are listed before those of the world: one that is planned, and one that is over.
    OutagesOfOthers = ("status.others", "standing"),
    /// The address of a payer page has the payment in its query.
    PageInQuery = ("gateway.redirect-address", "in-query"),
    /// The captured payment still reads AUTHORIZED.
    CapturedStaysAuthorized = ("gateway.state.captured", "authorized"),
    /// The price of a payment that was captured in part reads what was taken.
    CapturedPriceTaken = ("gateway.price.captured", "taken"),
    /// The released payment still reads AUTHORIZED.
    ReleasedStaysAuthorized = ("gateway.state.released", "authorized"),
    /// Each delivery is made twice.
    NotificationsTwice = ("notification.duplicates", "twice"),
    /// Each delivery comes late.
    NotificationsLate = ("notification.delay", "late"),
    /// Deliveries overtake each other.
    NotificationsReordered = ("notification.delay", "reordered"),
    /// The pause between attempts stays the same.
    RetriesEvenly = ("notification.pause", "even"),
    /// The pause between attempts is longer.
    RetriesSlowly = ("notification.pause", "slow"),
    /// Money that came is a debit.
    ClosingSidesSwapped = ("terminal.closing.sides", "swapped"),
    /// Money that went is below zero.
    ClosingSigned = ("terminal.closing.signs", "below-zero"),
    /// A reversal subtracts the reversed amount on its own side.
    ClosingReversalsNetted = ("terminal.closing.reversals", "netted"),
    /// A pending transaction keeps the terminal busy.
    ClosingBusyWhilePending = ("terminal.closing.pending", "busy"),
    /// A payment or a refund is refused while another is pending.
    CreationBusyWhilePending = ("terminal.creation.pending", "busy"),
    /// The processor reports two days later.
    TerminalFeeLate = ("terminal.fee", "third-day"),
    /// The processor never reports.
    TerminalFeeNever = ("terminal.fee", "never"),
    /// The ping of the authentication service and of the QR API need a token.
    QrPingNeedsToken = ("qr.ping", "token"),
    /// The ping of the device API needs a token.
    DevicePingNeedsToken = ("device.ping", "token"),
    /// CSV statements without quotation marks, with short lines.
    CsvPlain = ("transfers.csv.layout", "plain"),
    /// Amounts of statements have four decimals.
    AmountsFourDecimals = ("transfers.amounts", "four"),
    /// What customers of whom the world knows nothing have paid is paid out with the rest.
    TransfersOfOthers = ("transfers.others", "some"),
    /// A row of the monthly fee comes before those of the payments.
    FeeRowFirst = ("transfers.rows", "fee-first"),
    /// Files of a day come the other way round, in a folder.
    ArchiveOtherwise = ("transfers.archive", "other"),
    /// Identifiers of QR payments are numbers.
    QrIdsNumbers = ("qr.identifiers", "numbers"),
    /// Methods are for amounts from 1.00 on.
    QrMethodsFromOne = ("qr.methods.amount", "from-one"),
    /// The bank buttons of Slovakia come first for EUR.
    QrSlovakFirst = ("qr.methods.eur", "slovak-first"),
    /// Each activation has a configuration of a higher version.
    DeviceVersionRises = ("device.activation.version", "rises"),
    /// A field that must be empty is no ambiguity, but an invalid request.
    DeviceNothingAmbiguous = ("device.code.ambiguous", "invalid"),
    /// One bad record refuses the batch.
    DeviceBatchWhole = ("device.batch.bad-record", "whole"),
    /// Of a batch beyond the limit, the end is processed.
    DeviceBatchEnd = ("device.batch.processed", "last"),
    /// Of a batch beyond the limit, what is beyond it is listed as rejected.
    BatchBeyondRejected = ("device.batch.beyond", "rejected"),
    /// An exchange without a token is answered as that of a revoked device.
    TokenlessRevoked = ("device.exchange.no-token", "revoked"),
    /// A payment code and its transaction are an array.
    CodesInArrays = ("device.payment-codes.pairs", "arrays"),
    /// Payment codes come one at a time, each with its own marker.
    CodesInPages = ("device.payment-codes.marker", "pages"),
    /// A code of another device of the merchant is among the payment codes.
    CodesOfOthers = ("device.payment-codes.devices", "merchant"),
    /// Calls of a payment whose path is not shown are elsewhere, and an unknown path is refused by HTTP 200.
    UnknownPathsRefused = ("gateway.paths", "refused"),
    /// The world's clock is ahead.
    ClockAhead = ("http.clock", "ahead"),
    /// The world's clock is behind.
    ClockBehind = ("http.clock", "behind"),
    /// Bodies come in chunks.
    Chunked = ("http.framing", "chunked"),
    /// Names of headers are capitalised.
    HeaderCase = ("http.header-case", "capitals"),
}
