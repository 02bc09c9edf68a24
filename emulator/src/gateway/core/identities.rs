//! Under which names a merchant is known to the APIs, and by which passwords.

use super::merchant::MerchantSettings;

impl MerchantSettings {
    /// Makes up the names that were not given, out of the identifier.
    pub(super) fn complete_identities(&mut self) {
        let id = &self.merchant;
        fill(&mut self.secret, || format!("secret-{id}"));
        fill(&mut self.terminal, || format!("T{id}"));
        fill(&mut self.terminal_secret, || format!("secret-{}", self.terminal));
        fill(&mut self.mid, || format!("M{id}"));
        fill(&mut self.qr_terminal, || format!("Q{id}"));
        fill(&mut self.qr_user, || format!("qr-{id}"));
        fill(&mut self.qr_password, || format!("secret-{}", self.qr_user));
        fill(&mut self.device_user, || format!("device-{id}"));
        fill(&mut self.device_password, || format!("secret-{}", self.device_user));
        fill(&mut self.serial, || format!("SN{id}"));
        fill(&mut self.activation_code, || format!("AC{id}"));
    }

    /// Checks what has a form.
    pub(super) fn check_identities(&self) -> Result<(), String> {
        let capitals = self.country.bytes().all(|byte| byte.is_ascii_uppercase());
        if self.country.len() == 2 && capitals {
            return Ok(());
        }
        Err(format!("country `{}` is not a country code of two capital letters", self.country))
    }
}

fn fill(name: &mut String, made_up: impl FnOnce() -> String) {
    if name.is_empty() {
        *name = made_up();
    }
}
