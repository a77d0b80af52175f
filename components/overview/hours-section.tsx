'use client';

import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { HOUR_COUNTED, type HourCounted } from '#lib/client/overview/hour-count.ts';
import {
  type HoursPlace,
  hoursAddress,
  type OverviewSpanHours,
  overviewHoursQuery,
} from '#lib/client/overview/overview-query.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from './coverage-fields.tsx';
import { HoursGrid } from './hours-grid.tsx';
import { HOUR_COUNTED_TEXT, HOURS_NOTE } from './overview-text.ts';

export interface HoursSectionProps {
  readonly zone: ClockZone;
  readonly theme: 'dark' | 'light';
  readonly hours: OverviewSpanHours;
  /** [west, south, east, north] of everything that was watched. */
  readonly box: readonly [number, number, number, number] | undefined;
}

const nowMs = () => Date.now();

export function HoursSection({ zone, theme, hours, box }: HoursSectionProps) {
  const { data: zones } = useQuery(zonesQuery());
  const [chosen, setChosen] = useState('');
  const [counted, setCounted] = useState<HourCounted>('references');
  const place = placeOf(chosen, box);
  const { data, error } = useQuery({
    ...overviewHoursQuery(place ?? { zone: '' }, hours, nowMs),
    enabled: place !== undefined,
  });
  return (
    <section aria-labelledby="hours" className="flex flex-col gap-3">
      <h2 id="hours" className="font-semibold">
        Hour by day
      </h2>
      <div className="grid grid-cols-2 gap-3 phone:grid-cols-1 print:hidden">
        <Choices
          label="Place"
          value={chosen}
          choices={[
            { value: '', label: 'Everything watched' },
            ...(zones?.zones ?? []).map((each) => ({ value: each.zone.id, label: each.zone.name })),
          ]}
          onChange={setChosen}
        />
        <Choices
          label="Counted in each hour"
          value={counted}
          choices={HOUR_COUNTED.map((value) => ({ value, label: HOUR_COUNTED_TEXT[value] }))}
          onChange={(value) => setCounted(HOUR_COUNTED.find((each) => each === value) ?? counted)}
        />
      </div>
      {place === undefined && <p className="text-dim">Nothing was watched in this span.</p>}
      {error && (
        <p role="alert" className="text-bad">
          The hours could not be read: {error.message}
        </p>
      )}
      {place !== undefined &&
        data?.layers.map((layer) => (
          <div key={layer.layer} className="flex flex-col gap-1">
            <h3 className="font-medium">
              {LAYER_NAME[layer.layer]}: {HOUR_COUNTED_TEXT[counted].toLowerCase()}
            </h3>
            <HoursGrid
              hours={layer.hours}
              counted={counted}
              zone={zone}
              theme={theme}
              caption={`${LAYER_NAME[layer.layer]}: ${HOUR_COUNTED_TEXT[counted].toLowerCase()} in each hour`}
            />
          </div>
        ))}
      <p className="text-caption text-dim">{HOURS_NOTE}</p>
      {place && (
        <div className="flex print:hidden">
          <Button onClick={() => window.location.assign(`${hoursAddress(place, hours, nowMs())}&format=csv`)}>
            <Download aria-hidden size={14} />
            Hours as CSV
          </Button>
        </div>
      )}
    </section>
  );
}

function placeOf(chosen: string, box: HoursSectionProps['box']): HoursPlace | undefined {
  if (chosen !== '') return { zone: chosen };
  if (box === undefined) return undefined;
  const [west, south, east, north] = box;
  return { bbox: { west, south, east, north } };
}
