//! What a cash register does wrong, one thing at a time. A rule whose test does not notice its flaws proves nothing.

macro_rules! flaws {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// One mistake. The app has none unless it is told to; the places that look at it are where the mistake is made.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Flaw {
            $($(#[$meta])* $name,)*
        }

        impl Flaw {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

flaws! {
    // Activation
    ActivatesAtEveryStart,
    SendsBothNames,
    TakesAnyConnection,
    ForgetsItsConnectionWhenRevoked,
    LooksIntoTheDeviceToken,
    LeavesTheTerminalPrinting,

    // Refusals
    DeactivatesOnAny401,
    DeactivatesWhenTheConnectionIsOver,
    DeactivatesWhenAnnounced,
    /// Goes on as if nothing had happened.
    SurvivesRevocation,
    NeverRefreshes,
    RefreshesWithoutEnd,
    /// Repeats a call at once when it came to nothing.
    RepeatsAtOnce,
    NeverRests,
    ForgetsItsTokenInTrouble,
    RestsOnABadRequest,
    /// Takes an errorCode that it does not know for the operator's business.
    GoesOnAfterUnknownCodes,

    // Versions
    NeverDownloads,
    AlwaysDownloads,
    DownloadsHigherVersionsOnly,
    StoresVersionsTooEarly,
    NeverSendsSince,
    /// Asks for codes until the markers are the same.
    NeverStopsAsking,
    LocksAtTheLowestVersion,
    NeverLocks,
    UnlocksByConfigurationOnly,

    // Events
    MissesEvents,
    RepeatsEvents,
    ForgetsEventsAtRestart,
    TakesNullForAnEvent,

    // Logs
    AnswersHandledRequests,
    OmitsTheRequestId,
    SendsLogsAsInfo,
    SendsAllLogs,
    OverlooksSyncResponses,
    HandlesRequestsTooEarly,

    // Uploads
    SendsAllAtOnce,
    MarksAllAsSynchronized,
    MarksWhatWasNotSent,
    KeepsTheSyncVersion,
    OverlooksClosingStamps,

    // Configuration
    DerivesEnvFromTheTerminalId,
    SetsTipsItself,
    OffersNoTipsOfItsOwn,
    PrintsOneHeader,
    CountsDocumentsTogether,
    WaitsForADocumentCode,
    HoldsPermissionsAgainstQr,
    IgnoresPermissions,
    LeavesClosingToTheTerminal,
    AlwaysOffersMore,
    TakesAnySymbol,
    AlwaysOffersSymbols,
    CorrectsSymbolsLater,
    AlwaysOpensByDefaultPin,
    HasNoPinOfItsOwn,
    LogsThePin,

    // QR
    ForgetsTransIds,
    GuessesLogos,
    KnowsAllReasons,
    RefundsTwice,
    KeepsAnExpiredToken,
}
