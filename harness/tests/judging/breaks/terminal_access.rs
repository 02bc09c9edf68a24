//! Calls of the card terminal and for transfers from callers without permission.

use super::Break;

const WRONG: &str = "terminal / calls-without-the-right-credentials-are-refused / with a wrong secret";
const NOBODY: &str = "terminal / calls-without-the-right-credentials-are-refused / without credentials";
const SAMPLES: &str = "calls-without-the-right-credentials-tell-nothing / with a wrong secret";
const REAL: &str = "a-real-transfer-is-told-to-nobody-else / without credentials";
const STRANGER: &str = "a-foreign-transfer-is-not-told";

/// Calls that succeed for every caller.
pub fn all() -> Vec<Break> {
    [terminal(), transfers()].into_iter().flatten().collect()
}

fn terminal() -> Vec<Break> {
    breaks! {
        "anybody may start a payment" in NOBODY => "terminal.credentials":
            onward(|asked, sent| if asked.is("terminal.create") { sent.in_the_name_of_main(asked) });
        "a terminal that does not exist takes a payment" in "terminal / an-unknown-terminal-has-its-code"
            => "terminal.create.code.1301":
            onward(|asked, sent| if asked.is("terminal.create") { sent.in_the_name_of_main(asked) });
        "a terminal that does not exist is an error of the database" in "terminal / an-unknown-terminal-has-its-code"
            => "terminal.create.code.1301":
            response(|asked, message| if asked.is("terminal.create") { message.refuse(1200) });
        "a terminal that does not exist takes a refund" in "terminal / an-unknown-terminal-has-its-code"
            => "terminal.refund.create.code.1301":
            onward(|asked, sent| if asked.is("refund.create") { sent.in_the_name_of_main(asked) });
        "a header that can't be read opens the terminal" in "terminal / a-malformed-header-opens-nothing / no password"
            => "terminal.credentials":
            onward(|asked, sent| if asked.is("terminal.status") { sent.in_the_name_of_main(asked) });
        "anybody may ask for the terminal" in WRONG => "terminal.credentials":
            onward(|asked, sent| if asked.is("state") { sent.in_the_name_of_main(asked) });
        "anybody may close the batch" in WRONG => "terminal.credentials":
            onward(|asked, sent| if asked.is("closing") { sent.in_the_name_of_main(asked) });
        "anybody may cancel a payment" in NOBODY => "terminal.cancel.unauthorized":
            onward(|asked, sent| if asked.is("terminal.cancel") { sent.in_the_name_of_main(asked) });
        "anybody may cancel a refund" in WRONG => "terminal.refund.cancel.unauthorized":
            onward(|asked, sent| if asked.is("refund.cancel") { sent.in_the_name_of_main(asked) });
        "another terminal reads a payment" in "a-foreign-payment-is-neither-read-nor-cancelled" => "terminal.access.foreign":
            onward(|asked, sent| if asked.is("terminal.status") { sent.in_the_name_of_main(asked) });
        "another terminal cancels a payment" in "a-foreign-payment-is-neither-read-nor-cancelled" => "terminal.cancel.unauthorized":
            onward(|asked, sent| if asked.is("terminal.cancel") { sent.in_the_name_of_main(asked) });
        "another terminal reads a refund" in "a-foreign-refund-is-neither-read-nor-cancelled" => "terminal.access.foreign":
            onward(|asked, sent| if asked.is("refund.status") { sent.in_the_name_of_main(asked) });
        "any address may call" in "terminal / a-caller-from-another-address-is-refused" => "terminal.access.address":
            setting(|setting| { setting.shift_remove("allowed-addresses"); });
        "any address may close the batch" in "terminal / a-caller-from-another-address-is-refused" => "terminal.access.address":
            response(|asked, message| if asked.is("closing") { message.accept_closing() });
    }
}

fn transfers() -> Vec<Break> {
    breaks! {
        "anybody is told the sample transfer" in SAMPLES => "transfers.credentials":
            onward(|asked, sent| if asked.is("list") { sent.in_the_name_of_main(asked) });
        "anybody is told a transfer" in REAL => "transfers.credentials":
            onward(|asked, sent| if asked.is("detail") { sent.in_the_name_of_main(asked) });
        "anybody is given the files of a day" in REAL => "transfers.credentials":
            onward(|asked, sent| if asked.is("aboDay") { sent.in_the_name_of_main(asked) });
        "another merchant is told a transfer" in STRANGER => "transfers.access.foreign":
            onward(|asked, sent| if asked.is("detail") { sent.in_the_name_of_main(asked) });
        "another merchant is given a statement" in STRANGER => "transfers.access.foreign":
            onward(|asked, sent| if asked.is("csv") { sent.in_the_name_of_main(asked) });
        "another merchant is given an ABO file" in STRANGER => "transfers.access.foreign":
            onward(|asked, sent| if asked.is("abo") { sent.in_the_name_of_main(asked) });
        "any address is told transfers" in "a-caller-from-another-address-is-told-nothing" => "transfers.access.address":
            setting(|setting| { setting.shift_remove("allowed-addresses"); });
    }
}
