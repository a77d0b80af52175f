'use client';

import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { classNames } from '../ui/class-names.ts';
import { PermitsPage } from '../zones/permits/permits-page.tsx';
import { ZonesPage } from '../zones/zones-page.tsx';
import { AlarmsPage } from './alarms-page.tsx';
import { HandOverPage, useUnreadNotes } from './hand-over.tsx';
import { LogPage } from './log-page.tsx';

// One file of code for the tab and the card of a track.
export { TrackAlarms } from './alarm-row.tsx';

/**
 * Zones, alarms, permits, the log, and the notes for the next shift.
 * @param onShown lowers the sheet of a small screen
 */
export function ZonesTab({ onShown }: { readonly onShown: () => void }) {
  const { zones } = useLookout();
  const page = useValue(zones.page);
  const isDrafting = useValue(zones.draft) !== undefined;
  const { alarms } = useAlarms();
  const now = useNow();
  const unread = useUnreadNotes().length;
  const pending = alarms.filter((alarm) => isPending(alarm, now)).length;
  return (
    <div className={classNames('flex flex-col', isDrafting ? 'h-full phone:h-auto phone:min-h-full' : 'min-h-full')}>
      {/* Form and list share a sheet that scrolls. */}
      <div key={isDrafting ? 'form' : 'list'} ref={showsTop} />
      {!isDrafting && (
        <div className="px-4 pt-3">
          <ChoiceRow
            label="Zones or alarms"
            hidesLabel
            oneLine
            value={page}
            choices={[
              { value: 'zones', label: 'Zones' },
              { value: 'alarms', label: pending > 0 ? `Alarms · ${pending}` : 'Alarms' },
              { value: 'permits', label: 'Permits' },
              { value: 'log', label: 'Log' },
              { value: 'hand-over', label: unread > 0 ? `Hand-over · ${unread}` : 'Hand-over' },
            ]}
            onChange={zones.showPage}
          />
        </div>
      )}
      <div className="min-h-0 flex-1">
        {page === 'zones' || isDrafting ? (
          <ZonesPage onShown={onShown} />
        ) : page === 'alarms' ? (
          <AlarmsPage onShown={onShown} />
        ) : page === 'permits' ? (
          <PermitsPage onShown={onShown} />
        ) : page === 'log' ? (
          <LogPage onShown={onShown} />
        ) : (
          <HandOverPage />
        )}
      </div>
    </div>
  );
}

function showsTop(top: HTMLDivElement | null): void {
  top?.scrollIntoView({ block: 'nearest' });
}
