import type { Layer } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Run } from './alarms.ts';
import type { StateRow } from './transition.ts';
import {
  addProgress,
  emptyZoneState,
  NO_PROGRESS,
  type Progress,
  progressKey,
  type Quiet,
  type Suspended,
  type Track,
  type Watch,
  watchOf,
  type ZoneState,
} from './zone-state.ts';

interface TrackRef {
  readonly layer: Layer;
  readonly ref: string;
}

type ProgressRow = Omit<Progress, 'track' | 'other' | 'step' | 'backUntilMs'> & {
  readonly track: TrackRef;
  readonly other: TrackRef | undefined;
  /** It is absent for infinity, which JSON lacks. */
  readonly backUntilMs: number | undefined;
};

/** Rows that would decide nothing are deleted. */
export function changedRows({
  state,
  changed,
  tracks,
  watches,
}: Pick<Run, 'state' | 'changed' | 'tracks' | 'watches'>): StateRow[] {
  const rows: StateRow[] = [];
  const touched = new Set(tracks);
  for (const progress of changed) {
    rows.push(progressRow(progress));
    touched.add(progress.track);
    if (progress.other) touched.add(progress.other);
  }
  for (const track of touched) {
    const isKept = (track.isNear || track.progress.size > 0) && state.tracks[track.layer].get(track.ref) === track;
    if (!isKept && !track.isStored) continue;
    track.isStored = isKept;
    rows.push({ key: `track|${track.layer}|${track.ref}`, value: isKept ? trackText(track) : undefined });
  }
  for (const watch of watches) {
    const isKept = state.watches.get(`${watch.zone}|${watch.layer}`) === watch;
    rows.push({ key: `watch|${watch.zone}|${watch.layer}`, value: isKept ? watchText(watch) : undefined });
  }
  return rows;
}

function progressRow(progress: Progress): StateRow {
  const { rule, track, other } = progress;
  const key = ['rule', rule, track.layer, track.ref, ...(other ? [other.layer, other.ref] : [])].join('|');
  if (track.progress.get(progressKey(rule, other)) !== progress) return { key, value: undefined };
  const { step: _step, ...kept } = progress;
  const backUntilMs = Number.isFinite(progress.backUntilMs) ? progress.backUntilMs : undefined;
  const row: ProgressRow = { ...kept, track: refOf(track), other: other && refOf(other), backUntilMs };
  return { key, value: JSON.stringify(row) };
}

function refOf({ layer, ref }: Track): TrackRef {
  return { layer, ref };
}

function trackText({ layer, position, first, firstMs }: Track): string {
  return JSON.stringify({ layer, position, first, firstMs });
}

function watchText({ zone, layer, untilMs, gaps, quiet, suspended }: Watch): string {
  const rules = Array.from(suspended, ([rule, { refused: _, ...kept }]) => [rule, kept]);
  return JSON.stringify({
    zone,
    layer,
    untilMs,
    gaps,
    quiet: [...quiet],
    ...(rules.length > 0 && { suspended: rules }),
  });
}

export function loadZoneState(rows: Iterable<StateRow>): ZoneState {
  const state = emptyZoneState();
  const all = [...rows].flatMap(({ key, value }) =>
    value === undefined ? [] : [{ kind: key.split('|', 1)[0], value }],
  );
  for (const { kind, value } of all) if (kind === 'track') loadTrack(state, value);
  for (const { kind, value } of all) if (kind === 'watch') loadWatch(state, value);
  for (const { kind, value } of all) if (kind === 'rule') loadProgress(state, value);
  return state;
}

function loadTrack(state: ZoneState, text: string): void {
  const kept = JSON.parse(text) as Pick<Track, 'layer' | 'position' | 'first' | 'firstMs'>;
  const { layer, position } = kept;
  const atMs = epochMs(position.observedAt);
  state.tracks[layer].set(position.ref, {
    ...kept,
    ref: position.ref,
    atMs,
    slot: state.places.add(position),
    progress: NO_PROGRESS,
    isNear: true,
    isStored: true,
    call: 0,
  });
  state.clockMs = Math.max(state.clockMs, atMs);
}

function loadWatch(state: ZoneState, text: string): void {
  const row = JSON.parse(text) as Pick<Watch, 'zone' | 'layer' | 'gaps'> & {
    untilMs: number | null;
    quiet: [string, Quiet][];
    suspended?: [string, Omit<Suspended, 'refused'>][];
  };
  // JSON writes NaN, for a zone without a note, as null.
  const untilMs = row.untilMs ?? Number.NaN;
  Object.assign(watchOf(state, row.zone, row.layer), {
    untilMs,
    gaps: row.gaps,
    quiet: new Map(row.quiet),
    // JSON writes the infinity of a rule that was not counted yet as null.
    suspended: new Map(
      (row.suspended ?? []).map(([rule, kept]) => [
        rule,
        { ...kept, countedMs: kept.countedMs ?? Number.NEGATIVE_INFINITY, refused: new Set() },
      ]),
    ),
  });
  if (untilMs > state.clockMs) state.clockMs = untilMs;
}

function loadProgress(state: ZoneState, text: string): void {
  const row = JSON.parse(text) as ProgressRow;
  const trackOf = ({ layer, ref }: TrackRef) => state.tracks[layer].get(ref);
  const track = trackOf(row.track);
  const other = row.other && trackOf(row.other);
  // Without its track a row decides nothing.
  if (!track || (row.other && !other)) return;
  addProgress(state, {
    ...row,
    track,
    other,
    first: row.first,
    before: row.before,
    alarm: row.alarm,
    unknownSinceMs: row.unknownSinceMs,
    backUntilMs: row.backUntilMs ?? Number.NEGATIVE_INFINITY,
    step: 0,
  });
}
