import { DAY_REMAINING_HEADER, type Layer, MINUTE_REMAINING_HEADER, type Mode } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import type { Reply, sendRequest } from '#lib/server/upstream/upstream-exchange.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeQuota, type SpendResult } from '#service/accounts/quota.ts';
import { fullAccessAccount } from '#service/server/start-service.ts';
import type { Scenario, Trouble } from './scenario.ts';
import type { VirtualTime } from './virtual-time.ts';

type Sent = Awaited<ReturnType<typeof sendRequest>>;

export interface Counted {
  readonly atMs: number;
  readonly mode: Mode;
  readonly layer: Layer;
  readonly bbox: Bbox;
}

export interface UpstreamCounts {
  /** By UTC day since 1970. */
  readonly countedByDay: Map<number, number>;
  readonly refused: { minute: number; day: number };
  readonly refusedDays: Set<number>;
  injected: number;
}

const HISTORY_RECORDS = 20;
const OBSERVED_PER_S = 0.2;
const LIMIT = 1000;

/** Behind a network that delays, reorders and loses. */
export class UpstreamInProcess {
  readonly counts: UpstreamCounts = {
    countedByDay: new Map(),
    refused: { minute: 0, day: 0 },
    refusedDays: new Set(),
    injected: 0,
  };
  readonly #time: VirtualTime;
  readonly #scenario: Scenario;
  readonly #dice: Dice;
  readonly #outages: readonly Exclude<Trouble, { kind: 'kill' }>[];
  readonly #spend: () => SpendResult;
  readonly #onCounted: (request: Counted) => void;
  readonly #tracks: Readonly<Record<Layer, readonly Track[]>>;
  #requests = 0;
  #inFlight = new Set<Promise<Sent>>();

  constructor(time: VirtualTime, scenario: Scenario, onCounted: (request: Counted) => void) {
    const { seed, perMinute, perDay, startMs, places, troubles } = scenario;
    this.#time = time;
    this.#scenario = scenario;
    this.#dice = makeDice(seed ^ 0x5eed);
    this.#onCounted = onCounted;
    this.#outages = troubles.filter((trouble) => trouble.kind !== 'kill');
    const account = fullAccessAccount('in-process', { perMinute, perDay }, upstreamInstant(startMs));
    const quota = makeQuota(() => upstreamInstant(time.nowMs));
    this.#spend = () => quota.spend(account);
    const tracksOf = (layer: Layer) =>
      places.flatMap((place, index) =>
        Array.from({ length: place.tracks[layer] }, (_, each) => trackOf(layer, place, index, each)),
      );
    this.#tracks = { rid: tracksOf('rid'), adsb: tracksOf('adsb') };
    if (scenario.othersPerDay > 0) this.#otherConsumerRequests();
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** As a sender can know it: a request without an answer of the service may have been counted. */
  get knownLeftOfDay(): number {
    const day = Math.floor(this.#time.nowMs / DAY_MS);
    const used = [this.counts.countedByDay, this.#othersByDay, this.#unansweredByDay];
    return used.reduce((left, byDay) => left - (byDay.get(day) ?? 0), this.#scenario.perDay);
  }

  /** The waiting process was killed. Its requests still arrive. */
  dropAnswers(): void {
    this.#inFlight = new Set();
  }

  readonly send: typeof sendRequest = (url, _key, _dispatcher, totalMs, onAccepted) => {
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const receivers = this.#inFlight;
    receivers.add(promise);
    const { pathname, searchParams } = new URL(url);
    const [, mode, layer] = pathname.split('/') as [string, Mode, Layer];
    const timeoutMs = this.#time.nowMs + totalMs;
    const answered = (atMs: number, sent: Sent) =>
      this.#time.at(atMs, () => {
        // The sender may be gone.
        if (receivers !== this.#inFlight) return;
        receivers.delete(promise);
        if (sent.ok && sent.reply.status === 200) onAccepted();
        resolve(sent);
      });
    this.#time.in(this.#wayMs(mode), () => {
      const { nowMs } = this.#time;
      const answer = this.#answerTo(mode, layer, searchParams);
      if (answer === 'no-connection') {
        answered(nowMs, broken('service_unreachable', true));
        return;
      }
      const backMs = nowMs + this.#wayMs(mode);
      if (answer === 'no-answer' || backMs >= timeoutMs) answered(timeoutMs, broken('service_timeout', false));
      else answered(backMs, { ok: true, reply: answer });
    });
    return promise;
  };

  #answerTo(mode: Mode, layer: Layer, query: URLSearchParams): Reply | 'no-connection' | 'no-answer' {
    const dice = this.#dice;
    const nowMs = this.#time.nowMs;
    const outage = this.#outages.find(({ startMs, endMs }) => nowMs >= startMs && nowMs < endMs);
    if (outage) this.counts.injected++;
    if (outage?.kind === 'refused') return 'no-connection';
    if (outage?.kind === 'silent' && dice.chance(0.5)) return this.#notCounted('no-answer');
    if (outage?.kind === 'edge') {
      const headers: Headers = dice.chance(0.5) ? { 'retry-after': `${dice.integer(1, 90)}` } : {};
      const body = dice.chance(0.5) ? Buffer.from('<html>Too many requests</html>') : errorBody('busy', 'edge');
      return this.#notCounted(replied(429, headers, body));
    }
    const { lost, busy } = this.#scenario.faults;
    const fate = dice.between(0, 1);
    if (fate < lost / 2) return this.#notCounted('no-answer');
    const bbox = parseBbox(query.get('bbox') ?? '');
    if (!bbox.ok) throw new Error(`the box cannot be read: ${query}`);
    const spent = this.#take({ atMs: nowMs, mode, layer, bbox: bbox.bbox });
    if (outage?.kind === 'silent' || fate < lost) return 'no-answer';
    const requestId = `r-${++this.#requests}`;
    const headers: Headers = {
      'x-request-id': requestId,
      [MINUTE_REMAINING_HEADER]: `${spent.left.minute}`,
      [DAY_REMAINING_HEADER]: `${spent.left.day}`,
    };
    if (!spent.granted) {
      const retryAfter: Headers = dice.chance(0.5) ? { 'retry-after': `${spent.retryAfterS}` } : {};
      return replied(429, { ...(dice.chance(0.5) ? headers : {}), ...retryAfter }, errorBody('allowance', requestId));
    }
    if (outage?.kind === 'busy' || fate < lost + busy) return replied(503, headers, errorBody('busy', requestId));
    const page = mode === 'live' ? this.#livePage(layer, bbox.bbox, query) : this.#historyPage(layer, bbox.bbox, query);
    const envelope = {
      version: '1',
      request_id: requestId,
      generated_at: new Date(nowMs).toISOString(),
      layer,
      mode,
      ...page,
    };
    return replied(200, headers, Buffer.from(JSON.stringify(envelope)));
  }

  #livePage(layer: Layer, bbox: Bbox, query: URLSearchParams) {
    const cursor = query.get('cursor') ?? '';
    const found = this.#tracks[layer].filter(({ ref, lon, lat }) => ref > cursor && bboxContains(bbox, lon, lat));
    const page = found.slice(0, this.#scenario.pageRecords);
    const times = {
      observed_at: new Date(this.#time.nowMs - SECOND_MS).toISOString(),
      stale_after: new Date(this.#time.nowMs + 60 * SECOND_MS).toISOString(),
    };
    return {
      data: page.map((track) => ({ ...track.record, ...times })),
      next_cursor: found.length > page.length ? page.at(-1)!.ref : null,
      truncated: false,
    };
  }

  #historyPage(layer: Layer, bbox: Bbox, query: URLSearchParams) {
    const [startMs, endMs] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')];
    const inside = this.#tracks[layer].filter(({ lon, lat }) => bboxContains(bbox, lon, lat));
    const records = (inside.length * OBSERVED_PER_S * (endMs - startMs)) / SECOND_MS;
    const shown = Math.floor(Math.min(HISTORY_RECORDS, records));
    return {
      data: Array.from({ length: shown }, (_, index) => ({
        ...inside[index % inside.length]!.record,
        observed_at: new Date(startMs + ((endMs - startMs) * index) / shown).toISOString(),
      })),
      next_cursor: null,
      truncated: records > LIMIT,
    };
  }

  #take(request: Counted): SpendResult {
    const spent = this.#spend();
    const day = Math.floor(request.atMs / DAY_MS);
    const { countedByDay, refused, refusedDays } = this.counts;
    if (spent.granted) {
      countedByDay.set(day, (countedByDay.get(day) ?? 0) + 1);
      this.#onCounted(request);
    } else {
      refused[spent.left.day === 0 ? 'day' : 'minute']++;
      refusedDays.add(day);
    }
    return spent;
  }

  #notCounted<Answer>(answer: Answer): Answer {
    const day = Math.floor(this.#time.nowMs / DAY_MS);
    this.#unansweredByDay.set(day, (this.#unansweredByDay.get(day) ?? 0) + 1);
    return answer;
  }

  readonly #unansweredByDay = new Map<number, number>();
  readonly #othersByDay = new Map<number, number>();

  /** Sends a few requests in a row, then pauses. */
  #otherConsumerRequests(): void {
    const inRow = this.#dice.integer(1, 8);
    const meanMs = (DAY_MS / this.#scenario.othersPerDay) * inRow;
    this.#time.in(Math.round(-meanMs * Math.log(1 - this.#dice.between(0, 1))), () => {
      const day = Math.floor(this.#time.nowMs / DAY_MS);
      for (let each = 0; each < inRow; each++)
        if (this.#spend().granted) this.#othersByDay.set(day, (this.#othersByDay.get(day) ?? 0) + 1);
      this.#otherConsumerRequests();
    });
  }

  /** Mostly half of the latency, sometimes ten times as long, longer for the past. */
  #wayMs(mode: Mode): number {
    const factor = mode === 'live' ? 1 : 2;
    return Math.round((factor * this.#scenario.latencyMs) / 4 / (1 - 0.95 * this.#dice.between(0, 1)));
  }
}

type Headers = Readonly<Record<string, string>>;

interface Track {
  readonly ref: string;
  readonly lon: number;
  readonly lat: number;
  readonly record: object;
}

function trackOf(layer: Layer, { lon, lat }: Scenario['places'][number], place: number, each: number): Track {
  const letter = layer === 'rid' ? 'D' : 'A';
  const number = (place * 10_000 + each).toString(16).toUpperCase().padStart(16, '0');
  const ref = `VT-${letter}-${number}`;
  const at = { lon: lon + ((each % 7) - 3) / 20, lat: lat + ((each % 5) - 2) / 20 };
  const record = {
    public_track_id: ref,
    longitude: at.lon,
    latitude: at.lat,
    altitude_m: 1000,
    height_agl_m: null,
    speed_mps: 50,
    heading_deg: 90,
    confidence: 'single',
    confidence_score: null,
    receiver_count: 1,
    track_kind: layer === 'rid' ? 'drone' : 'adsb_aircraft',
    simulated: true,
    test_broadcast: false,
    emergency_state: null,
  };
  return { ref, ...at, record };
}

function replied(status: number, headers: Headers, body: Reply['body']): Reply {
  return { status, header: (name) => headers[name], body };
}

function broken(reason: 'service_timeout' | 'service_unreachable', isUnsent: boolean): Sent {
  return { ok: false, broken: { reason, detail: reason, reply: undefined, isUnsent } };
}

function errorBody(code: string, requestId: string): Reply['body'] {
  return Buffer.from(JSON.stringify({ error: { code, message: code }, request_id: requestId }));
}
