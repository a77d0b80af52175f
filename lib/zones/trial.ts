import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { evaluate } from './evaluate.ts';
import { compileZones } from './evaluation/compile-zones.ts';
import type { Observation, Transition, WatchedNote, WatchedZone } from './evaluation/transition.ts';
import { emptyZoneState } from './evaluation/zone-state.ts';
import { heightM } from './height-field.ts';
import { WATCHED_AS } from './stretches/watched-reception.ts';

export interface TriedAlarm {
  readonly opened: Transition;
  /** `opened` itself where nothing followed. */
  readonly last: Transition;
}

/** One zone evaluated over the past, with the alarms that its rules raise there. Positions come in pieces, in order. */
export class Trial {
  readonly #zone: WatchedZone;
  readonly #zones: ReturnType<typeof compileZones>;
  readonly #state = emptyZoneState();
  readonly #alarms = new Map<string, TriedAlarm>();
  positions = 0;
  /** How many positions are inside at any height. */
  positionsInside = 0;
  /** How many of these have no value in the zone's height field. */
  insideWithoutHeight = 0;

  constructor(zone: WatchedZone) {
    this.#zone = zone;
    this.#zones = compileZones([zone]);
  }

  take(observations: readonly Observation[], watched: readonly WatchedNote[]): void {
    const { transitions, late } = evaluate(this.#zones, this.#state, observations, watched);
    this.positions += observations.length - late;
    for (const transition of transitions) {
      const { opened } = this.#alarms.get(transition.key) ?? { opened: transition };
      this.#alarms.set(transition.key, { opened, last: transition });
    }
    this.#count(observations);
  }

  /** Alarms that opened in the window, by time. */
  alarmsIn({ start, end }: Window): readonly TriedAlarm[] {
    return [...this.#alarms.values()]
      .filter(({ opened: { at } }) => at >= start && at < end)
      .sort((one, next) => epochMs(one.opened.at) - epochMs(next.opened.at));
  }

  #count(observations: readonly Observation[]): void {
    const { vertical } = this.#zone;
    const ground = this.#zones.zones.get(this.#zone.id)?.ground;
    for (const { position } of observations) {
      if (!ground?.contains(position.lon, position.lat)) continue;
      this.positionsInside++;
      if (heightM(position, vertical?.field ?? 'height_agl_m') === undefined) this.insideWithoutHeight++;
    }
  }
}

/** A time that was not, or only partly, watched. */
export type UnwatchedWindow = Window & Pick<WatchedNote, 'state' | 'reason'>;

/** The time was not read from history. */
export const UNREAD = { state: 'not_watched', reason: 'upstream' } as const;

/** The notes of a past with gaps, which may overlap. */
export function pastNotes(
  about: Pick<WatchedNote, 'zoneId' | 'layer'>,
  { start, end }: Window,
  gaps: readonly UnwatchedWindow[],
): readonly WatchedNote[] {
  const inside = gaps.filter((gap) => gap.start < end && gap.end > start);
  const edges = [...new Set([start, end, ...inside.flatMap((gap) => [gap.start, gap.end])].map((at) => epochMs(at)))]
    .filter((ms) => ms >= epochMs(start) && ms <= epochMs(end))
    .sort((one, next) => one - next)
    .map(upstreamInstant);
  return edges.slice(1).map((to, index) => {
    const from = edges[index] as UpstreamInstant;
    const over = inside.filter((gap) => gap.start <= from && gap.end >= to);
    const { state, reason } = over.find((gap) => gap.state === 'not_watched') ?? over[0] ?? WATCHED_AS.ok;
    return { ...about, from, to, state, reason };
  });
}
