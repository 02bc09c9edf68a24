//! QR codes of payments: drawn so that a person can scan them.

use qrcode::render::{svg, unicode};
use qrcode::{EcLevel, QrCode};

/// Blank modules around the code, as the standard requires.
const QUIET: usize = 4;

/// Why a text cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no QR code holds this text of {bytes} bytes: {error}")]
pub struct NoCode {
    bytes: usize,
    error: qrcode::types::QrError,
}

/// A drawn code.
pub struct Drawing {
    code: QrCode,
}

impl std::fmt::Debug for Drawing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Drawing of {0}×{0} modules", self.code.width())
    }
}

impl Drawing {
    /// Encodes a text, with the error correction that payment standards require.
    pub fn new(text: &str) -> Result<Self, NoCode> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M);
        code.map(|code| Self { code }).map_err(|error| NoCode { bytes: text.len(), error })
    }

    /// For a terminal: two rows of modules a line, dark on light whatever the terminal's colours are.
    pub fn terminal(&self) -> String {
        let mut drawn = self.code.render::<unicode::Dense1x2>();
        drawn.dark_color(unicode::Dense1x2::Light).light_color(unicode::Dense1x2::Dark).quiet_zone(true).build()
    }

    /// As SVG.
    pub fn svg(&self) -> String {
        self.code.render::<svg::Color<'_>>().min_dimensions(240, 240).build()
    }

    /// As PNG in shades of grey, `scale` pixels a module.
    pub fn png(&self, scale: usize) -> Result<Vec<u8>, png::EncodingError> {
        let (width, dark) = (self.code.width(), self.code.to_colors());
        let side = (width + 2 * QUIET) * scale;
        let is_dark = |x: usize, y: usize| {
            let place = (x / scale).checked_sub(QUIET).filter(|x| *x < width).zip((y / scale).checked_sub(QUIET).filter(|y| *y < width));
            place.and_then(|(x, y)| dark.get(y * width + x)).is_some_and(|module| *module == qrcode::Color::Dark)
        };
        let pixels: Vec<u8> = (0..side * side).map(|at| if is_dark(at % side, at / side) { 0 } else { 255 }).collect();
        let side = u32::try_from(side).unwrap_or(u32::MAX);
        let mut image = Vec::new();
        let mut encoder = png::Encoder::new(&mut image, side, side);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "SPD*1.0*ACC:CZ6508000000192000145399*AM:450.00*CC:CZK*";

    #[test]
    fn a_code_has_its_quiet_zone_in_every_drawing() {
        let drawing = Drawing::new(CODE).unwrap();
        let side = drawing.code.width() + 2 * QUIET;
        let lines: Vec<String> = drawing.terminal().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), side.div_ceil(2));
        assert!(lines.iter().all(|line| line.chars().count() == side));
        assert!(lines[0].chars().all(|c| c == '█'), "light on top");
        assert!(drawing.svg().starts_with("<?xml"));
        let decoder = png::Decoder::new(std::io::Cursor::new(drawing.png(3).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels.len(), (side * 3).pow(2));
        assert_eq!(pixels[QUIET * 3 * side * 3 + QUIET * 3], 0, "the first module of the finder is dark");
        assert_eq!(pixels[0], 255);
    }

    #[test]
    fn a_text_that_is_too_long_is_refused() {
        assert!(Drawing::new(&"x".repeat(5000)).unwrap_err().to_string().contains("5000 bytes"));
    }
}
