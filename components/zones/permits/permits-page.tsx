'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Ellipsis, Plus, Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { PERMITTED_MAX, type Permit } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { useLookout, useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { changeFailureMessage, failureMessage } from '#lib/client/request/refusal-message.ts';
import { endPermit, makePermits, permitsQuery, readPermitsAgain } from '#lib/client/zones/permits-query.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { growByFraction } from '#lib/geo/grown-box.ts';
import type { FiledPermit, PermitsRead } from '#lib/zones/formats/permits-geojson.ts';
import { shapeBounds } from '#lib/zones/shape-outline.ts';
import { ZONE_FORMATS } from '#lib/zones/zone.ts';
import { Button } from '../../ui/button.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { FIELD } from '../../ui/form-fields.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { coversText, flightText, permitStateText, timesText } from './permit-text.ts';

const STATES = { current: 'Current', coming: 'Coming', ended: 'Ended lately' } as const;
/** Shown around a permit’s area, as a share of its width and height. */
const SURROUNDINGS = 0.5;
const { extensions, type } = ZONE_FORMATS.geojson;
const PROBLEMS_LISTED = 20;

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

interface PermitFilesProps {
  readonly permits: readonly Permit[];
  readonly zones: readonly Zone[];
}

/** Takes a file of permits for an import, which shows what it has before anything is made; and makes one of all permits. */
function PermitFiles({ permits, zones }: PermitFilesProps) {
  const mayWatch = useMay('watch');
  const [result, setResult] = useState<PermitsRead>();
  const [done, setDone] = useState('');
  const shapeOf = (name: string) => zones.find((zone) => zone.name === name)?.shape;
  const fail = (problem: string) => setResult({ problems: [{ place: 'The file', problem }] });
  const read = async (file: File) => {
    setDone('');
    try {
      const { readPermits } = await import('#lib/zones/formats/permits-geojson.ts');
      setResult(readPermits(new Uint8Array(await file.arrayBuffer()), PERMITTED_MAX, shapeOf));
    } catch {
      fail('could not be read');
    }
  };
  const save = async () => {
    setDone('');
    try {
      const { writePermits } = await import('#lib/zones/formats/permits-geojson.ts');
      const filed = permits.map(({ name, zone, layers, track, shape, vertical, start, end, flight }) => {
        const terms = { layers, track, shape, vertical, start, end };
        return { name, zone: zone.name, ...terms, expects_flight: flight !== null };
      });
      saveFile(new Blob([writePermits(filed, shapeOf)], { type }), `lookout-permits${extensions[0]}`);
    } catch {
      fail('could not be made');
    }
  };
  return (
    <>
      {mayWatch && zones.length > 0 && (
        <FileButton
          label="File of permits: GeoJSON or operational intents"
          accept={extensions}
          onFile={(file) => void read(file)}
        >
          <Upload aria-hidden size={14} />
          Import
        </FileButton>
      )}
      {permits.length > 0 && (
        <Button onClick={() => void save()}>
          <Download aria-hidden size={14} />
          Export
        </Button>
      )}
      <p role="status" className="basis-full text-dim empty:hidden">
        {done}
      </p>
      {result && 'problems' in result && (
        <div role="alert" className="basis-full text-bad [overflow-wrap:anywhere]">
          <p>Nothing was imported.</p>
          <ul>
            {result.problems.slice(0, PROBLEMS_LISTED).map(({ place, problem }) => (
              <li key={`${place} ${problem}`}>
                {place}: {problem}
              </li>
            ))}
          </ul>
        </div>
      )}
      {result && 'permits' in result && (
        <PermitImport
          permits={result.permits}
          zones={zones}
          onEnd={(sentence) => {
            setResult(undefined);
            setDone(sentence);
          }}
        />
      )}
    </>
  );
}

interface PermitImportProps {
  readonly permits: readonly FiledPermit[];
  readonly zones: readonly Zone[];
  readonly onEnd: (sentence: string) => void;
}

/** Asks for the zone of permits whose own is not here. */
function PermitImport({ permits, zones, onEnd }: PermitImportProps) {
  const [{ units, zone: clock }] = usePreferences();
  const queries = useQueryClient();
  const now = useNow();
  const [other, setOther] = useState(zones[0]?.id ?? '');
  const zoneOf = ({ zone }: FiledPermit) => zones.find(({ name }) => name === zone);
  const isAsked = permits.some((permit) => !zoneOf(permit));
  const count = permits.length === 1 ? '1 permit' : `${permits.length} permits`;
  const { mutate, isPending, error } = useMutation<unknown, Error>({
    mutationFn: () =>
      makePermits({
        permits: permits.map((permit) => ({ ...permit, zone: zoneOf(permit)?.id ?? other })),
        alarms: [],
      }),
    onSuccess: () => onEnd(`Imported ${count}.`),
    onSettled: () => readPermitsAgain(queries),
    networkMode: 'always',
  });
  return (
    <section
      aria-label="Import of permits"
      className="flex basis-full flex-col gap-2 rounded-control border border-line p-2"
    >
      <ul className="flex max-h-60 flex-col gap-1 overflow-y-auto">
        {permits.map((permit, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: permits of a file may be equal.
          <li key={index}>
            <span className="block font-medium">{permit.name}</span>
            <span className="block text-caption text-dim">
              {zoneOf(permit)?.name ?? (permit.zone ? `${permit.zone}: no such zone here` : 'No zone stated')} ·{' '}
              {coversText(permit, units)} · {timesText(permit, now, clock)}
              {permit.expects_flight && ' · Flight expected'}
            </span>
          </li>
        ))}
      </ul>
      {isAsked && (
        <label className="flex flex-col gap-1">
          Zone of those without one here
          <select value={other} onChange={({ target }) => setOther(target.value)} className={FIELD}>
            {zones.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {error && (
        <p role="alert" className="text-bad">
          Nothing was imported. {changeFailureMessage(error)}
        </p>
      )}
      <div className="flex gap-2">
        <Button look="primary" disabled={isPending} onClick={() => mutate()}>
          {isPending ? 'Saving…' : `Import ${count}`}
        </Button>
        <Button onClick={() => onEnd('')}>Cancel</Button>
      </div>
    </section>
  );
}
