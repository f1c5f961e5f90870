use proptest::prelude::*;

use super::*;
use crate::message::offset_msg_id::read_hex;

const ZLIB: i32 = 0x301;
const LZ4: i32 = 0x101;
const ZSTD: i32 = 0x201;
const TEXT: &[u8] = b"Hello RocketMQ, hello RocketMQ, hello RocketMQ!";

/// [`TEXT`] as other encoders write it: Python's zlib at level 5; the lz4 command, as it is, without checksum, with
/// block checksums and content size; the zstd command with and without checksum, and from a pipe at level 5.
const VECTORS: [(i32, &str); 7] = [
    (ZLIB, "785EF348CDC9C95708CA4FCE4E2DF10DD451C8C0CB5704008B2D1048"),
    (LZ4, "04224D186440A71C000000FF0248656C6C6F20526F636B65744D512C20681000065065744D512100000000D446CC27"),
    (LZ4, "04224D186040821C000000FF0248656C6C6F20526F636B65744D512C20681000065065744D512100000000"),
    (
        LZ4,
        "04224D187C402F000000000000006E1C000000FF0248656C6C6F20526F636B65744D512C20681000065065744D512100AB5D9700000000\
         D446CC27",
    ),
    (ZSTD, "28B52FFD242FC500009048656C6C6F20526F636B65744D512C2068210100E79E4B366DD96D"),
    (ZSTD, "28B52FFD202FC500009048656C6C6F20526F636B65744D512C2068210100E79E4B"),
    (ZSTD, "28B52FFD0458C500009048656C6C6F20526F636B65744D512C2068210100E79E4B366DD96D"),
];

fn hex(text: &str) -> Vec<u8> {
    read_hex(text).expect("hex")
}

#[test]
fn other_encoders() {
    for (flag, vector) in VECTORS {
        assert_eq!(inflate(flag, &hex(vector)).as_deref(), Ok(TEXT), "{vector}");
    }
    assert_eq!(inflate(0x1, &hex(VECTORS[0].1)).as_deref(), Ok(TEXT), "no type is zlib");
}

/// A body as a Java client really compressed it: 6000 times `z`.
#[test]
fn java_client() {
    let body = hex("785EEDC131010000
                    00C2A0DE4B6F085F
                    A0000000000080D7
                    00A63F2C06"
        .split_whitespace()
        .collect::<String>()
        .as_str());
    assert_eq!(inflate(ZLIB, &body), Ok(vec![b'z'; 6000]));
}

#[test]
fn not_compressed() {
    assert_eq!(inflate(0x300, TEXT).as_deref(), Ok(TEXT), "a type without the flag says nothing");
    assert_eq!(inflate(0, b"").as_deref(), Ok(&b""[..]));
}

#[test]
fn unknown_type() {
    assert_eq!(inflate(0x701, TEXT), Err(BodyError::UnknownCompression { sys_flag: 0x701 }));
    assert_eq!(
        BodyError::UnknownCompression { sys_flag: 0x701 }.to_string(),
        "compression type 7 in sysFlag 0x701 is unknown"
    );
}

/// No cut-off body passes for a whole one. (LZ4 of no bytes at all is an empty body, as in Java.)
#[test]
fn cut_off_bodies() {
    for (flag, vector) in VECTORS {
        let body = hex(vector);
        for cut in 1..body.len() {
            let inflated = inflate(flag, &body[..cut]);
            assert!(matches!(inflated, Err(BodyError::Malformed { .. })), "{flag:X}: {cut} of {}", body.len());
        }
    }
}

#[test]
fn damaged_bodies() {
    for (flag, vector) in VECTORS {
        let mut body = hex(vector);
        body[0] ^= 0x10;
        assert!(inflate(flag, &body).is_err(), "{vector}");
        for other in [ZLIB, LZ4, ZSTD] {
            assert_eq!(inflate(other, &hex(vector)).is_ok(), other == flag, "{other:X} of {vector}");
        }
    }
    let mut checksum = hex(VECTORS[4].1);
    *checksum.last_mut().expect("a byte") ^= 1;
    assert!(inflate(ZSTD, &checksum).is_err(), "the checksum of ZSTD is tested");
}

#[test]
fn frames_one_behind_the_other() {
    for (flag, vector) in VECTORS.iter().filter(|(flag, _)| *flag != ZLIB) {
        let twice = [hex(vector), hex(vector)].concat();
        assert_eq!(inflate(*flag, &twice), Ok([TEXT, TEXT].concat()));
    }
    let mut followed = hex(VECTORS[0].1);
    followed.extend_from_slice(b"rest");
    assert_eq!(inflate(ZLIB, &followed).as_deref(), Ok(TEXT), "Java ignores what follows a zlib stream");
}

#[test]
fn limit() {
    for (flag, vector) in VECTORS {
        let body = hex(vector);
        assert_eq!(inflate_at_most(flag, &body, TEXT.len()).as_deref(), Ok(TEXT));
        assert_eq!(inflate_at_most(flag, &body, TEXT.len() - 1), Err(BodyError::TooLong { max: 46 }));
        assert_eq!(inflate_at_most(flag, &body, 0), Err(BodyError::TooLong { max: 0 }));
    }
}

#[test]
fn deflated_like_a_client() {
    let body = deflate(TEXT);
    assert_eq!(body.first(), Some(&0x78), "a zlib stream with its header");
    assert_eq!(inflate(ZLIB, &body).as_deref(), Ok(TEXT));
    assert_eq!(inflate(ZLIB, &deflate(b"")).as_deref(), Ok(&b""[..]));
}

proptest! {
    #[test]
    fn any_body_comes_back(body in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert_eq!(inflate(ZLIB, &deflate(&body)), Ok(body));
    }

    #[test]
    fn any_bytes_are_inflated_without_panic(
        flag in any::<i32>(),
        body in prop::collection::vec(any::<u8>(), 0..200),
        vector in 0..VECTORS.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let _ = inflate_at_most(flag | 1, &body, 1 << 20);
        let (flag, vector) = VECTORS[vector];
        let mut body = hex(vector);
        for (index, byte) in damage {
            *index.get_mut(&mut body) = byte;
        }
        let _ = inflate_at_most(flag, &body, 1 << 20);
    }
}
