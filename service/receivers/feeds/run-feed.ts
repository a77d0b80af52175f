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
import { NameCounts } from '../parsers/field-notes.ts';
import { AnswerClock, FeedLife } from '../reception/feed-life.ts';
import type { AnswerFacts, Connect, ConnectionState, Feed, Inlet, Surroundings } from './feed.ts';
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
  /** More are dropped until the next second. */
  readonly messagesPerSecondMax?: number;
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

export function runFeed({
  parser,
  connect,
  words,
  signs = {},
  deliver,
  sameStation,
  parseLarge,
  surroundings,
  ...limits
}: FeedOptions): Feed {
  const { now } = surroundings;
  const messagesPerSecondMax = limits.messagesPerSecondMax ?? MESSAGES_PER_SECOND_MAX;
  const minute = makeMinuteCount();
  const refused: Partial<Record<RefusalCause, number>> = {};
  const unknownFields = new NameCounts();
  const unusableFields = new NameCounts();
  let state: ConnectionState = 'connecting';
  let since = now();
  let problem: string | undefined;
  let lastMessageAt: UpstreamInstant | undefined;
  let lastPositionAt: UpstreamInstant | undefined;
  let messages = 0;
  let positions = 0;
  let second = Number.NaN;
  let inSecond = 0;
  let isStopped = false;
  let isLarge = false;
  const notice = new FeedNotice(words);
  const life = new FeedLife(epochMs(since), signs);
  const clock = new AnswerClock();
  let hasClock = false;
  let isAnswerRead = false;

  function enter(next: ConnectionState, why: string | undefined): void {
    if (state !== next) since = now();
    state = next;
    problem = why;
  }

  function refuse(cause: RefusalCause, count = 1): void {
    refused[cause] = (refused[cause] ?? 0) + count;
  }

  function noteRefused({ refused: causes, fields }: CountedParsed): void {
    for (const [cause, count] of Object.entries(causes)) refuse(cause as RefusalCause, count);
    for (const [name, count] of fields?.unknown ?? []) unknownFields.add(name, count);
    for (const [name, count] of fields?.unusable ?? []) unusableFields.add(name, count);
  }

  function isFlood(at: UpstreamInstant): boolean {
    const current = Math.floor(epochMs(at) / SECOND_MS);
    if (current !== second) {
      second = current;
      inSecond = 0;
    }
    inSecond += 1;
    return inSecond > messagesPerSecondMax;
  }

  function parsedBy(parse: () => Parsed): CountedParsed {
    try {
      return countRefusals(parse());
    } catch {
      // A defect of a parser affects only its own feed.
      return { fixes: [], refused: { unreadable: 1 }, feedClockMs: undefined };
    }
  }

  function deliverPositions(delivery: FeedDelivery, at: UpstreamInstant, receivedAt: UpstreamInstant): void {
    if (delivery.fixes.length > 0) {
      lastPositionAt = at;
      positions += delivery.fixes.length;
      minute.add(at, delivery.fixes.length);
      const aircraft = delivery.fixes.filter(({ layer }) => layer === 'adsb').length;
      if (aircraft > 0) life.positions(epochMs(at), aircraft);
    }
    if (sameStation?.countedInstead(at) !== undefined) return;
    if (delivery.fixes.length > 0 || delivery.feedClockMs !== undefined) deliver(delivery, receivedAt);
  }

  function problemNow(): string | undefined {
    if (state !== 'connected') return problem;
    const same = sameStation?.countedInstead(now());
    if (same !== undefined) return `it has the same answers as ${same}: one station, which counts once. Leave one out`;
    return notice.text(now());
  }

  function noteParsed(message: string | Uint8Array, parsed: CountedParsed, at: UpstreamInstant): boolean {
    noteRefused(parsed);
    const isRead = isReadable(parsed);
    notice.note(message, parsed, isRead, at);
    return isRead;
  }

  function noteAnswered({ fixes, feedClockMs }: CountedParsed, isRead: boolean, at: UpstreamInstant): void {
    const isFirst = !isAnswerRead && !hasClock;
    isAnswerRead = isRead;
    hasClock ||= feedClockMs !== undefined && !signs.isAnswerEnough;
    const hasMoved = hasClock ? feedClockMs !== undefined && clock.moved(feedClockMs) : isRead && !isFirst;
    if (hasMoved || (isRead && signs.isAnswerEnough) || (fixes.length > 0 && !hasClock)) life.message(epochMs(at));
  }

  /** @returns whether it was readable */
  async function take(body: Uint8Array, receivedAt: UpstreamInstant, facts: AnswerFacts): Promise<boolean> {
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

  function isTooMany(at: UpstreamInstant): boolean {
    lastMessageAt = at;
    messages += 1;
    if (!isFlood(at)) return false;
    refuse('flood');
    return true;
  }

  let cancelDue = () => {};
  function deliverDue(): void {
    if (isStopped) return;
    const at = now();
    const parsed = parsedBy(() => parser.due?.(at) ?? { fixes: [], refused: [], feedClockMs: undefined });
    noteRefused(parsed);
    deliverPositions(parsed, at, at);
    cancelDue = surroundings.after(SECOND_MS, deliverDue);
  }

  const inlet: Inlet = {
    message(message, receivedAt = now()) {
      if (isStopped) return;
      const at = now();
      if (isTooMany(at)) return;
      const parsed = parsedBy(() => parser.parse(message, receivedAt));
      if (noteParsed(message, parsed, at)) life.message(epochMs(at), isBeacon(parsed));
      deliverPositions(parsed, at, receivedAt);
    },
    async answer(body, receivedAt, facts) {
      if (isStopped) return true;
      notice.polled();
      if (isTooMany(now())) return true;
      isLarge ||= body.length > LARGE_BYTES;
      return take(body, receivedAt, facts);
    },
    repeated() {
      notice.repeated();
      if (!isStopped && signs.isAnswerEnough && isAnswerRead) life.message(epochMs(now()));
    },
    keptAlive(isBeacon) {
      if (!isStopped) life.message(epochMs(now()), isBeacon);
    },
    refuse(cause) {
      if (isStopped) return;
      lastMessageAt = now();
      messages += 1;
      refuse(cause);
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
  const connection = connect(inlet, surroundings);
  if (parser.due) cancelDue = surroundings.after(SECOND_MS, deliverDue);

  return {
    health: () => ({
      state,
      since,
      problem: problemNow(),
      lastMessageAt,
      lastPositionAt,
      positionsPerMinute: minute.count(now()),
      messages,
      positions,
      refused: { ...refused },
      fields: { unknown: unknownFields.counts, unusable: unusableFields.counts },
    }),
    life() {
      const at = now();
      const { isReceiving, sinceMs } = life.at(epochMs(at));
      return { isReceiving, since: upstreamInstant(sinceMs), isDouble: sameStation?.countedInstead(at) !== undefined };
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

/** A heartbeat or a state of the sensor. */
function isBeacon({ fixes, refused }: CountedParsed): boolean {
  const [cause, ...others] = Object.keys(refused);
  return fixes.length === 0 && cause === 'not_positions' && others.length === 0;
}

/** Partly readable counts, and so does an answer without rows. */
function isReadable({ fixes, feedClockMs, refused }: CountedParsed): boolean {
  return fixes.length > 0 || feedClockMs !== undefined || refused.unreadable === undefined;
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
