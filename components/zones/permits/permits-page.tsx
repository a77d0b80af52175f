'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Permit } from '#lib/api/watching/permits.ts';
import { useLookout, useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { changeFailureMessage, failureMessage } from '#lib/client/request/refusal-message.ts';
import { endPermit, permitsQuery, readPermitsAgain } from '#lib/client/zones/permits-query.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { growByFraction } from '#lib/geo/grown-box.ts';
import { shapeBounds } from '#lib/zones/shape-outline.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { PermitFiles } from './permit-files.tsx';
import { coversText, flightText, permitStateText } from './permit-text.ts';

const STATES = { current: 'Current', coming: 'Coming', ended: 'Ended lately' } as const;
/** Shown around a permit’s area, as a share of its width and height. */
const SURROUNDINGS = 0.5;

/**
 * Permits of all zones that the operator sees: current, coming and ended lately.
 * @param onShown lowers the sheet of a phone
 */
export function PermitsPage({ onShown }: { readonly onShown: () => void }) {
  const { zones: desk } = useLookout();
  const mayChange = useMay('watch');
  const { data, error } = useQuery(permitsQuery());
  const { data: zones } = useQuery(zonesQuery());
  const permits = data?.permits ?? [];
  useEffect(() => () => desk.preview.set([]), [desk]);
  return (
    <div className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-center gap-2 px-4">
        {mayChange && zones && zones.zones.length > 0 && (
          <Button onClick={() => desk.permitting.set({ kind: 'zone' })}>
            <Plus aria-hidden size={14} />
            New permit
          </Button>
        )}
        {zones && <PermitFiles permits={permits} zones={zones.zones.map(({ zone }) => zone)} />}
      </div>
      {!data && !error && <p className="px-4 text-dim">Reading the permits…</p>}
      {error && (
        <p role="alert" className="px-4 text-bad">
          {data ? 'This list may be out of date: ' : 'The permits could not be read: '}
          {failureMessage(error)}
        </p>
      )}
      {data && permits.length === 0 && (
        <p className="px-4">
          No permits yet. A permit names expected traffic, such as a survey flight, for which a zone raises no alarm.
        </p>
      )}
      {(['current', 'coming', 'ended'] as const).map((state) => (
        <PermitList
          key={state}
          state={state}
          permits={permits.filter((each) => each.state === state)}
          onShown={onShown}
        />
      ))}
      {data?.cut && <p className="px-4 text-caption text-dim">Earlier ones are left out.</p>}
    </div>
  );
}

interface PermitListProps {
  readonly state: Permit['state'];
  readonly permits: readonly Permit[];
  readonly onShown: () => void;
}

function PermitList({ state, permits, onShown }: PermitListProps) {
  if (permits.length === 0) return null;
  return (
    <section aria-label={STATES[state]}>
      <h3 className="px-4 pt-1 font-semibold">
        {STATES[state]} · {permits.length}
      </h3>
      <ul className="divide-y divide-line border-line border-y" data-testid={`permits-${state}`}>
        {permits.map((permit) => (
          <li key={permit.id} className="[contain-intrinsic-size:auto_72px] [content-visibility:auto]">
            <PermitRow permit={permit} onShown={onShown} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function PermitRow({ permit, onShown }: { readonly permit: Permit; readonly onShown: () => void }) {
  const { zones: desk, mapCommands } = useLookout();
  const [{ units, zone: clock }] = usePreferences();
  const queries = useQueryClient();
  const now = useNow();
  const mayChange = useMay('watch');
  const { data } = useQuery(zonesQuery());
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error } = useMutation<Permit, Error>({
    mutationFn: () => endPermit(permit),
    onSuccess: () => setAsking(false),
    onSettled: () => readPermitsAgain(queries),
    networkMode: 'always',
  });
  const shape = permit.shape ?? data?.zones.find(({ zone }) => zone.id === permit.zone.id)?.zone.shape;
  const isOver = permit.state === 'ended';
  const end = permit.state === 'coming' ? 'Withdraw' : 'End now';
  return (
    <div className="flex items-start gap-1 py-1.5 pr-2 pl-4" data-testid="permit">
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span title={permit.name} className={isOver ? 'min-w-0 truncate text-dim' : 'min-w-0 truncate font-semibold'}>
            {permit.name}
          </span>
        </p>
        <p className="text-caption">{permitStateText(permit, now, clock)}</p>
        <p className="text-caption empty:hidden" data-testid="permit-flight">
          {flightText(permit, now, clock)}
        </p>
        <p className="text-caption text-dim">
          {permit.zone.name} · {coversText(permit, units)}
        </p>
        {isAsking && (
          <div className="mt-1 flex flex-wrap items-center gap-2">
            <Button look="danger" shape="small-text" disabled={isPending} onClick={() => mutate()}>
              {end}
            </Button>
            <Button shape="small-text" onClick={() => setAsking(false)}>
              Keep
            </Button>
          </div>
        )}
        {error && (
          <p role="alert" className="text-bad text-caption">
            {changeFailureMessage(error)}
          </p>
        )}
      </div>
      <Menu
        trigger={
          <Button look="quiet" shape="icon" aria-label={`More for ${permit.name}`}>
            <Ellipsis aria-hidden size={16} />
          </Button>
        }
      >
        {shape && (
          <MenuItem
            onSelect={() => {
              desk.preview.set([shape]);
              mapCommands.run({ kind: 'show-box', bbox: growByFraction(shapeBounds(shape), SURROUNDINGS, 360) });
              onShown();
            }}
          >
            Show on the map
          </MenuItem>
        )}
        {mayChange && !isOver && (
          <MenuItem onSelect={() => desk.permitting.set({ kind: 'change', permit })}>Change</MenuItem>
        )}
        {mayChange && !isOver && <MenuItem onSelect={() => setAsking(true)}>{end}…</MenuItem>}
      </Menu>
    </div>
  );
}
