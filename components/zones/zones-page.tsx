'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, X } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { roleMay } from '#lib/api/people/permission.ts';
import { HANDED_OVER_MAX, type PricedZone, type Zone } from '#lib/api/watching/zones.ts';
import { peopleQuery } from '#lib/client/account/account-requests.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { destinationsQuery } from '#lib/client/outputs/destinations-query.ts';
import { useLookout, useMay, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { zoneDraftOf } from '#lib/client/zones/zone-draft.ts';
import { replayZone } from '#lib/client/zones/zone-past.ts';
import { handOverZones, ZONES_KEY, zonesQuery } from '#lib/client/zones/zones-query.ts';
import { growByFraction } from '#lib/geo/grown-box.ts';
import { ZONE_TONES, zoneTone } from '#lib/model/zone-tones.ts';
import { epochMs } from '#lib/time/instant.ts';
import { shapeBounds } from '#lib/zones/shape-outline.ts';
import { Button } from '../ui/button.tsx';
import { FIELD } from '../ui/form-fields.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { lightDark } from '../ui/light-dark.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { RemovalQuestion } from '../ui/removal-question.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { type ImportedFile, ImportPage } from './import/import-page.tsx';
import { ZoneFiles } from './import/zone-files.tsx';
import { CreateZoneButton, NoZones } from './no-zones.tsx';
import { useZoneChanges, type ZoneChanges } from './zone-changes.ts';
import { ZoneForm } from './zone-form.tsx';
import {
  hoursText,
  priceText,
  ruleText,
  shapeText,
  sharedText,
  suspensionText,
  verticalText,
  watchedText,
} from './zone-text.ts';

/**
 * The zones of an operator, or the form of the one that is written, or the import of a file.
 * @param onShown lowers the sheet of a phone
 */
export function ZonesPage({ onShown }: { readonly onShown: () => void }) {
  const { zones: desk } = useLookout();
  const draft = useValue(desk.draft);
  const { data, error } = useQuery(zonesQuery());
  const { alarms } = useAlarms();
  const now = useNow();
  const changes = useZoneChanges();
  const [done, setDone] = useState('');
  const [file, setFile] = useState<ImportedFile>();
  if (draft)
    return (
      <ZoneForm
        draft={draft}
        changes={changes}
        onDraw={onShown}
        onSaved={(name) => setDone(`Saved “${name}”. Lookout watches it, also without an open page.`)}
      />
    );
  if (file)
    return (
      <ImportPage
        file={file}
        onCancel={() => setFile(undefined)}
        onDone={(sentence) => {
          setFile(undefined);
          setDone(sentence);
        }}
      />
    );
  const pending = alarms.filter((alarm) => isPending(alarm, now));
  const newAlarms = new Map(
    [...groupedBy(pending, ({ zone }) => zone.id)].map(([id, its]) => [id, its.length] as const),
  );
  return (
    <div className="flex flex-col gap-2 py-3">
      {data?.zones.length === 0 && <NoZones unshared={data.unshared} />}
      <div className="flex flex-wrap items-center gap-2 px-4">
        {data?.zones.length !== 0 && <CreateZoneButton onClick={() => setDone('')} />}
        {data && <ZoneFiles zones={data.zones} onFile={setFile} />}
      </div>
      <HeartbeatHint hasRules={data?.zones.some(({ zone }) => zone.rules.length > 0) ?? false} />
      {!data && !error && <p className="px-4 text-dim">Reading the zones…</p>}
      {error && (
        <p role="alert" className="px-4 text-bad">
          {data ? 'This list may be out of date: ' : 'The zones could not be read: '}
          {failureMessage(error)}
        </p>
      )}
      <p role="status" className="px-4 text-dim empty:hidden" data-testid="zones-done">
        {done}
      </p>
      {changes.problem.general !== undefined && (
        <p role="alert" className="px-4 text-bad">
          {changes.problem.general}
        </p>
      )}
      {data && data.zones.length > 0 && (
        <ZoneList
          zones={data.zones}
          newAlarms={newAlarms}
          nowMs={now === undefined ? Date.now() : epochMs(now)}
          changes={changes}
          onDone={setDone}
          onShown={onShown}
        />
      )}
    </div>
  );
}

/** A search field appears with more zones than this. */
const SEARCHED_FROM = 8;
/** Shown around a zone, as a share of its width and height. */
const SURROUNDINGS = 0.5;

interface ZoneListProps {
  readonly zones: readonly PricedZone[];
  /** How many alarms are new, by the id of their zone. */
  readonly newAlarms: ReadonlyMap<string, number>;
  readonly nowMs: number;
  readonly changes: ZoneChanges;
  readonly onDone: (sentence: string) => void;
  /** Lowers the sheet of a phone. */
  readonly onShown: () => void;
}

function ZoneList({ zones, newAlarms, nowMs, changes, onDone, onShown }: ZoneListProps) {
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
              others={zones.flatMap(({ zone }) =>
                zone.owner === each.zone.owner && zone.id !== each.zone.id ? [zone] : [],
              )}
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

/** The colour of the zone on the map. */
function ZoneSwatch({ id }: { readonly id: string }) {
  const tone = zoneTone(id);
  return (
    <span
      aria-hidden
      data-testid="zone-swatch"
      className="size-2.5 shrink-0 rounded-[3px]"
      style={{ background: lightDark(ZONE_TONES.light[tone] ?? '', ZONE_TONES.dark[tone] ?? '') }}
    />
  );
}

interface ZoneRowProps extends PricedZone, Omit<ZoneListProps, 'zones' | 'newAlarms'> {
  readonly newAlarms: number;
  /** Other zones of the same owner. */
  readonly others: readonly Zone[];
}

/** @returns the ref of the button of a zone's or alarm's row, which takes the focus once the map asks for it */
export function useWantedRow(id: string): RefObject<HTMLButtonElement | null> {
  const { wantedRow } = useLookout().zones;
  const isWanted = useValue(wantedRow) === id;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    wantedRow.set(undefined);
    button.current?.focus({ preventScroll: true });
    button.current?.scrollIntoView({ block: 'start' });
  }, [isWanted, wantedRow]);
  return button;
}

function ZoneRow({
  zone,
  others,
  price,
  watched,
  suspended,
  newAlarms,
  nowMs,
  changes,
  onDone,
  onShown,
}: ZoneRowProps) {
  const lookout = useLookout();
  const [{ units, zone: clock }] = usePreferences();
  const mayChange = useMay('watch');
  const mayAll = useMay('administer');
  const [isRemoving, setRemoving] = useState(false);
  const [isHandingOver, setHandingOver] = useState(false);
  const watch = watchedText(zone, watched, clock);
  const row = useWantedRow(zone.id);
  if (isHandingOver)
    return (
      <ZoneHandOver
        zone={zone}
        others={others}
        onCancel={() => setHandingOver(false)}
        onDone={(sentence) => {
          setHandingOver(false);
          onDone(sentence);
        }}
      />
    );
  if (isRemoving)
    return (
      <RemovalQuestion
        label={`Remove ${zone.name}?`}
        look="danger"
        className="px-4 py-2"
        isBusy={changes.isBusy}
        onKeep={() => setRemoving(false)}
        onRemove={() => changes.remove(zone, () => onDone(`Removed “${zone.name}”.`))}
      >
        Remove “{zone.name}”{zone.shared && ' for every operator'}? Its alarms stay in the log.
      </RemovalQuestion>
    );
  const show = () => {
    lookout.mapCommands.run({ kind: 'show-box', bbox: growByFraction(shapeBounds(zone.shape), SURROUNDINGS, 360) });
    onShown();
  };
  const replay = (tab: 'timeline' | 'tracks') => {
    show();
    replayZone(lookout, zone, tab);
  };
  return (
    <div className="flex items-start gap-1 py-1.5 pr-2 pl-4">
      <button
        type="button"
        ref={row}
        onClick={show}
        className="min-w-0 flex-1 scroll-mt-3 rounded-control text-left hover:bg-raised phone:min-h-11"
      >
        <span className="flex items-baseline gap-2">
          <ZoneSwatch id={zone.id} />
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
      <Menu
        trigger={
          <Button look="quiet" shape="icon" aria-label={`More for ${zone.name}`}>
            <Ellipsis aria-hidden size={16} />
          </Button>
        }
      >
        <MenuItem onSelect={show}>Show on the map</MenuItem>
        <MenuItem onSelect={() => replay('tracks')}>What was in here?</MenuItem>
        <MenuItem onSelect={() => replay('timeline')}>Replay this zone</MenuItem>
        {mayChange && (zone.mine || mayAll) && (
          <MenuItem
            onSelect={() => {
              show();
              lookout.zones.startDraft(zoneDraftOf(zone));
            }}
          >
            Change
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem
            onSelect={() =>
              lookout.zones.startDraft({
                ...zoneDraftOf(zone),
                before: undefined,
                name: `${zone.name} copy`,
              })
            }
          >
            Copy as a new zone
          </MenuItem>
        )}
        {mayChange && lookout.operator !== undefined && mayAll && (
          <MenuItem onSelect={() => setHandingOver(true)}>Hand over…</MenuItem>
        )}
        {mayChange && (zone.mine || mayAll) && <MenuItem onSelect={() => setRemoving(true)}>Remove…</MenuItem>}
      </Menu>
    </div>
  );
}

/** Name in `hintsSeen`: each admin dismisses it once, in the browser that they use. */
const HEARTBEAT_HINT = 'heartbeat';

/** @param hasRules whether a zone can raise an alarm */
function HeartbeatHint({ hasRules }: { readonly hasRules: boolean }) {
  const mayAdd = useMay('administer');
  const [{ hintsSeen }, change] = usePreferences();
  const isWanted = mayAdd && hasRules && !hintsSeen.includes(HEARTBEAT_HINT);
  const { data } = useQuery({ ...destinationsQuery(), enabled: isWanted, refetchInterval: false });
  if (!isWanted || !data || data.destinations.some(({ config }) => config.kind === 'heartbeat')) return null;
  return (
    <aside
      aria-label="Heartbeat"
      data-testid="heartbeat-hint"
      className="mx-4 flex items-center gap-2 rounded-control border border-line bg-raised py-1 pr-1 pl-3"
    >
      <ToneMark tone="warning" />
      <p className="min-w-0 flex-1 py-1">
        Nothing alerts you if Lookout stops.{' '}
        <a className="whitespace-nowrap font-semibold text-focus underline" href="/admin/outputs">
          Add a heartbeat
        </a>
      </p>
      <IconButton
        label="Dismiss the note on heartbeats"
        icon={<X />}
        look="quiet"
        shape="small-icon"
        onClick={() => change({ hintsSeen: [...hintsSeen, HEARTBEAT_HINT] })}
      />
    </aside>
  );
}

interface ZoneHandOverProps {
  readonly zone: Zone;
  /** Other zones of the same owner. */
  readonly others: readonly Zone[];
  readonly onCancel: () => void;
  readonly onDone: (sentence: string) => void;
}

/** Gives a zone, or all of its owner, to another person. Admins alone see it. */
function ZoneHandOver({ zone, others, onCancel, onDone }: ZoneHandOverProps) {
  const queries = useQueryClient();
  const id = useId();
  const { data, error: unread } = useQuery(peopleQuery());
  const [person, setPerson] = useState('');
  const [hasAll, setAll] = useState(false);
  const people = (data?.people ?? []).filter(({ role }) => roleMay(role, 'watch'));
  const zones = hasAll ? [zone, ...others].slice(0, HANDED_OVER_MAX) : [zone];
  const { mutate, isPending, error } = useMutation<void, Error>({
    mutationFn: () => handOverZones(person, zones),
    onSuccess: () => {
      const name = people.find((each) => each.id === person)?.name ?? person;
      onDone(`${zones.length === 1 ? `“${zone.name}”` : `${zones.length} zones`} handed over to ${name}.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ZONES_KEY }),
    networkMode: 'always',
  });
  const failure = error ?? unread;
  return (
    <form
      aria-label={`Hand over ${zone.name}`}
      className="flex flex-col gap-2 px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={id} className="font-medium">
        Hand over “{zone.name}” to
      </label>
      <select id={id} required value={person} onChange={({ target }) => setPerson(target.value)} className={FIELD}>
        <option value="">{data ? 'Choose a person' : 'Reading…'}</option>
        {people.map(({ id: value, name, role }) => (
          <option key={value} value={value}>
            {name}, {role}
          </option>
        ))}
      </select>
      {others.length > 0 && (
        <SwitchRow
          label={`All ${others.length + 1} zones of ${zone.owner ?? 'no owner'}`}
          checked={hasAll}
          onChange={setAll}
        />
      )}
      {failure && (
        <p role="alert" className="text-bad">
          {failureMessage(failure)}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={person === '' || isPending}>
          Hand over
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
