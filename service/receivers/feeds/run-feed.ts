import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed, Parser, RefusalCause } from '../fix.ts';
import { NameCounts } from '../parsers/field-notes.ts';
import type { Connect, ConnectionState, Feed, Inlet, Surroundings } from './feed.ts';
import { makeMinuteCount } from './minute-count.ts';

export interface FeedOptions {
  readonly id: string;
  readonly parser: Parser;
  readonly connect: Connect;
  /** What was parsed of one message: a fix, or the time of the feed’s clock, at least. */
  readonly deliver: (parsed: Parsed, receivedAt: UpstreamInstant) => void;
  readonly surroundings: Surroundings;
  /** Messages beyond this are dropped until the next second. */
  readonly messagesPerSecondMax?: number;
}

/** Ten times what a busy receiver sends as lines (3,000 aircraft would send twice a second each). */
const MESSAGES_PER_SECOND_MAX = 10_000;

const NOTHING: Parsed = { fixes: [], refused: [], feedClockMs: undefined };

/** Starts a feed: connects it, parses what comes, delivers positions and counts everything else. */
export function runFeed({ id, parser, connect, deliver, surroundings, ...limits }: FeedOptions): Feed {
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

  function enter(next: ConnectionState, why: string | undefined): void {
    if (state !== next) since = now();
    state = next;
    problem = why;
  }

  function refuse(cause: RefusalCause): void {
    refused[cause] = (refused[cause] ?? 0) + 1;
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

  function deliverPositions(parsed: Parsed, at: UpstreamInstant, receivedAt: UpstreamInstant): void {
    for (const cause of parsed.refused) refuse(cause);
    for (const [name, count] of parsed.fields?.unknown ?? []) unknownFields.add(name, count);
    for (const [name, count] of parsed.fields?.unusable ?? []) unusableFields.add(name, count);
    if (parsed.fixes.length > 0) {
      lastPositionAt = at;
      positions += parsed.fixes.length;
      minute.add(at, parsed.fixes.length);
    }
    if (parsed.fixes.length > 0 || parsed.feedClockMs !== undefined) deliver(parsed, receivedAt);
  }

  let cancelDue = () => {};
  function deliverDue(): void {
    if (isStopped) return;
    const at = now();
    deliverPositions(
      parsedBy(() => parser.due?.(at) ?? NOTHING),
      at,
      at,
    );
    cancelDue = surroundings.after(SECOND_MS, deliverDue);
  }

  const inlet: Inlet = {
    message(message, receivedAt = now()) {
      if (isStopped) return;
      const at = now();
      lastHeardAt = at;
      messages += 1;
      if (isFlood(at)) return refuse('flood');
      deliverPositions(
        parsedBy(() => parser.parse(message, receivedAt)),
        at,
        receivedAt,
      );
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
      problem,
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
