/**
 * A 64-bit number. It is a `number` where that is exact, up to 2^53 - 1, and a `bigint` beyond. Times, positions and
 * counts are always small enough; offsets read from a damaged store and hashes may not be.
 */
export type Int64 = number | bigint;

/** Plain data, as JSON has it, with 64-bit numbers. */
export type Json = null | boolean | string | Int64 | Json[] | { [field: string]: Json };

/** What a call throws: an `Error` that says why, in English, and for programs. */
export interface RocketScopeError extends Error {
  name: "RocketScopeError";
  kind: FailureKind;
  message: string;
  /** Why an action was refused. */
  refused?: { kind: string; [field: string]: Json };
  /** Where a cluster is wrong. */
  cluster?: ClusterError;
}

export type FailureKind =
  | "nothingOpen" | "notFound" | "action" | "change" | "cluster" | "lesson" | "plan" | "store" | "arguments" | (string & {});

export interface ClusterError {
  place: string;
  cause: string;
}

/** A cluster: nodes, their configuration by RocketMQ's own keys, topics, what their disks hold. As in `lesson.toml`. */
export interface Cluster {
  startMs?: number;
  nameServers?: { name: string; config?: Config; skewMs?: number }[];
  brokers?: BrokerSpec[];
  producers?: ProducerSpec[];
  consumers?: ConsumerSpec[];
  databases?: { name: string; tables?: Json[]; skewMs?: number }[];
  administrators?: { name: string; skewMs?: number }[];
  costs?: { [cost: string]: number };
  begin?: "settled" | "cold";
  before?: Action[];
  showQuietRounds?: boolean;
}

export type Config = { [key: string]: string };

export interface BrokerSpec {
  name: string;
  config?: Config;
  topics?: { name: string; readQueues?: number; writeQueues?: number; perm?: number }[];
  store?: { [field: string]: Json };
  disk?: { capacityBytes?: Int64; otherBytes?: Int64 };
  skewMs?: number;
}

export interface ProducerSpec {
  name: string;
  group?: string;
  sender?: "client" | "bare";
  broker?: string;
  outbox?: { [field: string]: Json };
  listener?: { [field: string]: Json };
  config?: Config;
  skewMs?: number;
}

export interface ConsumerSpec {
  name: string;
  group?: string;
  push?: { [field: string]: Json };
  down?: boolean;
  config?: Config;
  skewMs?: number;
}

/** A message to send. Its record can be made exactly so long with `recordSize`. */
export interface Send {
  name?: string;
  producer: string;
  topic: string;
  mode?: "sync" | "async" | "oneway";
  queue?: number;
  broker?: string;
  selector?: Json;
  tag?: string;
  keys?: string;
  delayLevel?: number;
  properties?: { [name: string]: string };
  body?: string;
  bodyLength?: number;
  bodyRandom?: boolean;
  recordSize?: number;
  flag?: number;
  waitStore?: boolean;
}

/** A change of a row in a database. */
export type RowChange = { kind: "insert" | "insertIfAbsent" | "update" | "delete"; table: string; [field: string]: Json };

/** What a power loss leaves of the pages that were not flushed. */
export type Survives =
  | { kind: "flushed" }
  | { kind: "everything" }
  | { kind: "prefix"; pages: number }
  | { kind: "torn"; pages: number; sectors: number }
  | { kind: "random"; seed: Int64 };

/** One intervention. The same as in lesson scripts, where each is described. */
export type Action =
  | ({ kind: "send" } & Send)
  | { kind: "sendBatch"; producer: string; topic: string; queue?: number; broker?: string; messages: Json[]; split?: boolean }
  | { kind: "sendInTransaction"; send: Send; changes?: RowChange[]; local?: Json; localMs?: number; checks?: Json[] }
  | { kind: "endTransaction"; producer: string; message?: string; half?: { broker: string; queueOffset: Int64 }; state: string }
  | { kind: "transact"; client: string; database: string; changes: RowChange[] }
  | { kind: "commitThenSend" | "sendThenCommit" | "writeOutbox"; database: string; changes: RowChange[]; send: Send }
  | { kind: "pull"; consumer: string; topic: string; queue: number; offset: Int64; max?: number; tags?: string; sql?: string; suspendMs?: number; commit?: Int64; broker?: string }
  | { kind: "commit"; consumer: string; topic: string; queue: number; offset: Int64 }
  | { kind: "sendBack"; consumer: string; index?: number; physicalOffset?: Int64; delayLevel?: number; maxReconsumeTimes?: number }
  | { kind: "suspendConsumer" | "resumeConsumer"; consumer: string }
  | { kind: "subscribe"; consumer: string; subscription: { topic: string; tags?: string; sql?: string } }
  | { kind: "unsubscribe"; consumer: string; topic: string }
  | { kind: "setListener"; consumer: string; listener: { [field: string]: Json } }
  | { kind: "ask"; client: string; topic: string; queue: number; what: { kind: string; [field: string]: Json } }
  | { kind: "queryKey"; client: string; topic: string; key: string; unique?: boolean; max?: number; begin?: Int64; end?: Int64 }
  | { kind: "viewMessage"; client: string; id: string }
  | { kind: "administer"; administrator: string; command: { kind: string; [field: string]: Json } }
  | { kind: "setTopic"; broker: string; topic: string; readQueues: number; writeQueues: number; perm?: number }
  | { kind: "wait"; ms: number }
  | { kind: "pause" | "resume"; node: string; service?: string }
  | { kind: "reputFrom"; broker: string; offset: Int64 }
  | { kind: "cut" | "stall" | "mend"; a: string; b: string }
  | { kind: "kill" | "start" | "stop"; node: string }
  | { kind: "powerLoss"; node: string; survives?: Survives }
  | { kind: "crashAt"; node: string; service?: string; write: number; bytes?: number; survives?: Survives; unsent?: boolean }
  | { kind: "crashWhen"; node: string; service: string; turn?: number }
  | { kind: "secondProcess" | "mendDisk" | "deleteExpired"; broker: string }
  | { kind: "setDisk"; broker: string; capacityBytes?: Int64; percent?: number }
  | { kind: "diskFault"; broker: string; fault: { kind: string; [field: string]: Json } }
  | { kind: "flipBit"; broker: string; path: string; offset: Int64; bit: number }
  | { kind: "deleteFile"; broker: string; path: string }
  | { kind: "truncateFile"; broker: string; path: string; len: Int64 }
  | { kind: "jumpClock"; node: string; ms: Int64 };

/** A running world and, where there is one, the lesson on it. */
export interface Workbench {
  run: Run;
  lesson: LessonState | null;
  past: Past;
  /** What was broken and must never be, oldest first. */
  broken: Broken[];
  /** Wrong behaviours that are switched on, none of which is RocketMQ's. */
  planted: string[];
}

/** The branches of a run, where undo and redo lead, and what it stops at. */
export interface Past {
  branch: number;
  branches: Branch[];
  undoTo: number | null;
  redoTo: number | null;
  breakpoints: { kind: string; [field: string]: Json }[];
  stoppedBy: number | null;
}

/** A way that a run went before something else was done in its past. */
export interface Branch {
  id: number;
  forkedAt: number;
  length: number;
}

/** An invariant that does not hold after an event. */
export interface Broken {
  invariant: string;
  node: string;
  seq: number;
  queue: string | null;
  found: Int64;
  bound: Int64;
  other: string | null;
}

/** Where a run stands. Times are microseconds since the world began. */
export interface Run {
  position: number;
  length: number;
  nowUs: number;
  atRest: boolean;
  nextUs: number | null;
  event: TraceEvent | null;
  stage: Stage;
  rulers: Ruler[];
  traceHash: Int64;
}

export interface Stage {
  nodes: NodePicture[];
  edges: { from: string; to: string }[];
  flights: Flight[];
}

export interface NodePicture {
  name: string;
  kind: "nameServer" | "broker" | "producer" | "consumer" | "database" | "administrator";
  active: boolean;
  state: "up" | "starting" | "stopping" | "down";
  stopped: boolean;
  services: string[];
  paused: string[];
  facts: { kind: string; [field: string]: Json };
}

export interface Flight {
  id: number;
  from: string;
  to: string;
  label: string;
  kind: "request" | "oneway" | "response" | "replica";
  sentUs: number;
  arrivesUs: number;
}

/** How far each storage state reaches in a broker's log, bytes. */
export interface Ruler {
  broker: string;
  min: Int64;
  written: Int64;
  committed: Int64;
  flushed: Int64;
  replicated: Int64 | null;
  dispatched: Int64;
  consumed: { group: string; offset: Int64 }[];
  fileStarts: Int64[];
  marks: { name: string; physicalOffset: Int64; size: number }[];
}

/** A turn of one service of one node. */
export interface TraceEvent {
  seq: number;
  atUs: number;
  tookUs: number;
  node: string;
  service: string;
  cause: number | null;
  what: EventKind;
  steps: { index: number; atUs: number; what: { [family: string]: { kind: string; [field: string]: Json } } }[];
  writes: { step: number; op: string; path: string; offset: Int64; len: Int64 }[];
  sent: { id: number; to: string; kind: string; label: string; leavesUs: number; arrivesUs: number }[];
}

/** What set a turn off. */
export type EventKind =
  | { kind: "action"; action: Action }
  | { kind: "request"; code: string; from: string }
  | { kind: "response"; request: string; code: string; from: string }
  | { kind: "timeout" | "failed"; request: string; to: string }
  | { kind: "disconnected" | "connected"; peer: string }
  | { kind: "bytes"; from: string; label: string }
  | { kind: "connectFailed" | "started" | "turn" | "alarm" };

export interface LessonState {
  id: string;
  number: number;
  steps: { id: string; state: "done" | "now" | "ahead"; beganAt: number | null }[];
  offers: { id: string; action: Action; taken: boolean }[];
  questions: { id: string; step: string; choices: string[]; chosen: number | null; truth: number | null }[];
  goals: { id: string; met: boolean }[];
  finished: boolean;
}

export interface LessonSummary {
  id: string;
  number: number;
  part: string;
  titleEn: string;
  titleZh: string;
}

export interface LessonText {
  id: string;
  title: string;
  intro: string;
  steps: TextItem[];
  offers: TextItem[];
  questions: TextItem[];
  goals: TextItem[];
  hint: string;
  myth: string;
  breakIt: string;
  sources: string[];
}

export interface TextItem {
  id: string;
  title: string;
  prose: string;
}

export interface Timeline {
  lanes: { node: string; service: string }[];
  events: { seq: number; atUs: number; lane: number; cause: number | null; what: EventKind; wrote: boolean }[];
  length: number;
}

/** Which store a question is about. */
export type Source = { kind: "broker"; node: string } | { kind: "directory" };

/** A question. Each kind has an answer of its own: see `AnswerTo`. */
export type Query =
  | { kind: "lessons" }
  | { kind: "lessonText"; id: string; language: "en" | "zh" }
  | { kind: "look" }
  | { kind: "cluster" }
  | { kind: "checkCluster"; cluster: Cluster }
  | { kind: "keys" }
  | { kind: "timeline"; from: number; limit: number }
  | { kind: "event"; seq: number }
  | { kind: "writerOf"; node: string; path: string; offset: Int64 }
  | { kind: "dirty" | "taken"; node: string; path: string }
  | { kind: "routes" }
  | { kind: "recovery" | "producer" | "delay" | "transactions"; node: string }
  | { kind: "consumers"; group: string | null }
  | { kind: "databases" }
  | { kind: "store"; source: Source; query: { kind: string; [field: string]: Json } }
  | { kind: "scanProblems"; source: Source; budget: number }
  | { kind: "compare"; query: CompareQuery }
  | { kind: "matrixPlan"; lesson: string | null }
  | { kind: "backlog"; plan: { [field: string]: Json } };

/** The answer to a question of this kind. Those that are not named here are plain data; their fields are in the engine's documentation. */
export type AnswerTo<K extends string> =
  K extends "lessons" ? LessonSummary[] :
  K extends "lessonText" ? LessonText :
  K extends "look" ? Workbench :
  K extends "cluster" ? Cluster :
  K extends "checkCluster" ? ClusterError | null :
  K extends "timeline" ? Timeline :
  K extends "event" ? TraceEvent :
  K extends "writerOf" ? { seq: number; step: number } | null :
  K extends "dirty" | "taken" ? { start: Int64; end: Int64 }[] :
  K extends "matrixPlan" ? MatrixPlan :
  Json;

/** What a crash matrix is made of. */
export interface MatrixPlan {
  cluster: Cluster;
  seed: Int64;
  actions: { at: number; action: Action }[];
  length: number;
  /** The nodes that crash, one in each world. */
  targets: string[];
  faults: Json[];
  /** How long a crashed node is down, milliseconds. */
  downMs: number;
  /** Events after a crash at most. */
  eventsMax: number;
}

/** A moment of the run: before one of its events, and inside it. */
export interface MatrixMoment {
  event: number;
  atUs: number;
  turn: { node: string; service: string; what: EventKind; writes: { step: number; op: string; path: string; offset: Int64; len: Int64 }[] } | null;
  cells: number;
}

/** A world in which a node crashed once, run on until it was at rest. */
export interface MatrixCell {
  number: number;
  event: number;
  /** Operations on the disk that were done before the crash; null: the event had not begun. */
  write: number | null;
  bytes: number | null;
  target: string;
  fault: Json;
  end: "rest" | "restless" | "noCrash";
  up: boolean;
  skipped: number;
  messages: { producer: string; number: number; name: string | null; told: string; verdict: "exactlyRight" | "open" | "duplicated" | "outOfOrder" | "lost"; why: string[] }[];
  tail: { at: number; action: Action }[];
  position: number;
  nowUs: number;
}

/** What the second of two runs has otherwise. */
export type Change =
  | { kind: "config"; node: string; key: string; value?: string }
  | { kind: "addSlave"; master: string }
  | { kind: "addConsumer"; like: string }
  | { kind: "removeNode"; node: string }
  | { kind: "recordKey"; consumer: string; key: string }
  | { kind: "seed"; seed: Int64 };

export type CompareQuery =
  | { kind: "choices" }
  | { kind: "begin"; lesson: string | null; change: Change }
  | { kind: "seek"; moment: number }
  | { kind: "seekTime"; atUs: number };
