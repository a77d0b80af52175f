'use client';

import { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { NumberField } from '../zones/number-field.tsx';
import { TimeZoneField } from '../zones/time-zone-field.tsx';
import type { DestinationDraft, DestinationProblem } from './destination-draft.ts';
import { Problem, ToggleRow } from './fields.tsx';

const ANNOUNCED_LABEL: Readonly<Record<(typeof ANNOUNCED)[number], string>> = {
  opened: 'Opened',
  reopened: 'Opened again',
  unknown: 'Not known',
  known: 'Known again',
  ended: 'Ended',
};
const ANNOUNCED_CHOICES = ANNOUNCED.map((value) => ({ value, label: ANNOUNCED_LABEL[value] }));

const UNIT_LABEL: Readonly<Record<(typeof UNIT_SYSTEMS)[number], string>> = {
  metric: 'm, m/s',
  aviation: 'ft, kt',
  imperial: 'ft, mph',
};
const UNIT_CHOICES = UNIT_SYSTEMS.map((value) => ({ value, label: UNIT_LABEL[value] }));

interface NoticeFieldsProps {
  readonly draft: DestinationDraft;
  readonly problems: DestinationProblem['fields'];
  readonly set: (part: Partial<DestinationDraft>) => void;
}

export function NoticeFields({ draft, problems, set }: NoticeFieldsProps) {
  return (
    <>
      <ToggleRow
        label="Sent when an alarm is"
        chosen={draft.announces}
        choices={ANNOUNCED_CHOICES}
        onChange={(announces) => set({ announces })}
      />
      <Problem text={problems.announces} />
      <ChoiceRow label="Units" value={draft.units} choices={UNIT_CHOICES} onChange={(units) => set({ units })} />
      <TimeZoneField
        value={draft.time_zone}
        isRefused={problems.time_zone !== undefined}
        onChange={(time_zone) => set({ time_zone })}
      />
      <Problem text={problems.time_zone} />
      <NumberField
        label="Alarms of one zone are one notice, within"
        unit="s"
        value={draft.group_s}
        min={0}
        max={3600}
        onChange={(group_s) => group_s !== null && set({ group_s: Math.round(group_s) })}
      />
      <Problem text={problems.group_s} />
      <NumberField
        label="Notices an hour, at most"
        unit=""
        value={draft.notices_an_hour}
        emptyMeans="no limit"
        min={1}
        max={100_000}
        onChange={(limit) => set({ notices_an_hour: limit === null ? null : Math.round(limit) })}
      />
      <Problem text={problems.notices_an_hour} />
      <p className="text-caption text-dim">
        Beyond the limit, alarms wait for one notice at the end of the hour, with their number.
      </p>
    </>
  );
}
