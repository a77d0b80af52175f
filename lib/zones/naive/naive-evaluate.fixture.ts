import { distanceM } from '#lib/geo/great-circle.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { isSameTraffic, successorOffM } from '#lib/model/successor.ts';
import { epochMs } from '#lib/time/instant.ts';
import { type CompiledRule, compileZones } from '../evaluation/compile-zones.ts';
import { aheadLevel, crossesBetween, insideLevel, type Level, zoneAnswer } from '../evaluation/levels.ts';
import { arePermitted } from '../evaluation/open-alarm.ts';
import {
  BACK_WITHIN_MS,
  FAR_APART_MS,
  FOUND_WITHIN_MS,
  lostAfterMs,
  REFERENCE_GONE_MS,
  SEGMENT_MAX_MS,
  TRACK_KEPT_MS,
  UNKNOWN_AFTER_MS,
} from '../evaluation/times.ts';
import type { Transition, WatchedZone } from '../evaluation/transition.ts';
import type { Track } from '../evaluation/zone-state.ts';
import { naivePairLevel } from './naive-pair.fixture.ts';
import { naiveQuiet } from './naive-quiet.fixture.ts';
import { type NaiveCall, type NaiveEvent, NaiveTime, type NaiveTransition } from './naive-time.fixture.ts';

interface TrackName {
  readonly layer: Layer;
  readonly ref: string;
}

interface Reading {
  readonly atMs: number;
  readonly level: Exclude<Level, 'unknown'>;
  readonly cameFromOutside: boolean;
  readonly isCrossing: boolean;
  readonly position: Position;
  readonly before: Position | undefined;
}

interface Subject {
  readonly tracks: readonly TrackName[];
  readonly readings: Reading[];
  phase: 'rest' | 'held' | 'inside';
  alarm: Omit<NaiveTransition, 'type' | 'end' | 'atMs'> | undefined;
  isOpen: boolean;
  backUntilMs: number;
  awaySinceMs: number | undefined;
  isUnknown: boolean;
  activeMs: number;
  hasSuccessor: boolean;
}

/** Every position against every rule. */
export function naiveEvaluate(zones: readonly WatchedZone[], calls: readonly NaiveCall[]): NaiveTransition[] {
  const time = new NaiveTime(calls, new Set(zones.map(({ id }) => id)));
  return [...compileZones(zones).rules.values()].flatMap((compiled) =>
    compiled.rule.kind === 'nothing_received' ? naiveQuiet(compiled, time) : new NaiveRule(compiled, time).run(),
  );
}

class NaiveRule {
  readonly #compiled: CompiledRule;
  readonly #time: NaiveTime;
  readonly #out: NaiveTransition[] = [];
  readonly #subjects = new Map<string, Subject>();
  readonly #positions = new Map<string, Position[]>();

  constructor(compiled: CompiledRule, time: NaiveTime) {
    this.#compiled = compiled;
    this.#time = time;
  }

  run(): NaiveTransition[] {
    const { rule, zone } = this.#compiled;
    for (const event of this.#time.events) {
      if (event.kind === 'position') this.#receive(event);
      else if (event.zone === zone.zone.id && rule.layers.includes(event.layer)) {
        for (const subject of this.#subjects.values()) {
          if (subject.tracks[0]?.layer !== event.layer) continue;
          if (event.kind === 'late') this.#undo(subject, event);
          else this.#sweep(subject, event);
        }
      }
    }
    return this.#out;
  }

  #receive({ layer, position }: Extract<NaiveEvent, { kind: 'position' }>): void {
    const { rule } = this.#compiled;
    const name = { layer, ref: position.ref };
    const ownKey = nameOf(name);
    const list = this.#positions.get(ownKey) ?? [];
    const last = list.at(-1);
    list.push(position);
    this.#positions.set(ownKey, list);
    const own = this.#subjects.get(ownKey);
    if (own) own.hasSuccessor = false;
    if (!rule.layers.includes(layer)) return;
    const atMs = timeOf(position);
    const before = last && atMs - timeOf(last) <= FAR_APART_MS ? last : undefined;
    if (rule.kind !== 'closer') {
      this.#decide(own ?? this.#subject([name]), atMs, this.#level(position), before, position);
      return;
    }
    const others = [...this.#positions.keys()].filter((key) => key !== ownKey);
    for (const key of others) {
      const other = this.#positions.get(key)?.at(-1) as Position;
      const otherName = { layer: key.split('|')[0] as Layer, ref: other.ref };
      if (!rule.layers.includes(otherName.layer)) continue;
      const pair = ownKey < key ? [name, otherName] : [otherName, name];
      this.#decide(
        this.#subject(pair),
        atMs,
        naivePairLevel(this.#compiled, position, before, other),
        undefined,
        position,
      );
    }
  }

  #subject(tracks: readonly TrackName[]): Subject {
    const key = tracks.map(nameOf).join('|');
    let subject = this.#subjects.get(key);
    if (!subject) {
      const never = Number.NEGATIVE_INFINITY;
      subject = {
        tracks,
        readings: [],
        phase: 'rest',
        alarm: undefined,
        isOpen: false,
        backUntilMs: never,
        awaySinceMs: undefined,
        isUnknown: false,
        activeMs: never,
        hasSuccessor: false,
      };
      this.#subjects.set(key, subject);
    }
    return subject;
  }

  #level(position: Position): Level {
    const answer = zoneAnswer(this.#compiled.zone, position);
    return this.#compiled.rule.kind === 'about_to_enter'
      ? aheadLevel(this.#compiled, position, answer)
      : insideLevel(this.#compiled, position, answer);
  }

  /** Of one side; a far step or a crossing begins a run. */
  #run({ readings }: Subject, isInside: boolean): readonly Reading[] {
    let from = readings.length;
    for (let next: Reading | undefined; from > 0; from--) {
      const one = readings[from - 1] as Reading;
      if (isIn(one.level) !== isInside || (next && (next.isCrossing || next.atMs - one.atMs > FAR_APART_MS))) break;
      next = one;
    }
    return readings.slice(from);
  }

  #decide(subject: Subject, atMs: number, level: Level, before: Position | undefined, position: Position): void {
    const { rule, zone, holdInMs, opensByDepth, positions } = this.#compiled;
    this.#overHours(subject, atMs);
    if (!zone.hours.isActive(atMs) || level === 'unknown') return;
    const levelBefore = before && zone.hours.isActive(timeOf(before)) ? this.#level(before) : 'unknown';
    const cameFromOutside = levelBefore === 'out' || levelBefore === 'near';
    const isPast = (from: Position | undefined): from is Position =>
      from !== undefined &&
      rule.kind === 'entered' &&
      opensByDepth &&
      !isIn(level) &&
      atMs - timeOf(from) <= SEGMENT_MAX_MS &&
      distanceM(from, position) >= 2 * this.#compiled.holdInM;
    const isCrossing = cameFromOutside && isPast(before) && crossesBetween(zone, before, position);
    const [entered] = subject.phase === 'held' ? this.#run(subject, true) : [];
    const isPassage = entered?.cameFromOutside === true && isPast(entered.before);
    const away = subject.phase === 'inside' ? this.#run(subject, false) : [];
    const awaySinceMs = away[0]?.atMs;
    const wasOut = away.some((one) => one.level === 'out');
    const wasInside = isIn(subject.readings.at(-1)?.level);
    subject.readings.push({ atMs, level, cameFromOutside, isCrossing, position, before });
    const run =
      isIn(level) || isCrossing || isPassage || subject.phase === 'inside' ? this.#run(subject, isIn(level)) : [];
    if (subject.phase !== 'inside' && (isIn(level) ? run.length === 1 || subject.phase === 'rest' : isCrossing)) {
      if (atMs > subject.backUntilMs) subject.alarm = undefined;
    }
    if (isPassage) {
      subject.phase = 'inside';
      this.#open(subject, atMs, 'entered');
      this.#leave(subject, run, atMs);
    } else if (isCrossing) {
      subject.phase = 'inside';
      this.#open(subject, atMs, 'crossed_between');
      this.#leave(subject, run, atMs);
    } else if (subject.phase === 'inside') {
      if (!isIn(level)) this.#leave(subject, run, atMs);
      else if (subject.isOpen && subject.alarm) {
        const wasUnknown = subject.isUnknown;
        if (wasUnknown) this.#put('known', subject, atMs);
        subject.isUnknown = false;
        const isBack = !wasInside && wasOut && !wasUnknown;
        if (isBack) subject.awaySinceMs = awaySinceMs;
        const isPermitted = this.#isPermitted(subject);
        const isBeyondPermit = wasInside && subject.alarm.expected && !isPermitted;
        if (isBack || isBeyondPermit) this.#open(subject, atMs, subject.alarm.kind);
        else if (wasInside && isPermitted && !subject.alarm.expected) {
          subject.alarm = { ...subject.alarm, expected: true };
          this.#put('permitted', subject, atMs);
        }
      } else if (!wasInside) subject.isUnknown = false;
    } else if (!isIn(level)) {
      subject.phase = 'rest';
      subject.backUntilMs = Math.min(subject.backUntilMs, atMs + this.#backMs());
    } else {
      subject.phase = 'held';
      const isDeep = level === 'in' && opensByDepth;
      const isLong = holdInMs > 0 && atMs - (run[0] as Reading).atMs >= holdInMs;
      if (run.length < positions || (!isDeep && !isLong)) return;
      subject.phase = 'inside';
      const entry = (run[0] as Reading).cameFromOutside ? 'entered' : 'first_received_inside';
      if (rule.kind !== 'left')
        this.#open(subject, atMs, rule.kind === 'entered' ? entry : (rule.kind as NaiveTransition['kind']));
    }
  }

  #leave(subject: Subject, run: readonly Reading[], atMs: number): void {
    const { rule, holdOutMs } = this.#compiled;
    const sinceMs = (run[0] as Reading).atMs;
    if (run.at(-1)?.level !== 'out' || atMs - sinceMs < holdOutMs) return;
    if (rule.kind === 'left') this.#open(subject, atMs, 'left');
    this.#end(subject, rule.kind === 'left' ? atMs : sinceMs, 'left');
    subject.backUntilMs = sinceMs + this.#backMs();
  }

  #backMs(): number {
    return Math.max(BACK_WITHIN_MS, this.#compiled.holdOutMs);
  }

  #overHours(subject: Subject, atMs: number): void {
    const { hours } = this.#compiled.zone;
    const overMs = subject.phase === 'rest' ? undefined : hours.overBetween(subject.activeMs, atMs);
    subject.activeMs = atMs;
    if (overMs === undefined) return;
    this.#end(subject, overMs, 'hours_over');
    subject.alarm = undefined;
    subject.readings.length = 0;
  }

  #sweep(subject: Subject, { zone, layer, atMs, call }: Extract<NaiveEvent, { kind: 'sweep' }>): void {
    this.#overHours(subject, atMs);
    if (subject.phase === 'rest') return;
    const lastMs = Math.min(...subject.tracks.map((track) => timeOf(this.#last(track))));
    const unwatchedMs = this.#time.unwatchedSince(zone, layer, call, atMs);
    const isGone = atMs - lastMs >= REFERENCE_GONE_MS;
    const isLost =
      unwatchedMs === undefined && this.#time.watchedMs(zone, layer, call, lastMs, atMs) >= lostAfterMs(layer);
    if (isGone || isLost) {
      if (subject.isOpen) subject.backUntilMs = atMs + FOUND_WITHIN_MS;
      this.#end(subject, lastMs, isGone || subject.hasSuccessor ? 'reference_gone' : 'lost');
    } else if (
      unwatchedMs !== undefined &&
      atMs - lastMs >= UNKNOWN_AFTER_MS &&
      subject.phase === 'inside' &&
      !subject.isUnknown
    ) {
      subject.isUnknown = true;
      this.#put('unknown', subject, Math.max(unwatchedMs, lastMs));
    }
  }

  #undo(subject: Subject, { zone, layer, fromMs, call }: Extract<NaiveEvent, { kind: 'late' }>): void {
    const lastMs = Math.min(...subject.tracks.map((track) => timeOf(this.#last(track))));
    const endedMs = subject.backUntilMs - FOUND_WITHIN_MS;
    const wasLost = endedMs - lastMs >= lostAfterMs(layer) && endedMs - lastMs < REFERENCE_GONE_MS;
    if (subject.isOpen || subject.awaySinceMs !== lastMs || !wasLost || endedMs <= fromMs) return;
    if (this.#time.watchedMs(zone, layer, call, lastMs, endedMs) >= lostAfterMs(layer)) return;
    Object.assign(subject, { phase: 'inside', isOpen: true, isUnknown: true, awaySinceMs: undefined });
    subject.backUntilMs = Number.NEGATIVE_INFINITY;
    this.#put('unknown', subject, Math.max(fromMs, lastMs));
  }

  #open(subject: Subject, atMs: number, kind: NaiveTransition['kind']): void {
    const { rule } = this.#compiled;
    const expected = this.#isPermitted(subject);
    subject.isUnknown = false;
    subject.isOpen = true;
    if (subject.alarm) {
      subject.alarm = { ...subject.alarm, count: subject.alarm.count + 1, expected };
      const { awaySinceMs } = subject;
      subject.awaySinceMs = undefined;
      const isBrief = awaySinceMs !== undefined && atMs - awaySinceMs <= BACK_WITHIN_MS;
      this.#put(isBrief ? 'returned' : 'reopened', subject, atMs);
      return;
    }
    subject.awaySinceMs = undefined;
    const key = [rule.id, ...subject.tracks.flatMap(({ layer, ref }) => [layer, ref]), atMs].join('|');
    subject.alarm = { key, kind, count: 1, expected, perhapsSameAs: this.#predecessor(subject) };
    this.#put('opened', subject, atMs);
  }

  #end(subject: Subject, atMs: number, end: Transition['end']): void {
    if (subject.isOpen) {
      this.#put('ended', subject, atMs, end);
      subject.awaySinceMs = atMs;
    }
    Object.assign(subject, { isOpen: false, isUnknown: false, phase: 'rest' });
  }

  #put(type: NaiveTransition['type'], subject: Subject, atMs: number, end?: Transition['end']): void {
    if (subject.alarm && subject.isOpen) this.#out.push({ type, ...subject.alarm, end, atMs });
  }

  #last(track: TrackName): Position {
    return this.#positions.get(nameOf(track))?.at(-1) as Position;
  }

  #isPermitted({ tracks }: Subject): boolean {
    const all = tracks.map(
      (track) => ({ ...track, position: this.#last(track), atMs: timeOf(this.#last(track)) }) as Track,
    );
    return arePermitted(this.#compiled.zone, all);
  }

  #predecessor(subject: Subject): string | undefined {
    const [track, other] = subject.tracks;
    if (!track || other) return undefined;
    const list = this.#positions.get(nameOf(track)) ?? [];
    const first = list[
      list.findLastIndex(
        (one, index) => index === 0 || timeOf(one) - timeOf(list[index - 1] as Position) > TRACK_KEPT_MS,
      )
    ] as Position;
    const found = [...this.#subjects.values()].flatMap((candidate) => {
      const [ended] = candidate.tracks;
      if (!ended || candidate === subject || candidate.hasSuccessor || !candidate.alarm || ended.layer !== track.layer)
        return [];
      const last = this.#last(ended);
      const offM = successorOffM(last, timeOf(first) - timeOf(last), first);
      return offM === undefined || !isSameTraffic(last, this.#last(track)) ? [] : [{ candidate, offM }];
    });
    const [best] = found.toSorted((one, next) => one.offM - next.offM);
    if (best) best.candidate.hasSuccessor = true;
    return best?.candidate.alarm?.key;
  }
}

function isIn(level: Level | undefined): boolean {
  return level === 'in' || level === 'shallow';
}

function nameOf({ layer, ref }: TrackName): string {
  return `${layer}|${ref}`;
}

function timeOf({ observedAt }: Position): number {
  return epochMs(observedAt);
}
