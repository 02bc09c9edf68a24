//! The logos of methods, drawn on the spot: a square raster image and a wide vector one.

use http::StatusCode;

use crate::qr::core::{METHODS, Method};
use crate::wire::ApiResponse;

/// Width and height of the raster image, in pixels.
const SIDE: u32 = 48;

/// The path of a method's logo.
pub(super) fn path(method: &Method, extension: &str) -> String {
    format!("/pos/qr-api/logo/{}.{extension}", method.logo)
}

/// The image of this file name.
pub(super) fn serve(file: &str) -> ApiResponse {
    let image = file.split_once('.').and_then(|(name, extension)| {
        let method = METHODS.iter().find(|method| method.logo == name)?;
        match extension {
            "png" => Some(ApiResponse::new(StatusCode::OK, "image/png", raster(method))),
            "svg" if method.has_vector => Some(ApiResponse::new(StatusCode::OK, "image/svg+xml", vector(method))),
            _ => None,
        }
    });
    image.unwrap_or_else(|| ApiResponse::empty(StatusCode::NOT_FOUND))
}

/// A colour of its own for each method.
fn colour(method: &Method) -> [u8; 3] {
    let [red, green, blue, _] = crc32fast::hash(method.logo.as_bytes()).to_le_bytes();
    [red, green, blue]
}

fn vector(method: &Method) -> String {
    let [red, green, blue] = colour(method);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 120 40\"><rect width=\"120\" height=\"40\" rx=\"6\" \
         fill=\"rgb({red},{green},{blue})\"/><text x=\"60\" y=\"26\" font-family=\"sans-serif\" font-size=\"16\" fill=\"#fff\" \
         text-anchor=\"middle\">{}</text></svg>",
        method.logo
    )
}

/// A PNG (ISO 15948): 8 bits a channel, a square of the colour in a white frame, stored without compression.
fn raster(method: &Method) -> Vec<u8> {
    let mut header = Vec::with_capacity(13);
    header.extend(SIDE.to_be_bytes());
    header.extend(SIDE.to_be_bytes());
    // 8 bits, true colour, and the only compression, filter and interlace methods worth naming.
    header.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header);
    chunk(&mut png, *b"IDAT", &stored(&pixels(colour(method))));
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn pixels(colour: [u8; 3]) -> Vec<u8> {
    const FRAME: u32 = 4;
    const WHITE: [u8; 3] = [0xFF; 3];
    const UNFILTERED: u8 = 0;
    let inside = FRAME..SIDE - FRAME;
    let mut pixels = Vec::new();
    for y in 0..SIDE {
        pixels.push(UNFILTERED);
        for x in 0..SIDE {
            pixels.extend(if inside.contains(&x) && inside.contains(&y) { colour } else { WHITE });
        }
    }
    pixels
}

fn chunk(png: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    let mut named = name.to_vec();
    named.extend_from_slice(data);
    // An image of this size is far below 4 GiB.
    png.extend(u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
    png.extend_from_slice(&named);
    png.extend(crc32fast::hash(&named).to_be_bytes());
}

/// A zlib stream (RFC 1950) of one stored block (RFC 1951), which holds up to 65 535 bytes.
fn stored(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap_or(u16::MAX);
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend_from_slice(data);
    stream.extend(adler32(data).to_be_bytes());
    stream
}

fn adler32(data: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (low, high) = data.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % MODULUS;
        (low, (high + low) % MODULUS)
    });
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
    }

    #[test]
    fn a_raster_image_holds_all_its_pixels() {
        let data = pixels([1, 2, 3]);
        assert_eq!(data.len(), 48 * (1 + 48 * 3));
        let stream = stored(&data);
        assert_eq!(u16::from_be_bytes([stream[0], stream[1]]) % 31, 0, "the check of a zlib header");
        assert_eq!(stream[7..7 + data.len()], data);
        assert_eq!(u16::from_le_bytes([stream[3], stream[4]]), !u16::from_le_bytes([stream[5], stream[6]]));
    }

    #[test]
    fn every_logo_is_served_and_nothing_else() {
        for method in &METHODS {
            let png = serve(&format!("{}.png", method.logo));
            assert!(png.status == StatusCode::OK && png.body.starts_with(b"\x89PNG\r\n\x1a\n"));
            let vector = serve(&format!("{}.svg", method.logo));
            assert_eq!(vector.status == StatusCode::OK, method.has_vector);
        }
        for file in ["", "transfer", "transfer.gif", "nope.png", "../transfer.png"] {
            assert_eq!(serve(file).status, StatusCode::NOT_FOUND, "{file}");
        }
    }
}
