import type { HandOverAnswer } from '#lib/api/watching/hand-over.ts';
import type { PermitsAnswer } from '#lib/api/watching/permits.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { coversText, permitStateText, timesText } from '../zones/permits/permit-text.ts';
import { reportTimeText } from './alarm-text.ts';

/** The notes that were left during a shift, in order of time, as a table of its report. */
export function notesOfShift({ notes, cut }: HandOverAnswer, clock: ClockZone) {
  return {
    caption: `Hand-over notes${cut ? '; earlier ones are no longer kept' : ''}`,
    head: ['Written', 'By', 'Read by'],
    rows: notes.toReversed().map(({ note, by, at, readers }) => ({
      cells: [
        reportTimeText(at, clock),
        by === '' ? 'An operator (no sign-in)' : by,
        readers.map((reader) => `${reader.by}, ${reportTimeText(reader.at, clock)}`).join('; ') || 'Not read',
      ],
      remarks: [note],
    })),
    none: cut ? 'No note of this span is kept; earlier ones were deleted.' : 'No hand-over note was left in this span.',
  };
}

/** The permits that were valid during a shift, in order of time, as a table of its report. */
export function permitsOfShift({ permits, cut }: PermitsAnswer, units: UnitSystem, clock: ClockZone) {
  const ordered = permits.toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
  return {
    caption: `Permits: ${permits.length}${cut ? ' or more; the report has no more' : ''}`,
    head: ['Name', 'Zone', 'Covers', 'Valid', 'State'],
    rows: ordered.map((permit) => ({
      cells: [
        permit.name,
        permit.zone.name,
        coversText(permit, units),
        timesText(permit, undefined, clock),
        permitStateText(permit, undefined, clock),
      ],
    })),
    none: 'No permit was valid in this span.',
  };
}
