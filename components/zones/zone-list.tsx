'use client';

import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { zoneDraftOf } from '#lib/client/zones/zone-draft.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { shapeBounds } from '#lib/zones/shape-outline.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { ConfirmRemoval } from './confirm-removal.tsx';
import { FIELD } from './form-parts.tsx';
import { hoursText } from './hours-text.ts';
import { ruleText, suspensionText } from './rule-text.ts';
import type { ZoneChanges } from './use-zone-changes.ts';
import { priceText, shapeText, sharedText, verticalText, watchedText } from './zone-text.ts';

/** Zones before a search field appears. */
const SEARCHED_FROM = 8;

export interface ZoneListProps {
  readonly zones: readonly PricedZone[];
  /** By the id of the zone. */
  readonly newAlarms: ReadonlyMap<string, number>;
  readonly nowMs: number;
  readonly changes: ZoneChanges;
  readonly onDone: (sentence: string) => void;
  /** Lowers a phone's sheet. */
  readonly onShown: () => void;
}

export function ZoneList({ zones, newAlarms, nowMs, changes, onDone, onShown }: ZoneListProps) {
  const [wanted, setWanted] = useState('');
  const text = wanted.trim().toLocaleLowerCase();
  const shown = zones.filter(({ zone }) => zone.name.toLocaleLowerCase().includes(text));
  return (
    <>
      {zones.length > SEARCHED_FROM && (
        <div className="flex items-center gap-2 px-4 pb-2">
          <input
            type="search"
            aria-label="Find a zone"
            placeholder="Find a zone"
            value={wanted}
            autoComplete="off"
            onChange={(event) => setWanted(event.target.value)}
            className={FIELD}
          />
          <span role="status" className="shrink-0 text-dim">
            {shown.length} of {zones.length}
          </span>
        </div>
      )}
      <ul className="divide-y divide-line border-line border-y" data-testid="zone-list">
        {shown.map((each) => (
          <li key={each.zone.id} className="[contain-intrinsic-size:auto_88px] [content-visibility:auto]">
            <ZoneRow
              {...each}
              newAlarms={newAlarms.get(each.zone.id) ?? 0}
              nowMs={nowMs}
              changes={changes}
              onDone={onDone}
              onShown={onShown}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface ZoneRowProps extends PricedZone, Omit<ZoneListProps, 'zones' | 'newAlarms'> {
  readonly newAlarms: number;
}

function ZoneRow({ zone, price, watched, suspended, newAlarms, nowMs, changes, onDone, onShown }: ZoneRowProps) {
  const lookout = useLookout();
  const [{ units, zone: clock }] = usePreferences();
  const mayChange = useMay('watch');
  const mayAll = useMay('administer');
  const [isRemoving, setRemoving] = useState(false);
  const watch = watchedText(zone, watched, clock);
  if (isRemoving)
    return (
      <ConfirmRemoval
        zone={zone}
        isBusy={changes.isBusy}
        onKeep={() => setRemoving(false)}
        onRemove={() => changes.remove(zone, () => onDone(`Removed “${zone.name}”.`))}
      />
    );
  const show = () => {
    lookout.mapCommands.run({ kind: 'show-box', bbox: boxOf(zone) });
    onShown();
  };
  return (
    <div className="flex items-start gap-1 py-1.5 pr-2 pl-4">
      <button
        type="button"
        onClick={show}
        className="min-w-0 flex-1 rounded-control text-left hover:bg-raised phone:min-h-11"
      >
        <span className="flex items-baseline gap-2">
          <span title={zone.name} className="min-w-0 truncate font-semibold">
            {zone.name}
          </span>
          {newAlarms > 0 && (
            <span className="shrink-0 rounded-full bg-bad px-2 font-semibold text-background text-caption">
              {newAlarms === 1 ? '1 new alarm' : `${newAlarms} new alarms`}
            </span>
          )}
        </span>
        <span className="block text-caption text-dim">
          {shapeText(zone.shape, units)} · {hoursText(zone.hours, nowMs)}
          {zone.vertical && ` · ${verticalText(zone.vertical, units, true)}`}
        </span>
        {zone.rules.map((rule) => (
          <span key={rule.id} className="block text-caption">
            {ruleText(rule, units)}
            {suspended
              .filter((each) => each.rule === rule.id)
              .map((each) => (
                <span key={each.layer} className="block text-warning">
                  {suspensionText(each)}
                </span>
              ))}
          </span>
        ))}
        <span className="flex items-baseline gap-1.5 text-caption text-dim">
          <ToneMark tone={watch.tone} />
          <span>
            {watch.text}
            {price.requests_a_day !== null && ` · ${priceText(price)}`}
            {lookout.operator !== undefined && ` · ${sharedText(zone)}`}
          </span>
        </span>
      </button>
      {mayChange && (
        <Menu
          trigger={
            <Button look="quiet" shape="icon" aria-label={`More for ${zone.name}`}>
              <Ellipsis aria-hidden size={16} />
            </Button>
          }
        >
          <MenuItem onSelect={show}>Show on the map</MenuItem>
          {(zone.mine || mayAll) && (
            <MenuItem
              onSelect={() => {
                show();
                lookout.zones.draft.set(zoneDraftOf(zone));
              }}
            >
              Change
            </MenuItem>
          )}
          <MenuItem
            onSelect={() =>
              lookout.zones.draft.set({
                ...zoneDraftOf(zone),
                before: undefined,
                name: `${zone.name} copy`,
                shared: false,
              })
            }
          >
            Copy as a new zone
          </MenuItem>
          {(zone.mine || mayAll) && <MenuItem onSelect={() => setRemoving(true)}>Remove…</MenuItem>}
        </Menu>
      )}
    </div>
  );
}

function boxOf(zone: Zone) {
  const { west, south, east, north } = shapeBounds(zone.shape);
  // Shows the surroundings too.
  const aroundLat = (north - south) / 4;
  const aroundLon = (east - west) / 4;
  return {
    west: wrapLongitude(west - aroundLon),
    south: south - aroundLat,
    east: wrapLongitude(east + aroundLon),
    north: north + aroundLat,
  };
}
