'use client';

import type { Alarm } from '#lib/api/watching/alarms.ts';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { AlarmDeliveries } from './alarm-deliveries.tsx';
import { AlarmToday } from './alarm-today.tsx';

export function AlarmEvidence({ alarm }: { readonly alarm: Alarm }) {
  const [{ zone: clock, units }] = usePreferences();
  const { evidence, zone, decided_at } = alarm;
  const decided = parseInstant(decided_at);
  return (
    <div className="mt-2 flex flex-col gap-1 text-caption">
      <p className="text-dim">
        Decided {decided === undefined ? decided_at : clockText(decided, clock)} by revision {zone.revision} of the
        zone, from {evidence.length === 1 ? '1 position' : `${evidence.length} positions`}:
      </p>
      <ul className="flex flex-col gap-1">
        {evidence.map((position) => {
          const at = parseInstant(position.observed_at);
          return (
            <li key={`${position.public_track_id} ${position.observed_at}`} className="font-mono" translate="no">
              {at === undefined ? position.observed_at : clockText(at, clock)}{' '}
              {shortReference(position.public_track_id)} {position.latitude.toFixed(5)}, {position.longitude.toFixed(5)}{' '}
              · height above ground (estimated) {lengthText(units, position.height_agl_m ?? undefined) ?? NOT_REPORTED}{' '}
              · altitude, datum not stated {lengthText(units, position.altitude_m ?? undefined) ?? NOT_REPORTED} ·{' '}
              {speedText(units, position.speed_mps ?? undefined) ?? `speed ${NOT_REPORTED}`}
            </li>
          );
        })}
      </ul>
      <AlarmToday alarm={alarm} />
      {/* Another alarm of the row never shows the deliveries of this one. */}
      <AlarmDeliveries key={alarm.id} alarm={alarm} />
    </div>
  );
}
