//! The id that a client gives a message before sending it: the `UNIQ_KEY` property (`MessageClientIDSetter`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::MsgIdError;
use super::offset_msg_id::{read_hex, write_hex};

const DAY_MS: i64 = 86_400_000;
/// A clock that went back by less than this is taken for standing still.
const CLOCK_TOLERANCE_MS: i32 = 1_000_000;

/// Makes the unique ids of one client process: address, process id and class loader hash tell processes apart, the
/// time since the beginning of the month and a counter tell messages apart. Months are those of UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqIdGenerator {
    prefix: String,
    month_start: i64,
    next_month_start: i64,
    counter: u16,
}

impl UniqIdGenerator {
    /// A process that starts at `now` (milliseconds since the epoch). `ip` is the client's address, or [`fake_ip`];
    /// of `pid` the low 16 bits count; `class_loader_hash` is an identity hash in Java, so any number.
    pub fn new(ip: IpAddr, pid: i32, class_loader_hash: i32, now: i64) -> Self {
        let mut prefix = String::with_capacity(44);
        let parts: [&[u8]; 3] = [
            &match ip {
                IpAddr::V4(ip) => ip.octets().to_vec(),
                IpAddr::V6(ip) => ip.octets().to_vec(),
            },
            &(pid as i16).to_be_bytes(),
            &class_loader_hash.to_be_bytes(),
        ];
        for part in parts {
            // Writing into a String cannot fail.
            let _ = write_hex(&mut prefix, part);
        }
        let (month_start, next_month_start) = month_of(now);
        Self { prefix, month_start, next_month_start, counter: 0 }
    }

    /// The next id at `now`: 32 upper-case hex digits, or 56 for IPv6.
    pub fn next(&mut self, now: i64) -> String {
        if now >= self.next_month_start {
            (self.month_start, self.next_month_start) = month_of(now);
        }
        let mut span = now.wrapping_sub(self.month_start) as i32;
        if (1 - CLOCK_TOLERANCE_MS..0).contains(&span) {
            span = 0;
        }
        let id = format!("{}{span:08X}{:04X}", self.prefix, self.counter);
        self.counter = self.counter.wrapping_add(1);
        id
    }
}

/// The address of a process that has none: the low four bytes of the clock.
pub fn fake_ip(now: i64) -> IpAddr {
    Ipv4Addr::from(now as u32).into()
}

/// About when the id was made, in milliseconds since the epoch (`getNearlyTimeFromID`): the latest time before `now`
/// that the id can mean, looking back one month at most.
pub fn near_time(id: &str, now: i64) -> Result<i64, MsgIdError> {
    let parts = Parts::of(id)?;
    let span = i64::from(u32::from_be_bytes(parts.span));
    let (month_start, _) = month_of(now);
    let time = month_start.wrapping_add(span);
    if time < now {
        return Ok(time);
    }
    let (previous_start, _) = month_of(month_start.wrapping_sub(1));
    Ok(previous_start.wrapping_add(span))
}

/// The address of the process that made the id (`getIPFromID`).
pub fn ip(id: &str) -> Result<IpAddr, MsgIdError> {
    Parts::of(id).map(|parts| parts.ip)
}

/// The low 16 bits of the process id in the id (`getPidFromID`).
pub fn pid(id: &str) -> Result<u16, MsgIdError> {
    Parts::of(id).map(|parts| u16::from_be_bytes(parts.pid))
}

struct Parts {
    ip: IpAddr,
    pid: [u8; 2],
    span: [u8; 4],
}

impl Parts {
    fn of(id: &str) -> Result<Self, MsgIdError> {
        if !matches!(id.len(), 32 | 56) {
            return Err(MsgIdError::Length(id.len()));
        }
        let bytes = read_hex(id).ok_or(MsgIdError::NotHex)?;
        let split = || {
            let (rest, _counter) = bytes.split_last_chunk::<2>()?;
            let (rest, span) = rest.split_last_chunk::<4>()?;
            let (rest, _class_loader_hash) = rest.split_last_chunk::<4>()?;
            let (ip, pid) = rest.split_last_chunk::<2>()?;
            let ip = match *ip {
                [a, b, c, d] => Ipv4Addr::new(a, b, c, d).into(),
                _ => Ipv6Addr::from(<[u8; 16]>::try_from(ip).ok()?).into(),
            };
            Some(Self { ip, pid: *pid, span: *span })
        };
        split().ok_or(MsgIdError::Length(id.len()))
    }
}

/// Beginning of the month that `now` is in, and of the one after it.
fn month_of(now: i64) -> (i64, i64) {
    let (year, month) = year_month(now.div_euclid(DAY_MS));
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let start = |year, month| days_before(year, month).wrapping_mul(DAY_MS);
    (start(year, month), start(next_year, next_month))
}

/// Days from 1970-01-01 to the first of a month of the Gregorian calendar. Years are counted from March, so that the
/// leap day is their last: then a month's first day of the year is a linear function of its number.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 - 719_468
}

/// Year and month (1 to 12) of a day counted from 1970-01-01.
fn year_month(day: i64) -> (i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let day_of_era = day.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let year = era * 400 + year_of_era;
    if month < 10 { (year, month + 3) } else { (year + 1, month - 9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V4: IpAddr = IpAddr::V4(Ipv4Addr::new(172, 17, 0, 1));
    /// 2023-11-01T00:00:00Z, by `date -u -d 2023-11-01 +%s`.
    const NOVEMBER_2023: i64 = 1_698_796_800_000;
    /// 2023-12-01T00:00:00Z.
    const DECEMBER_2023: i64 = 1_701_388_800_000;
    /// 2023-10-01T00:00:00Z.
    const OCTOBER_2023: i64 = 1_696_118_400_000;
    /// 2023-11-14T22:13:20Z.
    const NOW: i64 = 1_700_000_000_000;

    #[test]
    fn parts_of_an_id() {
        let mut ids = UniqIdGenerator::new(V4, 0x12345, 0x18B4_AAC2, NOW);
        // 1700000000000 - 1698796800000 = 1203200000 = 0x47B76000
        assert_eq!(ids.next(NOW), "AC110001234518B4AAC247B760000000");
        assert_eq!(ids.next(NOW + 1), "AC110001234518B4AAC247B760010001");
        assert_eq!(ip("AC110001234518B4AAC247B760000000"), Ok(V4));
        assert_eq!(pid("AC110001234518B4AAC247B760000000"), Ok(0x2345));
    }

    #[test]
    fn ipv6_id() {
        let v6: IpAddr = "2001:db8::2".parse().expect("an address");
        let mut ids = UniqIdGenerator::new(v6, 1, -1, NOVEMBER_2023);
        let id = ids.next(NOVEMBER_2023 + 255);
        assert_eq!(id, "20010DB80000000000000000000000020001FFFFFFFF000000FF0000");
        assert_eq!(ip(&id), Ok(v6));
        assert_eq!(near_time(&id, NOW), Ok(NOVEMBER_2023 + 255));
    }

    #[test]
    fn time_rolls_over_with_the_month_and_stands_when_it_goes_back() {
        let mut ids = UniqIdGenerator::new(V4, 0, 0, NOW);
        let span = |id: String| id[20..28].to_owned();
        assert_eq!(span(ids.next(DECEMBER_2023)), "00000000", "a new month");
        assert_eq!(span(ids.next(DECEMBER_2023 - 999_999)), "00000000");
        assert_eq!(span(ids.next(DECEMBER_2023 - 1_000_000)), "FFF0BDC0", "too far back: -1000000");
        // Day 26 of a month is beyond 2^31 ms: the span is kept as it overflows.
        assert_eq!(span(ids.next(DECEMBER_2023 + 26 * DAY_MS)), format!("{:08X}", 26 * DAY_MS));
    }

    #[test]
    fn counter_wraps() {
        let mut ids = UniqIdGenerator::new(V4, 0, 0, NOW);
        let last = (0..=0x1_0000).map(|_| ids.next(NOW)).last().expect("ids");
        assert!(last.ends_with("0000"));
    }

    #[test]
    fn near_times() {
        let id = |span: i64| format!("AC110001234518B4AAC2{span:08X}0000");
        assert_eq!(near_time(&id(NOW - NOVEMBER_2023 - 1), NOW), Ok(NOW - 1));
        assert_eq!(
            near_time(&id(NOW - NOVEMBER_2023), NOW),
            Ok(OCTOBER_2023 + (NOW - NOVEMBER_2023)),
            "not before now"
        );
        assert_eq!(near_time(&id(30 * DAY_MS), NOW), Ok(OCTOBER_2023 + 30 * DAY_MS));
        assert_eq!(near_time("x", NOW), Err(MsgIdError::Length(1)));
        assert_eq!(near_time(&"z".repeat(32), NOW), Err(MsgIdError::NotHex));
    }

    #[test]
    fn calendar() {
        // 1970-01, 2000-02 (a leap year), 2100-03 (2100 is none), 1969-12, by `date -u`.
        assert_eq!(month_of(0), (0, 31 * DAY_MS));
        assert_eq!(month_of(951_782_400_000), (949_363_200_000, 951_868_800_000), "2000-02-29");
        assert_eq!(month_of(4_107_542_400_000), (4_107_542_400_000, 4_110_220_800_000), "2100-03-01");
        assert_eq!(month_of(-1), (-31 * DAY_MS, 0));
        let mut month = NOVEMBER_2023;
        for _ in 0..5000 {
            let (start, next) = month_of(month);
            assert_eq!(start, month);
            assert_eq!(month_of(next - 1), (start, next));
            month = next;
        }
        for extreme in [i64::MIN, i64::MAX] {
            let _ = month_of(extreme);
        }
    }

    #[test]
    fn fake_ip_is_the_clock() {
        assert_eq!(fake_ip(0x0000_018B_CFE5_6800), IpAddr::from([0xCF, 0xE5, 0x68, 0x00]));
    }
}
