import { setImmediate } from 'node:timers/promises';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import {
  type CountedParsed,
  countRefusals,
  type FeedDelivery,
  type Parsed,
  type Parser,
  type RefusalCause,
} from '../fix.ts';
import { NameCounts } from '../parsers/parsed-message.ts';
import { AnswerClock, FeedLife } from '../reception/feed-life.ts';
import type { AnswerFacts, Connect, ConnectionState, Feed, FeedHealth, Inlet, Surroundings } from './feed.ts';
import type { FeedWords, Signs } from './feed-kind.ts';
import { FeedNotice } from './feed-notice.ts';
import type { ParseLarge } from './large/large-answers.ts';

interface FeedOptions {
  readonly parser: Parser;
  readonly connect: Connect;
  readonly words: FeedWords;
  readonly signs?: Signs;
  readonly deliver: (delivery: FeedDelivery, receivedAt: UpstreamInstant) => void;
  readonly sameStation?: SameStation | undefined;
  readonly parseLarge?: ParseLarge | undefined;
  readonly surroundings: Surroundings;
  /** The messages that are read in a second. Further ones are dropped until the next second. */
  readonly messagesPerSecondMax?: number;
  /** The problem of a connected feed. */
  readonly trouble?: (() => string | undefined) | undefined;
}

/** Whether another polled feed has the same answers and counts in its place. */
export interface SameStation {
  note(answer: Uint8Array, server: string, at: UpstreamInstant): void;
  countedInstead(at: UpstreamInstant): string | undefined;
}

/**
 * JSON of this length parses within 30 ms. After a longer answer, the worker parses the whole feed, since parsers
 * remember the last answer.
 */
const LARGE_BYTES = 64 * 1024;
const SLICE_FIXES = 500;
/** Ten times a busy receiver: 3,000 aircraft, two lines a second each. */
const MESSAGES_PER_SECOND_MAX = 10_000;

/**
 * Runs one feed: its transport's messages are parsed and delivered, in slices where they are long. It says whether the
 * feed receives, and what is wrong with it. Neither a flood, a foreign format nor a defect of its parser affects other
 * feeds; messages after `stop` are dropped.
 */
export function runFeed({
  parser,
  connect,
  words,
  signs = {},
  deliver,
  sameStation,
  parseLarge,
  surroundings,
  messagesPerSecondMax = MESSAGES_PER_SECOND_MAX,
  trouble,
}: FeedOptions): Feed {
  const { now } = surroundings;
  const counts = new FeedCounts(messagesPerSecondMax);
  const notice = new FeedNotice(words);
  let state: ConnectionState = 'connecting';
  let since = now();
  let connectionProblem: string | undefined;
  const life = new FeedLife(epochMs(since), signs);
  let isStopped = false;

  const inlet: Inlet = {
    message(message, receivedAt = now()) {
      if (isStopped) return;
      const at = now();
      if (!counts.take(at)) return;
      const parsed = parsedBy(() => parser.parse(message, receivedAt));
      if (noteParsed(message, parsed, at)) life.message(epochMs(at), isBeacon(parsed));
      deliverPositions(parsed, at, receivedAt);
    },
    async answer(body, receivedAt, facts) {
      if (isStopped) return true;
      notice.polled();
      return counts.take(now()) ? takeAnswer(body, receivedAt, facts) : true;
    },
    repeated() {
      notice.repeated();
      if (!isStopped && signs.isAnswerEnough && isAnswerRead) life.message(epochMs(now()));
    },
    keptAlive(isBeacon) {
      if (!isStopped) life.message(epochMs(now()), isBeacon);
    },
    refuse(cause) {
      if (!isStopped) counts.refuseMessage(cause, now());
    },
    connected() {
      if (isStopped) return;
      life.connected(epochMs(now()));
      enter('connected', undefined);
    },
    lost(why) {
      if (isStopped) return;
      life.lost(epochMs(now()));
      enter(state === 'connecting' ? 'connecting' : 'lost', why);
    },
  };

  function enter(next: ConnectionState, why: string | undefined): void {
    if (state !== next) since = now();
    state = next;
    connectionProblem = why;
  }

  let isLarge = false;
  /** @returns whether it was readable */
  async function takeAnswer(body: Uint8Array, receivedAt: UpstreamInstant, facts: AnswerFacts): Promise<boolean> {
    isLarge ||= body.length > LARGE_BYTES;
    const parsed =
      isLarge && parseLarge ? await parseLarge(body, receivedAt) : parsedBy(() => parser.parse(body, receivedAt));
    const { fixes, feedClockMs } = parsed;
    const at = now();
    const isRead = noteParsed(body, parsed, at);
    noteAnswered(parsed, isRead, at);
    if (fixes.length > 0) sameStation?.note(body, facts.server, at);
    for (let from = 0; from === 0 || from < fixes.length; from += SLICE_FIXES) {
      if (from > 0) await setImmediate();
      if (isStopped) break;
      deliverPositions({ fixes: fixes.slice(from, from + SLICE_FIXES), feedClockMs, ...facts }, at, receivedAt);
    }
    return isRead;
  }

  /** @returns whether the message was readable */
  function noteParsed(message: string | Uint8Array, parsed: CountedParsed, at: UpstreamInstant): boolean {
    counts.noteRefused(parsed);
    const isRead = isReadable(parsed);
    notice.note(message, parsed, isRead, at);
    return isRead;
  }

  const clock = new AnswerClock();
  let hasClock = false;
  let isAnswerRead = false;
  /** A moving clock shows that a program still writes the answers, or, without a clock, the answer itself. */
  function noteAnswered({ fixes, feedClockMs }: CountedParsed, isRead: boolean, at: UpstreamInstant): void {
    const isFirst = !isAnswerRead && !hasClock;
    isAnswerRead = isRead;
    hasClock ||= feedClockMs !== undefined && !signs.isAnswerEnough;
    const hasMoved = hasClock ? feedClockMs !== undefined && clock.moved(feedClockMs) : isRead && !isFirst;
    if (hasMoved || (isRead && signs.isAnswerEnough) || (fixes.length > 0 && !hasClock)) life.message(epochMs(at));
  }

  function deliverPositions(delivery: FeedDelivery, at: UpstreamInstant, receivedAt: UpstreamInstant): void {
    const { fixes, feedClockMs, gone = [] } = delivery;
    if (fixes.length > 0) {
      counts.addPositions(fixes.length, at);
      const aircraft = fixes.filter(({ layer }) => layer === 'adsb').length;
      if (aircraft > 0) life.positions(epochMs(at), aircraft);
    }
    if (sameStation?.countedInstead(at) !== undefined) return;
    if (fixes.length > 0 || gone.length > 0 || feedClockMs !== undefined) deliver(delivery, receivedAt);
  }

  let cancelDue = () => {};
  function deliverDue(): void {
    if (isStopped) return;
    const at = now();
    const parsed = parsedBy(() => parser.due?.(at) ?? { fixes: [], refused: [], feedClockMs: undefined });
    counts.noteRefused(parsed);
    deliverPositions(parsed, at, at);
    cancelDue = surroundings.after(SECOND_MS, deliverDue);
  }

  function problemNow(): string | undefined {
    if (state !== 'connected') return connectionProblem;
    const same = sameStation?.countedInstead(now());
    if (same !== undefined) return `it has the same answers as ${same}: one station, which counts once. Leave one out`;
    return trouble?.() ?? notice.text(now());
  }

  const connection = connect(inlet, surroundings);
  if (parser.due) cancelDue = surroundings.after(SECOND_MS, deliverDue);

  return {
    health: () => ({ state, since, problem: problemNow(), ...counts.at(now()) }),
    life() {
      const at = now();
      const { isReceiving, sinceMs, lostMs } = life.at(epochMs(at));
      return {
        isReceiving,
        since: upstreamInstant(sinceMs),
        lostAt: lostMs === undefined ? undefined : upstreamInstant(lostMs),
        isDouble: sameStation?.countedInstead(at) !== undefined,
      };
    },
    renew() {
      if (state === 'connected') connection.renew?.();
    },
    stop() {
      isStopped = true;
      cancelDue();
      return connection.close();
    },
  };
}

/** A defect of a parser affects only its own feed. */
function parsedBy(parse: () => Parsed): CountedParsed {
  try {
    return countRefusals(parse());
  } catch {
    return { fixes: [], refused: { unreadable: 1 }, feedClockMs: undefined };
  }
}

/** Whether it is a heartbeat or a state of the sensor. */
function isBeacon({ fixes, refused }: CountedParsed): boolean {
  const [cause, ...others] = Object.keys(refused);
  return fixes.length === 0 && cause === 'not_positions' && others.length === 0;
}

/** Whether it is readable: a partly readable answer counts, and so does one without rows. */
function isReadable({ fixes, feedClockMs, refused }: CountedParsed): boolean {
  return fixes.length > 0 || feedClockMs !== undefined || refused.unreadable === undefined;
}

/** Counts of what a feed sent since its start. */
class FeedCounts {
  readonly #messagesPerSecondMax: number;
  readonly #minute = makeMinuteCount();
  readonly #refused: Partial<Record<RefusalCause, number>> = {};
  readonly #unknownFields = new NameCounts();
  readonly #unusableFields = new NameCounts();
  #lastMessageAt: UpstreamInstant | undefined;
  #lastPositionAt: UpstreamInstant | undefined;
  #messages = 0;
  #positions = 0;
  #second = Number.NaN;
  #inSecond = 0;

  constructor(messagesPerSecondMax: number) {
    this.#messagesPerSecondMax = messagesPerSecondMax;
  }

  /** @returns false for a flood: the message must be dropped */
  take(at: UpstreamInstant): boolean {
    this.#noteMessage(at);
    const second = Math.floor(epochMs(at) / SECOND_MS);
    if (second !== this.#second) this.#inSecond = 0;
    this.#second = second;
    this.#inSecond += 1;
    if (this.#inSecond <= this.#messagesPerSecondMax) return true;
    this.#refuse('flood', 1);
    return false;
  }

  /** A message that the transport refused. */
  refuseMessage(cause: RefusalCause, at: UpstreamInstant): void {
    this.#noteMessage(at);
    this.#refuse(cause, 1);
  }

  noteRefused({ refused, fields }: CountedParsed): void {
    for (const [cause, count] of Object.entries(refused)) this.#refuse(cause as RefusalCause, count);
    for (const [name, count] of fields?.unknown ?? []) this.#unknownFields.add(name, count);
    for (const [name, count] of fields?.unusable ?? []) this.#unusableFields.add(name, count);
  }

  addPositions(count: number, at: UpstreamInstant): void {
    this.#lastPositionAt = at;
    this.#positions += count;
    this.#minute.add(at, count);
  }

  at(now: UpstreamInstant): Omit<FeedHealth, 'state' | 'since' | 'problem'> {
    return {
      lastMessageAt: this.#lastMessageAt,
      lastPositionAt: this.#lastPositionAt,
      positionsPerMinute: this.#minute.count(now),
      messages: this.#messages,
      positions: this.#positions,
      refused: { ...this.#refused },
      fields: { unknown: this.#unknownFields.counts, unusable: this.#unusableFields.counts },
    };
  }

  #noteMessage(at: UpstreamInstant): void {
    this.#lastMessageAt = at;
    this.#messages += 1;
  }

  #refuse(cause: RefusalCause, count: number): void {
    this.#refused[cause] = (this.#refused[cause] ?? 0) + count;
  }
}

const SECONDS = 60;

export function makeMinuteCount() {
  const counts = new Float64Array(SECONDS);
  let latest = 0;

  /** Clears the seconds since the latest event, or all after the clock was set back. */
  function moveTo(at: UpstreamInstant): void {
    const second = Math.floor(epochMs(at) / SECOND_MS);
    const passed = second - latest;
    if (passed < 0 || passed >= SECONDS) counts.fill(0);
    else for (let each = latest + 1; each <= second; each += 1) counts[each % SECONDS] = 0;
    latest = second;
  }

  return {
    add(at: UpstreamInstant, count: number): void {
      moveTo(at);
      counts[latest % SECONDS]! += count;
    },
    count(at: UpstreamInstant): number {
      moveTo(at);
      return counts.reduce((sum, each) => sum + each, 0);
    },
  };
}
