'use client';

import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import { newDraft } from '#lib/client/zones/zone-draft.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { epochMs } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { HeartbeatHint } from './heartbeat-hint.tsx';
import type { ImportedFile } from './import/import-file.ts';
import { ImportPage } from './import/import-page.tsx';
import { ZoneFiles } from './import/zone-files.tsx';
import { useZoneChanges } from './use-zone-changes.ts';
import { ZoneForm } from './zone-form.tsx';
import { ZoneList } from './zone-list.tsx';
import { zoneProblem } from './zone-problem.ts';

/** @param onShown lowers a phone's sheet */
export function ZonesPage({ onShown }: { readonly onShown: () => void }) {
  const { zones: desk } = useLookout();
  const draft = useValue(desk.draft);
  const { data, error } = useQuery(zonesQuery());
  const { alarms } = useAlarms();
  const now = useNow();
  const mayChange = useMay('watch');
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
      <div className="flex flex-wrap items-center gap-2 px-4">
        {mayChange && (
          <Button
            look={data?.zones.length === 0 ? 'primary' : 'plain'}
            onClick={() => {
              setDone('');
              desk.draft.set(newDraft());
            }}
          >
            <Plus aria-hidden size={14} />
            New zone
          </Button>
        )}
        {data && <ZoneFiles zones={data.zones} onFile={setFile} />}
      </div>
      <HeartbeatHint hasRules={data?.zones.some(({ zone }) => zone.rules.length > 0) ?? false} />
      {!data && !error && <p className="px-4 text-dim">Reading the zones…</p>}
      {error && (
        <p role="alert" className="px-4 text-bad">
          {data ? 'This list may be out of date: ' : 'The zones could not be read: '}
          {zoneProblem(error).general}
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
      {data?.zones.length === 0 && (
        <p className="px-4">
          No zones yet. A zone is an area that Lookout watches for you, such as 500 m around a runway. It does so on its
          server, whether or not a page is open.
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
