import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { Extent } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { csvRows } from '#lib/text/csv.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { ANSWER_NOTICE, type IncidentAnswer } from './answer.ts';

const COLUMNS = [
  'row',
  'kind',
  'reference',
  'simulated',
  'test_broadcast',
  'start',
  'end',
  'positions',
  'lowest_height_agl_m',
  'highest_height_agl_m',
  'lowest_altitude_m',
  'highest_altitude_m',
  'nearest_m',
  'nearest_at',
  'complete',
  'text',
] as const;
type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number | boolean | undefined>>>;

/**
 * RFC 4180, with a header, in UTC and metres; unreported values are empty. `not_known` rows are tracks that may have
 * crossed.
 */
export function answerCsv(answer: IncidentAnswer): string {
  const span = { start: time(answer.start), end: time(answer.end) };
  const rows: Row[] = [
    ...answer.question.map((text): Row => ({ row: 'question', ...span, text })),
    ...answer.verdicts.map(
      ({ kind, headline, details }): Row => ({
        row: 'answer',
        kind,
        ...span,
        text: [headline, ...details].join(' '),
      }),
    ),
    ...answer.completeness.layers.flatMap(({ layer, isAsked, isComplete, missing, unheard, sentence }): Row[] => [
      { row: 'layer', kind: LAYER_NAME[layer], ...span, complete: isAsked && isComplete, text: sentence },
      ...[...missing, ...unheard].map(
        ({ start, end, text }): Row => ({
          row: 'gap',
          kind: LAYER_NAME[layer],
          start: time(start),
          end: time(end),
          complete: false,
          text,
        }),
      ),
    ]),
    ...(answer.completeness.isAreaLoaded ? [] : [{ row: 'gap', ...span, complete: false, text: AREA_NOT_LOADED }]),
    ...answer.tracks.map(
      (track): Row => ({
        row: 'track',
        kind: track.kind,
        reference: track.ref,
        simulated: track.simulated,
        test_broadcast: track.testBroadcast,
        start: time(track.first),
        end: time(track.last),
        positions: track.positions,
        ...extent('height_agl_m', track.heightAglM),
        ...extent('altitude_m', track.altitudeM),
        nearest_m: track.nearest && Math.round(track.nearest.distanceM),
        nearest_at: track.nearest && time(track.nearest.at),
      }),
    ),
    ...answer.crossings.map(
      ({ kind, ref, simulated, testBroadcast, from, to }): Row => ({
        row: 'not_known',
        kind,
        reference: ref,
        simulated,
        test_broadcast: testBroadcast,
        start: time(from),
        end: time(to),
        text: 'No position received inside. The line between these two received positions touches the area.',
      }),
    ),
    { row: 'notice', text: ANSWER_NOTICE },
  ];
  return csvRows([COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]);
}

export const AREA_NOT_LOADED = 'A part of the area was not loaded.';

export function answerFileName({ start }: Pick<IncidentAnswer, 'start'>): string {
  return `lookout-incident-${formatInstant(start).slice(0, 16).replaceAll(/[-:]/g, '')}.csv`;
}

function extent(name: 'height_agl_m' | 'altitude_m', values: Extent | undefined): Row {
  return { [`lowest_${name}`]: values?.lowest, [`highest_${name}`]: values?.highest };
}

function time(at: UpstreamInstant): string {
  return formatInstant(at);
}
