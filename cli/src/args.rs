//! The command line.
#![expect(clippy::doc_markdown, reason = "these comments are the help text")]

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use rocketscope_engine::matrix::{DOWN_MS, EVENTS_MAX, Fault};

/// Looks into a store of Apache RocketMQ 4.9.8, of which nothing is ever changed, and plays scripts on simulated machines.
#[derive(Debug, Parser)]
#[command(name = "rocketscope", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows everything in a store as it lies on the disk, and the problems found in it
    Inspect(InspectArgs),
    /// Answers a pull as a broker that was started on the store would (getMessage)
    Get(GetArgs),
    /// Answers a query by key as a broker that was started on the store would (queryMessage)
    Query(QueryArgs),
    /// Shows the message that an offsetMsgId names (viewMessage)
    Message(MessageArgs),
    /// Shows what a start of a broker would do to a store, and what it means; --out writes a copy as it is then
    Recover(RecoverArgs),
    /// Plays a script on simulated machines: a lesson's solution, or a scenario
    Run(RunArgs),
    /// Crashes a script at every event and every write to a disk, and shows what becomes of its messages
    Matrix(MatrixArgs),
    /// Counts how a backlog grows or clears, and what bounds it
    Backlog(BacklogArgs),
}

/// Which store, and what is known of it.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// The store's directory: the one that holds commitlog/
    pub(crate) dir: PathBuf,

    /// The broker's configuration; without it file sizes are worked out from the files
    #[arg(short = 'c', long = "config", value_name = "BROKER.CONF")]
    pub(crate) config: Option<PathBuf>,

    /// One key of the store's configuration, e.g. mappedFileSizeCommitLog=1073741824 (repeatable; over -c)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 if the store could be read, whatever is wrong with it; 1 if not; with --check, \
                        3 if problems were found."
)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Rows of each list: records, units of a queue, entries of an index file
    #[arg(long, value_name = "ROWS", default_value_t = 10, conflicts_with = "json")]
    pub(crate) limit: u64,

    /// Print the lists whole
    #[arg(long, conflicts_with_all = ["limit", "json"])]
    pub(crate) all: bool,

    /// Exit with 3 if problems were found
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Topic
    #[arg(long)]
    pub(crate) topic: String,

    /// Queue id
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) queue: i32,

    /// Queue offset to read from
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) offset: i64,

    /// Messages at most
    #[arg(long, default_value_t = 32)]
    pub(crate) max: i32,

    /// Tags, e.g. "TagA || TagB"; the store compares their hashes only
    #[arg(long, default_value = "*")]
    pub(crate) subscription: String,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Topic
    #[arg(long)]
    pub(crate) topic: String,

    /// Key, or UNIQ_KEY (the client's msgId)
    #[arg(long)]
    pub(crate) key: String,

    /// Earliest store time, milliseconds since the epoch
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) begin: i64,

    /// Latest store time, milliseconds since the epoch
    #[arg(long, default_value_t = i64::MAX, hide_default_value = true, allow_negative_numbers = true)]
    pub(crate) end: i64,

    /// Messages at most; the store never answers more than maxMsgsNumBatch
    #[arg(long, default_value_t = 64)]
    pub(crate) max: i32,
}

#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// The offsetMsgId: 32 hexadecimal digits, 56 for an IPv6 broker
    pub(crate) id: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 if the store could be read, be it one that no broker starts on; 1 if not; with \
                        --check, 3 if messages would be lost or out of reach, or the broker would not start."
)]
pub(crate) struct RecoverArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,

    /// Write the store as it is after the start to this directory, which must be empty or not exist
    #[arg(long, value_name = "COPY")]
    pub(crate) out: Option<PathBuf>,

    /// Print every step
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    /// Exit with 3 if messages would be lost or out of reach, or the broker would not start
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 if everything was reached that was to be, or the run of a link was gone through again; 3 \
                        if a goal of the lesson or an expectation of the scenario was not, or if an invariant was \
                        broken, at which the run ends, or, with --check, if an acknowledged message is stored nowhere; 1 if the script is wrong or cannot be played to its \
                        end, or the link cannot be honoured."
)]
pub(crate) struct RunArgs {
    /// lesson.toml, or the folder that holds it; a scenario, in TOML or (*.json) in JSON; or a run (*.rocketscope)
    #[arg(required_unless_present = "link")]
    pub(crate) script: Option<PathBuf>,

    /// Go through the run of a link again: an address of the page, or what stands behind r= in it
    #[arg(long, value_name = "LINK", conflicts_with = "script")]
    pub(crate) link: Option<String>,

    /// Print a link to the run
    #[arg(long)]
    pub(crate) show_link: bool,

    /// Write the run to a file that the page and this command open
    #[arg(long, value_name = "FILE.rocketscope")]
    pub(crate) save: Option<PathBuf>,

    /// Bring a real store, of which nothing is changed. The first broker of a script begins on a copy of it, with the
    /// sizes that it was written with; a link finds the one that it names
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Write the disk of each broker, as it is at the end, to DIR/NODE: a store directory. DIR must be empty or not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,

    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the steps of each event
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub(crate) steps: bool,

    /// Leave the trace out
    #[arg(long, conflicts_with = "json")]
    pub(crate) quiet: bool,

    /// Exit with 3 if a message that was acknowledged is stored nowhere
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Faults: kill (the process), tornWrite (a kill in the middle of a write), and losses of power by what \
                        they leave of the pages of 4 KiB that were not flushed: powerLoss:flushed (none), \
                        powerLoss:everything, powerLoss:prefix:PAGES (the first so many), powerLoss:torn:PAGES:SECTORS \
                        (and 1 to 7 sectors of the next), powerLoss:random:SEED.\n\
                        Exit status: 0 if the matrix could be played; 1 if not; with --check, 3 if a message is lost in \
                        any of its worlds."
)]
pub(crate) struct MatrixArgs {
    /// A lesson that comes with the command, by id or number; or a script as for `run`
    pub(crate) script: PathBuf,

    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// How nodes crash, e.g. kill,powerLoss:flushed
    #[arg(long, value_name = "FAULT", value_delimiter = ',')]
    pub(crate) faults: Vec<Fault>,

    /// The nodes that crash, one in each world; all brokers if absent
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    pub(crate) targets: Vec<String>,

    /// Threads; as many as there are cores if absent
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<u16>>,

    /// How long a crashed node is down before it is started again, milliseconds
    #[arg(long, value_name = "MS", default_value_t = DOWN_MS, value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) down_ms: i64,

    /// Events after a crash at most
    #[arg(long, value_name = "N", default_value_t = EVENTS_MAX, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) events: u32,

    /// Print the crashes too after which everything is exactly right
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    /// Exit with 3 if a message is lost
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Plans: never, enough, queues, connections, cores, throttled, orderly, skew, burst.\n\
                        Numbers: behind, inPerS, arrival (steady, bursts with peakPerS fromS lastsS everyS, random with \
                        swingPercent seed), queues, skewPercent, orderly, instances, threads, cores, cpuUs (T1), waitUs \
                        (T2), batch, connections, heldPercent, permitsPerS, horizonS.")]
pub(crate) struct BacklogArgs {
    /// The plan to begin with
    #[arg(default_value = "never")]
    pub(crate) plan: String,

    /// One number of the plan, as in the address of the backlog lab, e.g. threads=100 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Rows of the curve
    #[arg(long, value_name = "ROWS", default_value_t = 12, conflicts_with = "json")]
    pub(crate) rows: u64,

    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}
