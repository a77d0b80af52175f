import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import type { PossibleCrossing, WindowTrack, WindowTracks } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { formatFilter } from '#lib/filter/filter-parameters.ts';
import type { TrackFilter } from '#lib/filter/track-filter.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { type Completeness, completenessOf } from './completeness.ts';
import { type KindVerdict, verdicts } from './verdict-text.ts';

/** All parts are of one instant. */
export interface IncidentAnswer {
  readonly start: UpstreamInstant;
  readonly end: UpstreamInstant;
  readonly madeAt: UpstreamInstant;
  readonly operator: string | undefined;
  readonly question: readonly string[];
  readonly verdicts: readonly KindVerdict[];
  readonly completeness: Completeness;
  readonly tracks: readonly WindowTrack[];
  readonly crossings: readonly PossibleCrossing[];
  readonly place: string | undefined;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

export interface AnswerOptions {
  readonly tracks: WindowTracks;
  readonly replay: Pick<ReplaySummary, 'layers' | 'loading' | 'area' | 'playback'>;
  readonly filter: TrackFilter;
  readonly visible: Bbox | undefined;
  readonly filterWords: readonly string[];
  readonly placeWords: string | undefined;
  readonly markedPlace: string | undefined;
  readonly madeAt: UpstreamInstant;
  readonly operator: string | undefined;
  readonly maySpend: boolean;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

export function incidentAnswer(options: AnswerOptions): IncidentAnswer {
  const { tracks, replay, filter, visible, units, zone } = options;
  const { start, end } = replay.playback.window;
  const inside = filter.inside === 'view' ? visible : filter.inside;
  const completeness = completenessOf({ ...replay, asked: inside, maySpend: options.maySpend, zone });
  const [place] = formatFilter({ ...filter, inside }).filter((parameter) => parameter.startsWith('inside='));
  return {
    start,
    end,
    madeAt: options.madeAt,
    operator: options.operator,
    question: [
      `From ${dateTimeText(start, zone)} to ${dateTimeText(end, zone)}`,
      place === undefined
        ? `Everywhere in the loaded area: ${formatBbox(replay.area)}`
        : `${options.placeWords}: ${place.slice('inside='.length)}`,
      ...(options.filterWords.length > 0 ? [`Only: ${options.filterWords.join(' · ')}`] : []),
    ],
    verdicts: verdicts({ tracks, completeness, kind: filter.kind, hasArea: inside !== undefined, units, zone }),
    completeness,
    tracks: [...tracks.drone.tracks, ...tracks.aircraft.tracks],
    crossings: [...tracks.drone.crossings, ...tracks.aircraft.crossings],
    place: options.markedPlace,
    units,
    zone,
  };
}

export const ANSWER_NOTICE =
  'Received positions only. Between two received positions a track’s place is not known. Coverage is not guaranteed; an empty area is not a clear area. References rotate: two references may be the same aircraft or drone.';
