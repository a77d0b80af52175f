import type { IncidentAnswer, IncidentEntry, OneIncident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import { groupedNumber, nearDistanceText } from '#lib/model/measure-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { alarmHeadline, alarmStateText, noteText, tagTexts } from '#lib/zones/alarm-words.ts';
import type { ReportTable } from '../ui/report-text.tsx';
import { DELIVERY_TEXT, LIFELINES_MAX } from './axis-lanes.ts';
import {
  ENTRY_TEXT,
  lowestText,
  personText,
  placeText,
  type TimeText,
  tagsOf,
  trackText,
  verdictText,
  watchText,
} from './incident-text.ts';
import { checkLines, type Sighting, seenText } from './sighting.tsx';

/** Everything on the axis of an incident as tables, for screen readers and paper. */
export function incidentTables(
  { notes, alarms, added, tracks: pins, deliveries }: OneIncident,
  answer: IncidentAnswer | undefined,
  units: UnitSystem,
  time: TimeText,
): readonly ReportTable[] {
  const layers = LAYERS.flatMap((layer) => {
    const of = answer?.layers[layer];
    return of ? [{ layer, of }] : [];
  });
  const tracks = layers.flatMap(({ layer, of }) => of.tracks.map((track) => ({ layer, track })));
  const more = tracks.length > LIFELINES_MAX ? `, the first ${LIFELINES_MAX}` : '';
  const stated = (text: string | null) => (text === null ? 'a time that is not stated' : time(text));
  return [
    {
      caption: 'Answer',
      head: ['Layer', 'Received'],
      rows: layers.map(({ layer, of }) => ({ cells: [LAYER_NAME[layer], verdictText(of)] })),
      none: 'The answer is not read yet.',
    },
    {
      caption: 'Times that were not watched',
      head: ['Layer', 'From', 'To', 'Why'],
      rows: layers.flatMap(({ layer, of }) =>
        of.not_watched.map((stretch) => ({
          cells: [LAYER_NAME[layer], time(stretch.from), time(stretch.to), watchText(stretch)],
        })),
      ),
      none: 'All layers were watched all the time.',
    },
    {
      caption: `Tracks received inside: ${groupedNumber(tracks.length)}${more}`,
      head: ['Track', 'First', 'Last', 'Lowest', 'Nearest', 'Positions'],
      rows: tracks.slice(0, LIFELINES_MAX).map(({ layer, track }) => ({
        cells: [
          [trackText(track.track, layer), ...tagsOf(track)].join(' '),
          time(track.first_at),
          time(track.last_at),
          lowestText(track, units),
          nearDistanceText(units, track.nearest_m),
          groupedNumber(track.positions),
        ],
      })),
      none: 'No track is in the answer.',
    },
    {
      caption: 'Tracks pinned by hand',
      head: ['Track', 'Pinned'],
      rows: pins.map((pin) => ({ cells: [pin.track, pinText(pin)] })),
      none: 'No track is pinned.',
    },
    {
      caption: 'Alarms',
      head: ['Opened', 'Alarm', 'State'],
      rows: alarms.map((alarm) => ({
        cells: [
          time(alarm.opened_at),
          [alarmHeadline(alarm), ...tagTexts(alarm, time)].join(' · '),
          alarmStateText(alarm, stated),
        ],
        remarks: [
          ...added.filter((each) => each.alarm === alarm.id).map((each) => pinText(each)),
          ...alarm.notes.map((note) => noteText(note, stated)),
        ],
      })),
      none: 'No alarm.',
    },
    {
      caption: 'Notes',
      head: ['Time', 'Kind', 'By'],
      rows: notes.map((note) => ({
        cells: [time(note.at), ENTRY_TEXT[note.kind], personText(note.by)],
        remarks: entryLines(note, notes, units, time),
      })),
      none: 'No note.',
    },
    {
      caption: 'Notices sent',
      head: ['Time', 'To', 'Notice', 'State'],
      rows: deliveries.map((delivery) => ({
        cells: [
          time(delivery.arrived_at ?? delivery.created_at),
          delivery.destination.name,
          noticeTypeText(delivery),
          DELIVERY_TEXT[delivery.state],
        ],
      })),
      none: 'No notice was sent.',
    },
  ];
}

function pinText({ remark, by }: { readonly remark: string; readonly by: string }): string {
  return `Added by ${personText(by)}${remark === '' ? '' : `: ${remark}`}`;
}

/** A note line by line: what it corrects, its text, place and check, and what corrects it. */
export function entryLines(
  note: IncidentEntry,
  notes: readonly IncidentEntry[],
  units: UnitSystem,
  time: TimeText,
): readonly string[] {
  const { text, place, kind, check, sighting } = note;
  return [
    ...correctionLines(note, notes, time),
    text === '' ? [] : text,
    place ? `${kind === 'sighting' ? 'From' : 'At'} ${placeText(place as [number, number])}` : [],
    sighting ? `Seen ${seenText(sighting as Sighting, units)}` : [],
    check ? checkLines(check, units, time).map(({ text }) => text) : [],
  ].flat();
}

/** A corrected note stays as it is. */
export function correctionLines(
  { id, corrects }: IncidentEntry,
  notes: readonly IncidentEntry[],
  time: TimeText,
): readonly string[] {
  const before = notes.find((each) => each.id === corrects);
  const after = notes.filter((each) => each.corrects === id);
  const named = ({ at, by }: IncidentEntry) => `the note of ${time(at)} by ${personText(by)}`;
  return [...(before ? [`Corrects ${named(before)}`] : []), ...after.map((each) => `Corrected by ${named(each)}`)];
}
