import 'server-only';
import { Coalesced, Paced } from '#lib/async/coalesced.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { WatchedZone } from '#lib/zones/evaluation/transition.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import type { ZoneBox } from '../live/plan/demand-of-all.ts';
import { MACHINE } from '../machine.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { Permits, StandingPermit } from './permits.ts';
import { zoneBoxes } from './zone-boxes.ts';
import type { ZoneHead } from './zone-rows.ts';
import type { Zones } from './zones.ts';

/** Repairs a lost notice or a failed read. */
const READ_EVERY_MS = 15 * SECOND_MS;
/** The rest between reads while many zones change. After each, zones are compiled and areas planned. */
const REST_MS = SECOND_MS / 2;

export interface CurrentZone extends WatchedZone {
  readonly name: string;
  readonly historyRequestsADay: number;
  readonly activeHours: ZoneHours;
}

/** A zone is read a little longer than its hours, so that entries and their end are seen. */
export const AROUND_HOURS_MS = { before: MINUTE_MS, after: MINUTE_MS } as const;

export function isReadAt({ activeHours }: CurrentZone, at: UpstreamInstant): boolean {
  const atMs = epochMs(at);
  const { before, after } = AROUND_HOURS_MS;
  return [atMs, atMs + before, atMs - after].some((ms) => activeHours.isActive(ms));
}

type StandingPermits = Pick<Permits, 'standing' | 'onChange'>;

/** The zones with their permits as they are stored now, in memory: read after each change at any server, and from time to time. */
export class CurrentZones {
  readonly #zones: Zones;
  readonly #part: Part;
  readonly #listeners = new Set<() => void>();
  readonly #permits: StandingPermits | undefined;
  readonly #endListening: (() => void)[];
  readonly #timer: NodeJS.Timeout;
  readonly #reads = new Coalesced(async () =>
    this.#take(await this.#zones.all(), (await this.#permits?.standing()) ?? []),
  );
  /** A change is read at once, and further ones after a rest. */
  readonly #following = new Paced(REST_MS, () => this.read(), MACHINE);
  #all: readonly CurrentZone[] = [];
  #edition = '';
  /** The permits of each zone that has some, by their revisions. */
  #permitsOf: ReadonlyMap<string, string> = new Map();

  /** @param permits default: none */
  constructor(zones: Zones, part: Part, permits?: StandingPermits) {
    this.#zones = zones;
    this.#part = part;
    this.#permits = permits;
    const follow = () => this.#following.soon();
    this.#endListening = [zones.onChange(follow), ...(permits ? [permits.onChange(follow)] : [])];
    // It never rejects: the part reports a failure.
    this.#timer = setInterval(() => void this.read(), READ_EVERY_MS).unref();
  }

  get all(): readonly CurrentZone[] {
    return this.#all;
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  /** Keeps the zones where the database fails. */
  async read(): Promise<void> {
    await this.#part.run(() => this.fetch());
  }

  /** @throws DatabaseFailure */
  fetch(): Promise<void> {
    return this.#reads.run();
  }

  async close(): Promise<void> {
    for (const end of this.#endListening) end();
    clearInterval(this.#timer);
    await this.#following.stop();
    await this.#reads.idle();
  }

  #take(rows: readonly (readonly [ZoneHead, ZoneContent])[], standing: readonly StandingPermit[]): void {
    const permits = Map.groupBy(standing, ({ zone }) => zone);
    const permitsOf = new Map(
      Array.from(permits, ([zone, its]) => [zone, its.map(({ id, revision }) => `${id} ${revision}`).join()]),
    );
    const edition = JSON.stringify([
      rows.map(([{ zone_id, revision }]) => [zone_id, revision]).sort(),
      [...permitsOf.values()].sort(),
    ]);
    if (edition === this.#edition) return;
    this.#edition = edition;
    const before = new Map(this.#all.map((zone) => [zone.id, zone]));
    const permitsBefore = this.#permitsOf;
    this.#permitsOf = permitsOf;
    this.#all = rows.map(([head, content]) => {
      const { zone_id, revision } = head;
      const known = before.get(zone_id);
      const isSame = known?.revision === revision && permitsBefore.get(zone_id) === permitsOf.get(zone_id);
      return known && isSame ? known : currentZone(head, content, permits.get(zone_id) ?? []);
    });
    for (const listener of this.#listeners) listener();
  }
}

function currentZone(
  { zone_id, revision, owner, name }: ZoneHead,
  content: ZoneContent,
  permits: readonly StandingPermit[],
): CurrentZone {
  const { shape, vertical, hours, rules, history_requests_a_day } = content;
  return {
    id: zone_id,
    revision,
    operator: owner,
    name,
    shape,
    vertical,
    hours,
    permits: permits.map(({ terms }) => terms),
    // Every stored rule has an id.
    rules: rules.flatMap((rule) => (rule.id === undefined ? [] : [{ ...rule, id: rule.id }])),
    historyRequestsADay: history_requests_a_day,
    activeHours: new ZoneHours(hours),
  };
}

const FOLLOWED_EVERY_MS = MINUTE_MS / 4;

export interface ZoneDemandOptions {
  readonly current: Pick<CurrentZones, 'all' | 'onChange'>;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly watch: (boxes: readonly ZoneBox[]) => void;
}

/** Claims the boxes of zones during their hours, with or without viewers. */
export class ZoneDemand {
  readonly #options: ZoneDemandOptions;
  readonly #endListening: () => void;
  readonly #timer: NodeJS.Timeout;
  #written = '[]';

  constructor(options: ZoneDemandOptions) {
    this.#options = options;
    this.#endListening = options.current.onChange(() => this.#follow());
    this.#timer = setInterval(() => this.#follow(), FOLLOWED_EVERY_MS).unref();
    this.#follow();
  }

  close(): void {
    this.#endListening();
    clearInterval(this.#timer);
  }

  #follow(): void {
    const { current, now, watch } = this.#options;
    const boxes = current.all.filter((zone) => isReadAt(zone, now())).flatMap(zoneBoxes);
    const written = JSON.stringify(boxes);
    if (written === this.#written) return;
    this.#written = written;
    watch(boxes);
  }
}
