'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download, Upload } from 'lucide-react';
import { useState } from 'react';
import { PERMITTED_MAX, type Permit } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { changeFailureMessage } from '#lib/client/request/refusal-message.ts';
import { makePermits, readPermitsAgain } from '#lib/client/zones/permits-query.ts';
import type { FiledPermit, PermitsRead } from '#lib/zones/formats/permits-geojson.ts';
import { ZONE_FORMATS } from '#lib/zones/zone.ts';
import { Button } from '../../ui/button.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { FIELD } from '../../ui/form-fields.tsx';
import { coversText, timesText } from './permit-text.ts';

const { extensions, type } = ZONE_FORMATS.geojson;
const LISTED_MAX = 20;

interface PermitFilesProps {
  readonly permits: readonly Permit[];
  readonly zones: readonly Zone[];
}

/** Takes a file of permits for an import, which shows what it has before anything is made; and makes one of all permits. */
export function PermitFiles({ permits, zones }: PermitFilesProps) {
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
            {result.problems.slice(0, LISTED_MAX).map(({ place, problem }) => (
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
