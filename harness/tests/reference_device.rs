//! The reference device: tests the rules of document 3 for the application, one by one, against the emulator.
//!
//! A service's responses do not show whether its client follows these rules, so `paycheck` can't check them; a device of our
//! own follows them here, end to end. Each line of the table is a test: the story, the clauses it covers, and the flaws that
//! it must detect. The test fails if a flawed device passes, so every story proves something.

#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "reference_device/app/mod.rs"]
mod app;
#[path = "reference_device/proof.rs"]
mod proof;
#[path = "reference_device/stage.rs"]
mod stage;
#[path = "reference_device/stories/mod.rs"]
mod stories;

use std::collections::BTreeSet;

use app::Flaw;
use proof::Rule;

macro_rules! rules {
    ($($part:ident :: $story:ident tells [$($clause:literal),* $(,)?] and_notices [$($flaw:ident),* $(,)?];)*) => {
        const RULES: &[Rule] = &[$(Rule {
            story: stringify!($story),
            clauses: &[$($clause),*],
            flaws: &[$(Flaw::$flaw),*],
        }),*];

        $(
            #[tokio::test]
            async fn $story() {
                proof::prove(stories::$part::$story, &[$(Flaw::$flaw),*]).await;
            }
        )*
    };
}

rules! {
    activation::a_device_is_activated_once
        tells ["device.activate.once"]
        and_notices [ActivatesAtEveryStart];
    activation::a_pos_has_a_serial_number_and_a_softpos_an_activation_code
        tells ["device.activate.serialNumber.empty", "device.activate.activationCode.empty"]
        and_notices [SendsBothNames];
    activation::an_activation_whose_answer_was_lost_is_repeated
        tells ["device.activate.repeated", "device.app.back-off"]
        and_notices [NeverRests];
    activation::what_the_service_does_not_activate_stays_new_and_the_operator_is_told
        tells ["device.app.deactivated"]
        and_notices [DeactivatesWhenTheConnectionIsOver];
    activation::another_connection_is_refused_until_the_data_are_wiped
        tells ["device.connectionId.kept", "device.connectionId.refused"]
        and_notices [TakesAnyConnection, ForgetsItsConnectionWhenRevoked];
    activation::the_same_connection_goes_on_with_its_data
        tells ["device.connectionId.same"]
        and_notices [SurvivesRevocation];
    activation::another_installation_takes_over
        tells ["device.activate.last-wins", "device.activate.superseded", "device.app.deactivated"]
        and_notices [SurvivesRevocation];
    activation::a_device_token_of_any_form_is_passed_on_as_it_came
        tells ["device.activate.deviceToken.opaque"]
        and_notices [LooksIntoTheDeviceToken];
    activation::the_terminal_prints_nothing_from_the_activation_on
        tells ["device.config.receiptPrint.terminal"]
        and_notices [LeavesTheTerminalPrinting];

    refusals::of_all_error_codes_only_device_revoked_deactivates
        tells ["device.app.deactivated", "device.app.back-off"]
        and_notices [DeactivatesOnAny401, DeactivatesWhenTheConnectionIsOver, SurvivesRevocation, NeverRests, RepeatsAtOnce];
    refusals::no_other_401_deactivates
        tells ["device.app.deactivated"]
        and_notices [DeactivatesOnAny401];
    refusals::a_deactivated_device_is_silent_and_keeps_its_data
        tells ["device.app.deactivated", "device.revoked.at-once"]
        and_notices [SurvivesRevocation];
    refusals::an_announced_deactivation_is_none
        tells ["device.app.deactivated"]
        and_notices [DeactivatesWhenAnnounced];
    refusals::an_expired_token_is_refreshed_once
        tells ["device.app.refresh"]
        and_notices [NeverRefreshes];
    refusals::a_token_that_stays_expired_is_not_refreshed_again
        tells ["device.app.refresh"]
        and_notices [NeverRefreshes, RefreshesWithoutEnd];
    refusals::a_refresh_that_fails_is_trouble_like_any_other
        tells ["device.app.refresh", "device.app.back-off"]
        and_notices [NeverRefreshes];
    refusals::trouble_means_to_back_off_and_nothing_more
        tells ["device.app.back-off"]
        and_notices [NeverRests, ForgetsItsTokenInTrouble];
    refusals::a_rate_limit_of_the_service_means_to_back_off
        tells ["device.app.back-off"]
        and_notices [NeverRests, ForgetsItsTokenInTrouble];
    refusals::a_timeout_means_to_back_off
        tells ["device.app.back-off"]
        and_notices [NeverRests, ForgetsItsTokenInTrouble];
    refusals::trouble_in_the_middle_is_not_repeated_at_once_either
        tells ["device.app.back-off"]
        and_notices [RepeatsAtOnce];
    refusals::the_pause_grows_while_there_is_trouble
        tells ["device.app.back-off"]
        and_notices [NeverRests];
    refusals::a_400_without_error_code_is_an_invalid_request
        tells ["device.invalid-json.read"]
        and_notices [RestsOnABadRequest];
    refusals::an_error_code_of_tomorrow_means_to_back_off
        tells ["device.app.back-off", "device.app.deactivated"]
        and_notices [GoesOnAfterUnknownCodes, DeactivatesOnAny401];

    versions::another_config_version_downloads_the_configuration_once
        tells ["device.config.compared", "device.authenticate.configVersion.download", "device.version.stored"]
        and_notices [NeverDownloads, AlwaysDownloads];
    versions::a_lower_config_version_differs_too
        tells ["device.authenticate.configVersion.download", "device.version.stored"]
        and_notices [NeverDownloads, DownloadsHigherVersionsOnly];
    versions::a_download_that_fails_is_tried_again
        tells ["device.version.stored"]
        and_notices [StoresVersionsTooEarly];
    versions::another_catalog_version_downloads_the_catalog_once
        tells ["device.authenticate.catalogVersion.download", "device.version.stored"]
        and_notices [NeverDownloads, AlwaysDownloads, DownloadsHigherVersionsOnly];
    versions::payment_codes_are_fetched_since_the_stored_marker
        tells ["device.authenticate.paymentCodesAt.fetch", "device.payment-codes.paymentCodesAt.stored", "device.version.stored"]
        and_notices [NeverSendsSince, NeverDownloads, AlwaysDownloads];
    versions::an_empty_list_of_codes_ends_the_asking
        tells ["device.payment-codes.paymentCodesAt.stored", "device.payment-codes.empty"]
        and_notices [NeverStopsAsking, NeverSendsSince];
    versions::codes_that_did_not_come_are_fetched_again
        tells ["device.authenticate.paymentCodesAt.fetch", "device.version.stored"]
        and_notices [StoresVersionsTooEarly];
    versions::below_the_lowest_version_the_app_locks_itself
        tells ["device.authenticate.minAppVersionCode.lock", "device.version.stored"]
        and_notices [LocksAtTheLowestVersion, NeverLocks, UnlocksByConfigurationOnly];
    versions::a_locked_app_learns_of_its_unlocking_from_authenticate
        tells ["device.config.minAppVersionCode.unlocked", "device.authenticate.minAppVersionCode.lock"]
        and_notices [UnlocksByConfigurationOnly, NeverLocks];

    events::a_pin_reset_is_handled_once
        tells ["device.config.pinResetAt.event", "device.version.stored"]
        and_notices [MissesEvents, RepeatsEvents, ForgetsEventsAtRestart];
    events::null_resets_no_pin
        tells ["device.config.pinResetAt.event"]
        and_notices [TakesNullForAnEvent];
    events::a_reported_terminal_configures_its_payment_application_once
        tells ["device.config.terminalReportedAt.event", "device.version.stored"]
        and_notices [MissesEvents, RepeatsEvents, ForgetsEventsAtRestart];
    events::a_report_that_waits_in_a_queue_is_none
        tells ["device.config.terminalReportedAt.event", "device.config.terminalReportedAt.queue"]
        and_notices [TakesNullForAnEvent];

    logs::support_gets_the_logs_it_asked_for
        tells ["device.authenticate.requestDebugLogs.collect"]
        and_notices [OmitsTheRequestId, SendsLogsAsInfo, SendsAllLogs];
    logs::a_handled_request_is_ignored
        tells ["device.authenticate.requestDebugLogs.ignore"]
        and_notices [AnswersHandledRequests];
    logs::a_request_is_handled_when_its_logs_have_arrived
        tells ["device.authenticate.requestDebugLogs.collect"]
        and_notices [HandlesRequestsTooEarly];
    logs::a_request_in_a_sync_response_is_heeded
        tells ["device.authenticate.requestDebugLogs.sync", "device.authenticate.requestDebugLogs.ignore"]
        and_notices [OverlooksSyncResponses];

    uploads::a_batch_has_at_most_50_transactions
        tells ["device.transactions.limit"]
        and_notices [SendsAllAtOnce];
    uploads::only_accepted_ids_are_marked_as_synchronized
        tells ["device.transactions.accepted.only"]
        and_notices [MarksAllAsSynchronized];
    uploads::an_id_that_was_not_sent_is_not_marked
        tells ["device.transactions.accepted.only"]
        and_notices [MarksWhatWasNotSent];
    uploads::what_arrived_before_trouble_is_synchronized
        tells ["device.transactions.accepted.only", "device.app.back-off"]
        and_notices [RepeatsAtOnce];
    uploads::a_changed_record_is_uploaded_again_with_a_higher_sync_version
        tells ["device.transactions.again"]
        and_notices [KeepsTheSyncVersion, OverlooksClosingStamps];

    configuration::env_decides_which_payment_application_is_addressed
        tells ["device.config.env.application", "device.config.env.prefix"]
        and_notices [DerivesEnvFromTheTerminalId];
    configuration::tips_are_the_servers_if_it_sets_them_else_the_devices
        tells ["device.config.tip.device", "device.config.tip.server"]
        and_notices [SetsTipsItself, OffersNoTipsOfItsOwn];
    configuration::a_receipt_has_the_head_of_the_configuration
        tells ["device.config.receiptHeader.BASIC", "device.config.receiptHeader.PREMISES", "device.config.receiptHeader.BILLING"]
        and_notices [PrintsOneHeader];
    configuration::documents_are_counted_per_code_and_a_missing_code_is_chosen
        tells ["device.config.documentDeviceCode.counter", "device.config.documentDeviceCode.chosen"]
        and_notices [CountsDocumentsTogether, WaitsForADocumentCode];
    configuration::permissions_are_about_cards_only
        tells ["device.config.reversalEnabled.QR", "device.config.refundEnabled.cards"]
        and_notices [HoldsPermissionsAgainstQr, IgnoresPermissions];
    configuration::the_register_closes_by_itself
        tells ["device.config.autoClosing.register"]
        and_notices [LeavesClosingToTheTerminal];
    configuration::symbols_are_asked_for_as_the_rules_say
        tells ["device.config.variableSymbol.mode.meaning"]
        and_notices [AlwaysOffersSymbols];
    configuration::a_numeric_symbol_has_at_most_ten_digits
        tells ["device.config.variableSymbol.type.NUMERIC"]
        and_notices [TakesAnySymbol];
    configuration::a_symbol_is_uploaded_as_it_was_entered
        tells ["device.config.variableSymbol.hint"]
        and_notices [CorrectsSymbolsLater];
    configuration::the_default_pin_applies_until_the_operator_changes_it
        tells ["device.config.defaultPin.ignored"]
        and_notices [AlwaysOpensByDefaultPin];
    configuration::the_server_never_learns_the_pin_of_the_operator
        tells ["device.config.defaultPin.ignored"]
        and_notices [LogsThePin];
    configuration::without_a_default_pin_the_app_has_its_own
        tells ["device.config.defaultPin.missing"]
        and_notices [HasNoPinOfItsOwn];

    qr::trans_id_is_stored_and_asked_for_until_the_payment_is_final
        tells ["qr.create.transId.stored", "qr.status.result"]
        and_notices [ForgetsTransIds];
    qr::a_reason_that_nobody_knows_is_unspecified
        tells ["qr.status.reason.read"]
        and_notices [KnowsAllReasons];
    qr::logos_are_fetched_where_the_answer_says
        tells ["qr.methods.logo.name"]
        and_notices [GuessesLogos];
    qr::a_lost_trans_refund_id_is_recovered_from_the_status
        tells ["qr.status.refunds.transRefundId.recovered"]
        and_notices [RefundsTwice];
    qr::an_expired_qr_token_is_obtained_again
        tells ["qr.token.again"]
        and_notices [KeepsAnExpiredToken];
    qr::further_options_are_offered_only_if_the_configuration_says_so
        tells ["device.config.qrMoreOptions.offer"]
        and_notices [AlwaysOffersMore];
}

#[test]
fn every_rule_of_the_application_has_a_story() {
    let covered: BTreeSet<&str> = RULES.iter().flat_map(|rule| rule.clauses).copied().collect();
    let clauses = proof::clauses();
    let unknown: Vec<_> = covered.iter().filter(|id| !clauses.contains_key(**id)).collect();
    assert!(unknown.is_empty(), "there are no such clauses: {unknown:#?}");
    // Exactly the clauses whose reason names this test are covered here.
    let unchecked = |id: &&str| clauses.get(*id).is_some_and(|clause| clause.unchecked.is_some());
    let covered: BTreeSet<&str> = covered.into_iter().filter(unchecked).collect();
    let exercised: BTreeSet<&str> =
        clauses.values().filter(|clause| proof::is_exercised_here(clause)).map(|clause| clause.id.as_str()).collect();
    assert_eq!(covered, exercised);
}

#[test]
fn every_story_detects_a_flaw_and_every_flaw_is_detected() {
    let idle: Vec<_> = RULES.iter().filter(|rule| rule.flaws.is_empty()).map(|rule| rule.story).collect();
    assert!(idle.is_empty(), "{idle:?}");
    let unnoticed: Vec<_> = Flaw::ALL.iter().filter(|flaw| !RULES.iter().any(|rule| rule.flaws.contains(flaw))).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}
