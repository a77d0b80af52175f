import { type CompactHead, POLL_WAIT_MAX_MS } from '#lib/api/compact-answer.ts';
import { ApiError } from '#lib/api/error-code.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import type { ViewerPage } from '#lib/server/live/plan/demand.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { Operator, Place, Scenario } from './scenario.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { WriterProcess } from './writer-process.ts';

export interface Page {
  readonly operator: string;
  readonly viewer: ViewerPage;
  place: Place;
  box: Bbox;
  layers: readonly Layer[];
  sinceMs: number;
  cached: ReadonlyMap<string, number>;
}

export interface WatchingOptions {
  readonly time: VirtualTime;
  readonly scenario: Scenario;
  readonly writer: () => WriterProcess | undefined;
  readonly onAnswer: (page: Page, head: CompactHead) => void;
}

/** Pages poll when the last answer says, move, and load the past. */
export class Watching {
  readonly #options: WatchingOptions;
  readonly #dice: Dice;
  readonly #pages = new Set<Page>();
  #opened = 0;
  polls = 0;
  loads = 0;
  /** Defects: a poll or a load must not throw. */
  readonly failures: unknown[] = [];

  constructor(options: WatchingOptions) {
    this.#options = options;
    this.#dice = makeDice(options.scenario.seed ^ 0x0be5);
    const { time, scenario } = options;
    for (const operator of scenario.operators) {
      for (const { startMs, endMs } of operator.sessions) time.at(startMs, () => this.#begin(operator, endMs));
      for (const atMs of operator.loads) time.at(atMs, () => this.#load(operator));
    }
  }

  get pages(): Iterable<Page> {
    return this.#pages;
  }

  pollAll(): void {
    for (const page of this.#pages) this.#poll(page);
  }

  #begin(operator: Operator, endMs: number): void {
    const { time } = this.#options;
    const own: Page[] = [];
    const open = () => {
      const page = this.#open(operator);
      own.push(page);
      return page;
    };
    const { habit } = operator;
    switch (habit.kind) {
      case 'wall':
        open();
        break;
      case 'modest':
        for (let page = 0; page < habit.pages; page++) {
          const opened = open();
          const move = () => {
            if (!this.#pages.has(opened)) return;
            this.#goSomewhere(opened);
            this.#poll(opened);
            time.in(habit.movesEveryMs * this.#dice.between(0.5, 1.5), move);
          };
          time.in(habit.movesEveryMs * this.#dice.between(0.5, 1.5), move);
        }
        break;
      case 'greedy': {
        const openAnother = () => {
          if (time.nowMs >= endMs) return;
          open();
          if (own.length > habit.kept) this.#pages.delete(own.shift()!);
          time.in(habit.opensEveryMs, openAnother);
        };
        openAnother();
        break;
      }
    }
    time.at(endMs, () => {
      for (const page of own) this.#pages.delete(page);
    });
  }

  #open({ name }: Operator): Page {
    const viewer = { operator: name, session: name, page: `${++this.#opened}` };
    const page = { operator: name, viewer } as Page;
    this.#goSomewhere(page);
    this.#pages.add(page);
    this.#poll(page);
    return page;
  }

  #goSomewhere(page: Page): void {
    const { scenario, time } = this.#options;
    const dice = this.#dice;
    page.place = dice.pick(scenario.places);
    page.box = around(page.place, dice.between(0.3, 2));
    page.layers = dice.chance(0.7) ? LAYERS : [dice.pick(LAYERS)];
    page.sinceMs = time.nowMs;
    page.cached = new Map();
  }

  /** After a move two polls run, as in a browser: the first answer is dropped. */
  #poll(page: Page): void {
    const { time, writer, onAnswer } = this.#options;
    const asked = writer();
    if (!asked) return;
    const { box } = page;
    this.polls++;
    asked.live.reader.readCompact(page.viewer, box, page.layers, page.cached, { waitMs: POLL_WAIT_MAX_MS }).then(
      (bytes) => {
        if (page.box !== box || !this.#pages.has(page)) return;
        const head = splitHead(bytes).head as CompactHead;
        const parts = Object.values(head.layers).flatMap((layer) => layer.parts);
        page.cached = new Map(parts.map(({ area, sequence }) => [area, sequence]));
        onAnswer(page, head);
        time.in(head.next_poll_ms, () => {
          if (page.box === box && writer() === asked && this.#pages.has(page)) this.#poll(page);
        });
      },
      (error: unknown) => void this.failures.push(error),
    );
  }

  /** Asks for the price, and accepts it. A third of the loads are left early. */
  #load({ name }: Operator): void {
    const { time, scenario, writer } = this.#options;
    const asked = writer();
    if (!asked) return;
    const dice = this.#dice;
    // Operators return to the same hours.
    const hoursAgo = dice.integer(1, dice.chance(0.5) ? 4 : 500);
    const startMs = Math.floor((time.nowMs - hoursAgo * HOUR_MS) / HOUR_MS) * HOUR_MS;
    const window = { start: upstreamInstant(startMs), end: upstreamInstant(startMs + HOUR_MS) };
    const bbox = around(dice.pick(scenario.places), dice.pick([0.5, 1, 2]));
    const query: HistoryQuery = { bbox, layers: [...LAYERS], window, maxRequests: undefined };
    const leaving = new AbortController();
    if (dice.chance(0.3)) time.in(dice.between(1000, DAY_MS / 1000), () => leaving.abort());
    const load = async () => {
      const { middle } = await asked.history.cost(query, name);
      const accepted: HistoryQuery = { ...query, maxRequests: middle.max_requests };
      this.loads++;
      for await (const _ of asked.history.load(accepted, name, leaving.signal));
    };
    load().catch((error: unknown) => {
      if (!leaving.signal.aborted && !(error instanceof ApiError)) this.failures.push(error);
    });
  }
}

function around({ lon, lat }: Place, halfDeg: number): Bbox {
  return { west: lon - halfDeg, south: lat - halfDeg, east: lon + halfDeg, north: lat + halfDeg };
}
