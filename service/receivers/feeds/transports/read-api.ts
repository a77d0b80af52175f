import { readFile } from 'node:fs/promises';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { DAY_REMAINING_HEADER, type Layer, MINUTE_REMAINING_HEADER, operationPath } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, epochMs, formatInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed, TrackKey } from '../../fix.ts';
import type { ReadApiPage, ReportedReception } from '../../parsers/read-api-page.ts';
import { DOWN_AFTER_MS } from '../../reception/feed-life.ts';
import type { Connection, Inlet, ReadApiSettings, Surroundings } from '../feed.ts';
import type { FeedPart, FeedRequests, OpenFeed } from '../feed-kind.ts';
import type { RequestCounts } from '../request-counts.ts';
import { type Backoff, makeBackoff, REFUSED_MS } from './backoff.ts';
import { feedProblem } from './feed-problem.ts';
import { exchange, type HttpAnswer, TooLongError } from './http-exchange.ts';

export interface ReadApiOptions {
  readonly feed: string;
  /** With the version, without a slash at its end. */
  readonly baseUrl: string;
  readonly account: ReadApiSettings;
  readonly requests: RequestCounts;
  /** @returns undefined if the body is no page of the layer */
  readonly readPage: (body: Uint8Array, layer: Layer) => ReadApiPage | undefined;
  /** Takes the page that the next message delivers. */
  readonly hold: (page: Parsed) => void;
  /** The service that reads. Its own answers are refused. */
  readonly ownId: string | undefined;
}

const TIMEOUT_MS = 10 * SECOND_MS;
/** It holds a thousand records of 4 KB. */
const PAGE_MAX_BYTES = 4 * 1024 * 1024;
/** Fifty pages hold three times the aircraft that fly on Earth. */
const PAGES_MAX = 50;
const FAILED_MAX_MS = 30 * SECOND_MS;
/** The contract: repeating a refused request obtains no approval. An operator's change is noticed after so long. */
const DENIED_MS = 15 * MINUTE_MS;
/** With several areas, a track may be in another one, whose turn comes. */
const ABSENT_MAX = 2;
/** Positions live for a minute: an area that is read more rarely is not covered in between. */
const UNREAD_MAX_MS = MINUTE_MS + TIMEOUT_MS;
/** A slower pace than was set is worth telling. */
const SLOWER = 1.5;

type Scope = 'account' | 'layer' | 'target';

interface Failure {
  readonly problem: string;
  readonly scope: Scope;
  readonly waitMs: number;
  readonly isCursor?: boolean;
}

interface Target {
  readonly layer: Layer;
  readonly area: Bbox;
  readonly backoff: Backoff;
  dueMs: number;
  pages: number;
  problem: string | undefined;
  okMs: number | undefined;
  /** Since when it fails; at first, since the start. */
  failingMs: number | undefined;
  backMs: number;
  lostMs: number | undefined;
  reported: (ReportedReception & { readonly atMs: number }) | undefined;
  /** How often each track was absent in a row. */
  absent: Map<TrackKey, number>;
}

/**
 * Reads each layer and area of another service in turn, by the contract: all pages, and the waits that it asks for. The
 * requests that it and the settings allow last the day.
 */
export function readApi(options: ReadApiOptions): Omit<Required<OpenFeed>, 'parser' | 'messagesPerSecondMax'> {
  let reading: Reading | undefined;
  return {
    connect(inlet, surroundings) {
      reading = new Reading(options, inlet, surroundings);
      return reading;
    },
    parts: () => reading?.parts() ?? [],
    trouble: () => reading?.trouble(),
    requests: () => reading?.requests() ?? { usedToday: 0, accountLeft: undefined },
  };
}

class Reading implements Connection {
  readonly #options: ReadApiOptions;
  readonly #inlet: Inlet;
  readonly #surroundings: Surroundings;
  readonly #closing = new AbortController();
  readonly #backoff: Backoff;
  readonly #targets: readonly Target[];
  #cancel = () => {};
  #wake = () => {};
  #minuteFreeMs = 0;
  #account: { readonly left: number; readonly day: number } | undefined;
  readonly #done: Promise<void>;

  constructor(options: ReadApiOptions, inlet: Inlet, surroundings: Surroundings) {
    this.#options = options;
    this.#inlet = inlet;
    this.#surroundings = surroundings;
    this.#backoff = makeBackoff(surroundings.random);
    const startMs = this.#nowMs();
    this.#targets = options.account.layers.flatMap((layer) =>
      options.account.areas.map((area) => ({
        layer,
        area,
        backoff: makeBackoff(surroundings.random),
        dueMs: startMs,
        pages: 1,
        problem: undefined,
        okMs: undefined,
        failingMs: startMs,
        backMs: startMs,
        lostMs: undefined,
        reported: undefined,
        absent: new Map(),
      })),
    );
    this.#done = this.#run();
  }

  parts(): readonly FeedPart[] {
    return this.#targets.map((target) => this.#partOf(target));
  }

  trouble(): string | undefined {
    const failing = this.#targets.find(({ problem }) => problem !== undefined)?.problem;
    if (failing !== undefined) return failing;
    const deaf = this.#targets.find(({ reported }) => reported?.state === 'lost');
    if (deaf) return `it reports that its receivers of ${NAMES[deaf.layer]} are lost`;
    const { seconds } = this.#options.account;
    const pace = this.#paceMs() / SECOND_MS;
    if (pace < seconds * SLOWER) return undefined;
    return `it is read every ${Math.round(pace)} s in place of ${seconds}: what is left of its requests has to last the day`;
  }

  requests(): FeedRequests {
    const { feed, requests } = this.#options;
    return { usedToday: requests.used(feed, this.#wallNow()), accountLeft: this.#accountLeft() };
  }

  #accountLeft(): number | undefined {
    return this.#account?.day === this.#dayOf() ? this.#account.left : undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancel();
    this.#wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const target = this.#targets.reduce((first, each) => (each.dueMs < first.dueMs ? each : first));
      const waitMs = target.dueMs - this.#nowMs();
      if (waitMs > 0) await this.#pause(waitMs);
      else await this.#read(target);
    }
  }

  async #read(target: Target): Promise<void> {
    const startedMs = this.#nowMs();
    const failure = await this.#refresh(target);
    if (this.#isClosed) return;
    if (failure) this.#fail(target, failure);
    else this.#succeed(target, startedMs);
    const failing = this.#targets.filter(({ problem }) => problem !== undefined);
    if (failing.length < this.#targets.length) this.#inlet.connected();
    else this.#inlet.lost(failing[0]!.problem!);
  }

  #succeed(target: Target, startedMs: number): void {
    const nowMs = this.#nowMs();
    this.#backoff.reset();
    target.backoff.reset();
    if (!this.#isUp(target)) {
      target.lostMs = target.okMs ?? target.backMs;
      target.backMs = nowMs;
    }
    target.okMs = nowMs;
    target.failingMs = undefined;
    target.problem = undefined;
    target.dueMs = startedMs + this.#paceMs();
  }

  #fail(target: Target, { problem, scope, waitMs }: Failure): void {
    const nowMs = this.#nowMs();
    for (const each of this.#targets) {
      if (scope === 'target' ? each !== target : scope === 'layer' && each.layer !== target.layer) continue;
      each.problem = problem;
      each.failingMs ??= nowMs;
      each.dueMs = Math.max(each.dueMs, nowMs + waitMs);
    }
  }

  /** Reads all pages of a target. */
  async #refresh(target: Target): Promise<Failure | undefined> {
    const keys = new Set<TrackKey>();
    const cursors = new Set<string>();
    let cursor: string | undefined;
    let isRestarted = false;
    for (let pages = 1; pages <= PAGES_MAX; pages += 1) {
      const answer = await this.#request(target, cursor);
      if (this.#isClosed) return undefined;
      if ('problem' in answer) {
        // A cursor lives for minutes: after a long wait, the refresh begins again.
        if (!answer.isCursor || isRestarted) return answer;
        isRestarted = true;
        cursor = undefined;
        keys.clear();
        continue;
      }
      const { page, body, receivedAt } = answer;
      for (const { trackKey } of page.parsed.fixes) keys.add(trackKey);
      const { nextCursor } = page;
      this.#options.hold({ ...page.parsed, gone: nextCursor === null ? this.#goneFrom(target, keys) : [] });
      this.#inlet.message(body, receivedAt);
      if (nextCursor === null) {
        target.pages = pages;
        target.reported = page.reception && { ...page.reception, atMs: this.#nowMs() };
        return undefined;
      }
      if (cursors.has(nextCursor)) break;
      cursors.add(nextCursor);
      cursor = nextCursor;
    }
    return this.#targetFailure(target, 'its pages do not end');
  }

  /** The tracks that the last answers for all areas of the layer lack. */
  #goneFrom(target: Target, keys: ReadonlySet<TrackKey>) {
    const { layer } = target;
    const absent = new Map<TrackKey, number>([...keys].map((key) => [key, 0]));
    for (const [key, count] of target.absent) if (!absent.has(key)) absent.set(key, count + 1);
    const hasOthers = this.#targets.some((each) => each !== target && each.layer === layer);
    const max = hasOthers ? ABSENT_MAX : 1;
    const gone = [...absent].filter(([, count]) => count >= max).map(([trackKey]) => trackKey);
    for (const key of gone) absent.delete(key);
    target.absent = absent;
    const isElsewhere = (key: TrackKey) =>
      this.#targets.some((each) => each !== target && each.layer === layer && each.absent.get(key) === 0);
    return gone.filter((key) => !isElsewhere(key)).map((trackKey) => ({ layer, trackKey }));
  }

  async #request(
    target: Target,
    cursor: string | undefined,
  ): Promise<
    Failure | { readonly page: ReadApiPage; readonly body: Uint8Array; readonly receivedAt: UpstreamInstant }
  > {
    const { feed, baseUrl, account, requests, readPage, ownId } = this.#options;
    const { layer, area } = target;
    const minuteMs = this.#minuteFreeMs - this.#nowMs();
    if (minuteMs > 0) await this.#pause(minuteMs);
    const usedUp = this.#usedUp();
    if (usedUp) return usedUp;
    let authorization: string;
    try {
      authorization = `Bearer ${await keyFrom(account.keyFile)}`;
    } catch (error) {
      return this.#accountFailure(`its key_file cannot be read: ${feedProblem(error)}`, REFUSED_MS);
    }
    const url = new URL(baseUrl + operationPath('live', layer));
    url.searchParams.set('bbox', `${area.west},${area.south},${area.east},${area.north}`);
    url.searchParams.set('limit', String(LIMIT_MAX));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    await requests.spend(feed, this.#wallNow());
    const sentAt = this.#surroundings.now();
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let answer: HttpAnswer;
    try {
      const signal = AbortSignal.any([this.#closing.signal, timeout]);
      answer = await exchange(url, { accept: 'application/json', authorization }, PAGE_MAX_BYTES, signal);
    } catch (error) {
      if (error instanceof TooLongError) return this.#targetFailure(target, 'its page is longer than 4 MiB');
      const problem = timeout.aborted ? `no answer within ${TIMEOUT_MS / SECOND_MS} s` : feedProblem(error);
      return this.#accountFailure(problem, FAILED_MAX_MS);
    }
    this.#noteAllowance(answer);
    if (answer.status !== 200) return this.#refused(target, answer, cursor !== undefined);
    // Halfway between sending and receiving: it assumes equal delays.
    const receivedAt = addMs(sentAt, Math.round(Math.max(0, msBetween(sentAt, this.#surroundings.now())) / 2));
    const page = readPage(answer.body, layer);
    if (page === undefined) {
      this.#inlet.refuse('unreadable');
      return this.#targetFailure(target, 'its answer is no page of the Read API');
    }
    this.#noteMinute(answer, page.parsed.feedClockMs);
    if (ownId !== undefined && page.servedBy === ownId) {
      return { scope: 'account', problem: 'it is this service itself: leave it out', waitMs: DENIED_MS };
    }
    return { page, body: answer.body, receivedAt };
  }

  #refused(target: Target, { status, headers }: HttpAnswer, hasCursor: boolean): Failure {
    const { 'retry-after': retryAfter, date } = headers;
    const askedMs = retryAfterMs({ retryAfter, date }, epochMs(this.#wallNow()));
    if (status === 401) return this.#accountFailure('its key is not accepted (status 401)', REFUSED_MS);
    if (status === 403) {
      const problem = `its account may not read ${NAMES[target.layer]} (status 403)`;
      return { scope: 'layer', problem, waitMs: askedMs ?? DENIED_MS };
    }
    if (status === 429 || status === 503) {
      const waitMs = askedMs ?? this.#backoff.nextMs(REFUSED_MS);
      const what = status === 429 ? 'its account has no requests left' : 'it is busy';
      return { scope: 'account', problem: `${what}${this.#until(waitMs)} (status ${status})`, waitMs };
    }
    const isElsewhere = status >= 300 && status < 400;
    const problem = isElsewhere ? 'it redirects: write the address that it leads to' : STATUS_PROBLEMS[status];
    const failure = this.#targetFailure(target, `${problem ?? 'it answers with an error'} (status ${status})`);
    return status === 400 && hasCursor ? { ...failure, isCursor: true } : failure;
  }

  #until(waitMs: number): string {
    if (waitMs < MINUTE_MS) return '';
    return ` until ${formatInstant(addMs(this.#wallNow(), waitMs)).slice(11, 16)}Z`;
  }

  #accountFailure(problem: string, longestMs: number): Failure {
    return { scope: 'account', problem, waitMs: this.#backoff.nextMs(longestMs) };
  }

  #targetFailure({ backoff }: Target, problem: string): Failure {
    return { scope: 'target', problem, waitMs: backoff.nextMs(FAILED_MAX_MS) };
  }

  /** Counts of the day end at midnight UTC, and so does the wait. */
  #usedUp(): Failure | undefined {
    if (this.#left() > 0) return undefined;
    const whose =
      this.#ownLeft() > 0
        ? 'its account has no requests left today'
        : `its ${this.#options.account.requestsPerDay} requests of today are used`;
    return { scope: 'account', problem: `${whose}: it goes on at 00:00Z`, waitMs: this.#toMidnightMs() };
  }

  #left(): number {
    return Math.min(this.#ownLeft(), this.#accountLeft() ?? Number.POSITIVE_INFINITY);
  }

  #ownLeft(): number {
    return Math.max(0, this.#options.account.requestsPerDay - this.requests().usedToday);
  }

  #noteAllowance({ headers }: HttpAnswer): void {
    const dayLeft = wholeNumber(headers[DAY_REMAINING_HEADER]);
    if (dayLeft !== undefined) this.#account = { left: dayLeft, day: this.#dayOf() };
  }

  /** Minute counters reset at the next minute of the other clock. */
  #noteMinute({ headers }: HttpAnswer, clockMs = 0): void {
    if (wholeNumber(headers[MINUTE_REMAINING_HEADER]) === 0)
      this.#minuteFreeMs = this.#nowMs() + MINUTE_MS - (clockMs % MINUTE_MS);
  }

  /** The requests that are left last until midnight. Without any, the next read says so. */
  #paceMs(): number {
    const everyMs = this.#options.account.seconds * SECOND_MS;
    const round = this.#targets.reduce((sum, { pages }) => sum + pages, 0);
    return this.#left() === 0 ? everyMs : Math.max(everyMs, (round * this.#toMidnightMs()) / this.#left());
  }

  #partOf(target: Target): FeedPart {
    const { layer, area, reported, okMs, backMs, lostMs } = target;
    const at = (ms: number | undefined) => (ms === undefined ? undefined : upstreamInstant(ms));
    if (!this.#isUp(target)) {
      // A layer without receivers has none to lose.
      const receivers = reported?.state === 'none' ? 0 : Math.max(1, reported?.receivers ?? 1);
      return { layer, area, receivers, receiving: 0, since: upstreamInstant(okMs ?? backMs), lostAt: undefined };
    }
    if (!reported)
      return { layer, area, receivers: 1, receiving: 1, since: upstreamInstant(backMs), lostAt: at(lostMs) };
    const since = upstreamInstant(
      reported.sinceMs === undefined ? backMs : reported.atMs - Math.max(0, reported.sinceMs),
    );
    const isDeaf = reported.state === 'partly' && reported.deaf > 0;
    return { layer, area, ...countsOf(reported), since, lostAt: undefined, deafSince: isDeaf ? since : undefined };
  }

  #isUp({ okMs, failingMs }: Target): boolean {
    if (failingMs !== undefined) return this.#nowMs() - failingMs <= DOWN_AFTER_MS;
    return okMs !== undefined && this.#nowMs() - okMs <= UNREAD_MAX_MS;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #nowMs(): number {
    return epochMs(this.#surroundings.now());
  }

  #wallNow(): UpstreamInstant {
    return this.#surroundings.calendar.wallOf(this.#surroundings.now());
  }

  #dayOf(): number {
    return Math.floor(epochMs(this.#wallNow()) / DAY_MS);
  }

  #toMidnightMs(): number {
    return msBetween(this.#wallNow(), nextUtcMidnight(this.#wallNow()));
  }

  #pause(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#cancel = this.#surroundings.after(ms, resolve);
    });
  }
}

/** @throws Error if it cannot be read, or is no key */
async function keyFrom(file: string): Promise<string> {
  const key = (await readFile(file, 'utf8')).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('it is not a key alone');
  return key;
}

const NAMES: Readonly<Record<Layer, string>> = { rid: 'drones', adsb: 'aircraft' };

const STATUS_PROBLEMS: Readonly<Record<number, string>> = {
  400: 'it refuses the request',
  404: 'there is no Read API at that address',
  405: 'there is no Read API at that address',
};

/** Its state decides where its counts contradict it. */
function countsOf({ state, receivers, receiving, deaf }: ReportedReception): Pick<FeedPart, 'receivers' | 'receiving'> {
  if (state === 'none') return { receivers: 0, receiving: 0 };
  if (state === 'ok') return { receivers: Math.max(1, receivers), receiving: Math.max(1, receivers) };
  if (state === 'lost') return { receivers: Math.max(1, receivers), receiving: 0 };
  if (deaf > 0 && receiving >= receivers)
    return { receivers: Math.max(1, receivers), receiving: Math.max(1, receivers) };
  const all = Math.max(2, receivers);
  return { receivers: all, receiving: Math.min(Math.max(1, receiving), all - 1) };
}

function wholeNumber(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
