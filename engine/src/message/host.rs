//! An address in a record: IP bytes, then the port as a 32-bit integer.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An IP address and a port, as BORNHOST and STOREHOSTADDRESS hold them. Written `ip:port`, IPv6 as `[ip]:port`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Host {
    /// The address; its family decides the length of the field.
    pub ip: IpAddr,
    /// The port. Four bytes in the record, which may hold what is no port.
    pub port: i32,
}

impl Host {
    /// Length of an IPv4 host in a record, in bytes.
    pub const V4_LEN: usize = 8;
    /// Length of an IPv6 host in a record, in bytes.
    pub const V6_LEN: usize = 20;

    /// An address and its port.
    pub fn new(ip: impl Into<IpAddr>, port: i32) -> Self {
        Self { ip: ip.into(), port }
    }

    /// Whether the address is of IPv6.
    pub fn is_v6(&self) -> bool {
        self.ip.is_ipv6()
    }

    /// Length in a record: 8 or 20 bytes.
    pub fn encoded_len(&self) -> usize {
        if self.is_v6() { Self::V6_LEN } else { Self::V4_LEN }
    }

    /// Reads a host of 8 or 20 bytes; `None` for any other length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (ip, port) = bytes.split_last_chunk::<4>()?;
        let ip = match ip.len() {
            4 => Ipv4Addr::from(<[u8; 4]>::try_from(ip).ok()?).into(),
            16 => Ipv6Addr::from(<[u8; 16]>::try_from(ip).ok()?).into(),
            _ => return None,
        };
        Some(Self { ip, port: i32::from_be_bytes(*port) })
    }

    /// Hands the host's bytes as they stand in a record to `put`, in order.
    pub(super) fn put_bytes(&self, mut put: impl FnMut(&[u8])) {
        match self.ip {
            IpAddr::V4(ip) => put(&ip.octets()),
            IpAddr::V6(ip) => put(&ip.octets()),
        }
        put(&self.port.to_be_bytes());
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ip {
            IpAddr::V4(ip) => write!(f, "{ip}:{}", self.port),
            IpAddr::V6(ip) => write!(f, "[{ip}]:{}", self.port),
        }
    }
}

impl From<Host> for String {
    fn from(host: Host) -> Self {
        host.to_string()
    }
}

impl TryFrom<String> for Host {
    type Error = HostError;

    fn try_from(text: String) -> Result<Self, HostError> {
        text.parse()
    }
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let parse = || {
            let (ip, port) = text.rsplit_once(':')?;
            let ip = match ip.strip_prefix('[') {
                Some(v6) => IpAddr::V6(v6.strip_suffix(']')?.parse().ok()?),
                None => IpAddr::V4(ip.parse().ok()?),
            };
            Some(Self { ip, port: port.parse().ok()? })
        };
        parse().ok_or_else(|| HostError(text.to_owned()))
    }
}

/// A text that is no host.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not a host of the form ip:port or [ipv6]:port")]
pub struct HostError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["10.0.0.1:10911", "[2001:db8::2]:10911", "[::1]:-1", "255.1.0.9:0"] {
            let host: Host = text.parse().expect("a host");
            assert_eq!(host.to_string(), text);
            let mut bytes = Vec::new();
            host.put_bytes(|part| bytes.extend_from_slice(part));
            assert_eq!(bytes.len(), host.encoded_len());
            assert_eq!(Host::from_bytes(&bytes), Some(host));
        }
    }

    #[test]
    fn what_is_no_host() {
        for text in ["", "10.0.0.1", "10.0.0.1:", ":80", "::1:80", "[::1:80", "[10.0.0.1]:80", "host:80", "1.2.3.4:x"] {
            assert!(text.parse::<Host>().is_err(), "{text:?}");
        }
        assert_eq!(Host::from_bytes(&[0; 9]), None);
        assert_eq!(Host::from_bytes(&[0; 3]), None);
    }
}
