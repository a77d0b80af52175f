import { setImmediate } from 'node:timers/promises';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Delivery, FieldCounts, Parsed, Parser, RefusalCause } from '../fix.ts';
import { NameCounts } from '../parsers/field-notes.ts';
import type { AnswerFacts, Connect, ConnectionState, Feed, Inlet, Surroundings } from './feed.ts';
import { FeedNotice } from './feed-notice.ts';
import type { ParseLarge } from './large/large-answers.ts';
import { makeMinuteCount } from './minute-count.ts';

export interface FeedOptions {
  readonly id: string;
  readonly parser: Parser;
  readonly connect: Connect;
  /** What was parsed of one message: a fix, or the time of the feed’s clock, at least. */
  readonly deliver: (delivery: Delivery, receivedAt: UpstreamInstant) => void;
  /** Whether it is the same station as another feed. Default: it is not. */
  readonly sameStation?: SameStation | undefined;
  /** Parses large answers away from this thread. Default: they are parsed here. */
  readonly parseLarge?: ParseLarge | undefined;
  readonly surroundings: Surroundings;
  /** Messages beyond this are dropped until the next second. */
  readonly messagesPerSecondMax?: number;
}

/** Of a polled feed: which other one has the same answers, and counts in its place. */
export interface SameStation {
  /** To be called with each answer that has positions. */
  note(answer: Uint8Array, server: string, at: UpstreamInstant): void;
  /** The id of that feed; undefined if there is none. */
  countedInstead(at: UpstreamInstant): string | undefined;
}

/**
 * The worst JSON of this length takes some 30 ms to parse. An answer of a hundred aircraft has as much; from the first
 * longer one on, all answers of a feed are parsed elsewhere, since a parser remembers the last answer.
 */
const LARGE_BYTES = 64 * 1024;
/** How many fixes are delivered before other work gets its turn, in a few ms. */
const SLICE_FIXES = 500;
/** Ten times what a busy receiver sends as lines (3,000 aircraft would send twice a second each). */
const MESSAGES_PER_SECOND_MAX = 10_000;

const NOTHING: Parsed = { fixes: [], refused: [], feedClockMs: undefined };

/** Starts a feed: connects it, parses what comes, delivers positions and counts everything else. */
export function runFeed({
  id,
  parser,
  connect,
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
  let lastHeardAt: UpstreamInstant | undefined;
  let lastPositionAt: UpstreamInstant | undefined;
  let messages = 0;
  let positions = 0;
  let second = Number.NaN;
  let inSecond = 0;
  let isStopped = false;
  let isLarge = false;
  const notice = new FeedNotice();

  function enter(next: ConnectionState, why: string | undefined): void {
    if (state !== next) since = now();
    state = next;
    problem = why;
  }

  function refuse(cause: RefusalCause, count = 1): void {
    refused[cause] = (refused[cause] ?? 0) + count;
  }

  function noteFields(fields: FieldCounts | undefined): void {
    for (const [name, count] of fields?.unknown ?? []) unknownFields.add(name, count);
    for (const [name, count] of fields?.unusable ?? []) unusableFields.add(name, count);
  }

  function noteRefused(parsed: Parsed): void {
    for (const cause of parsed.refused) refuse(cause);
    noteFields(parsed.fields);
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

  function parsedBy(parse: () => Parsed): Parsed {
    try {
      return parse();
    } catch {
      // A parser promises not to throw. If one does, its feed alone is to suffer.
      return { fixes: [], refused: ['unreadable'], feedClockMs: undefined };
    }
  }

  function deliverPositions(delivery: Delivery, at: UpstreamInstant, receivedAt: UpstreamInstant): void {
    if (delivery.fixes.length > 0) {
      lastPositionAt = at;
      positions += delivery.fixes.length;
      minute.add(at, delivery.fixes.length);
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

  /** @returns whether it could be read */
  function noteParsed(message: string | Uint8Array, parsed: Parsed, at: UpstreamInstant): boolean {
    noteRefused(parsed);
    const isRead = isReadable(parsed, parsed.refused.includes('unreadable'));
    notice.note(message, parsed, isRead, at);
    return isRead;
  }

  function take(body: Uint8Array, at: UpstreamInstant, receivedAt: UpstreamInstant, facts: AnswerFacts): boolean {
    const parsed = parsedBy(() => parser.parse(body, receivedAt));
    const isRead = noteParsed(body, parsed, at);
    if (parsed.fixes.length > 0) sameStation?.note(body, facts.server, at);
    deliverPositions({ ...parsed, ...facts }, at, receivedAt);
    return isRead;
  }

  async function takeLarge(parse: ParseLarge, body: Uint8Array, receivedAt: UpstreamInstant, facts: AnswerFacts) {
    const { fixes, feedClockMs, fields, refused: counts } = await parse(body, receivedAt);
    const at = now();
    for (const [cause, count] of Object.entries(counts)) refuse(cause as RefusalCause, count);
    noteFields(fields);
    const isRead = isReadable({ fixes, feedClockMs }, counts.unreadable !== undefined);
    notice.note(body, { fixes, feedClockMs }, isRead, at);
    if (fixes.length > 0) sameStation?.note(body, facts.server, at);
    for (let from = 0; from === 0 || from < fixes.length; from += SLICE_FIXES) {
      if (from > 0) await setImmediate();
      if (isStopped) break;
      deliverPositions({ fixes: fixes.slice(from, from + SLICE_FIXES), feedClockMs, ...facts }, at, receivedAt);
    }
    return isRead;
  }

  /** Counts a message. @returns whether it is one too many */
  function isTooMany(at: UpstreamInstant): boolean {
    lastHeardAt = at;
    messages += 1;
    if (!isFlood(at)) return false;
    refuse('flood');
    return true;
  }

  let cancelDue = () => {};
  function deliverDue(): void {
    if (isStopped) return;
    const at = now();
    const parsed = parsedBy(() => parser.due?.(at) ?? NOTHING);
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
      noteParsed(message, parsed, at);
      deliverPositions(parsed, at, receivedAt);
    },
    async answer(body, receivedAt, facts) {
      if (isStopped) return true;
      const at = now();
      notice.polled();
      if (isTooMany(at)) return true;
      isLarge ||= body.length > LARGE_BYTES;
      return isLarge && parseLarge ? takeLarge(parseLarge, body, receivedAt, facts) : take(body, at, receivedAt, facts);
    },
    repeated() {
      notice.repeated();
    },
    refuse(cause) {
      if (isStopped) return;
      lastHeardAt = now();
      messages += 1;
      refuse(cause);
    },
    connected() {
      if (!isStopped) enter('connected', undefined);
    },
    lost(why) {
      if (!isStopped) enter(state === 'connecting' ? 'connecting' : 'lost', why);
    },
  };
  const connection = connect(inlet, surroundings);
  if (parser.due) cancelDue = surroundings.after(SECOND_MS, deliverDue);

  return {
    id,
    health: () => ({
      id,
      state,
      since,
      problem: problemNow(),
      lastHeardAt,
      lastPositionAt,
      positionsPerMinute: minute.count(now()),
      messages,
      positions,
      refused: { ...refused },
      fields: { unknown: unknownFields.counts, unusable: unusableFields.counts },
    }),
    stop() {
      isStopped = true;
      cancelDue();
      return connection.close();
    },
  };
}

/** Anything of it: an answer without a row is read too. */
function isReadable({ fixes, feedClockMs }: Pick<Parsed, 'fixes' | 'feedClockMs'>, isPartUnreadable: boolean): boolean {
  return fixes.length > 0 || feedClockMs !== undefined || !isPartUnreadable;
}
