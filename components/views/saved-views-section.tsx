'use client';

import { Bookmark } from 'lucide-react';
import { useId, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { useViews, type Views } from './use-views.ts';
import { ViewNameField } from './view-name-field.tsx';
import { ViewRow } from './view-row.tsx';
import { viewsFailureText } from './views-text.ts';

export function SavedViewsSection({ onOpened }: { readonly onOpened: () => void }) {
  const views = useViews();
  const [done, setDone] = useState('');
  const id = useId();
  const { answer, unread, refusal } = views;
  const start = answer?.views.find((view) => view.id === answer.start);
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-line border-b pb-4">
      <h3 id={id} className="font-semibold">
        Saved views
      </h3>
      <SaveViewForm views={views} onSaved={(name) => setDone(`Saved “${name}”.`)} />
      {/* Reserves the usual height, so that nothing below moves under the pointer. */}
      {answer === undefined && !unread && <p className="min-h-[2lh] text-dim">Reading the saved views…</p>}
      {unread && (
        <p role="alert" className="text-bad">
          {answer ? 'This list may be out of date: ' : 'The saved views could not be read: '}
          {viewsFailureText(unread)}
        </p>
      )}
      {answer?.views.length === 0 && (
        <p className="min-h-[2lh] text-dim">
          None yet. A view is a link with a name: place, layers, filters, selection and time.
        </p>
      )}
      {answer && answer.views.length > 0 && (
        <ul className="max-h-72 divide-y divide-line overflow-y-auto rounded-control border border-line px-1">
          {answer.views.map((view) => (
            <li key={view.id}>
              <ViewRow
                view={view}
                isStart={view.id === answer.start}
                views={views}
                onOpened={onOpened}
                onDone={setDone}
              />
            </li>
          ))}
        </ul>
      )}
      {start && (
        <p className="flex items-center justify-between gap-2 text-caption text-dim">
          <span>Lookout opens at “{start.name}”, live, and H goes there.</span>
          <Button
            look="quiet"
            onClick={() =>
              views.send({ do: 'start', id: null }, () => setDone('Lookout opens at its own start again.'))
            }
          >
            Don’t start there
          </Button>
        </p>
      )}
      <p role="status" className="text-dim empty:hidden" data-testid="views-done">
        {refusal ? '' : done}
      </p>
      {refusal && (
        <p role="alert" className="text-bad">
          {viewsFailureText(refusal)}
        </p>
      )}
    </section>
  );
}

function SaveViewForm({ views, onSaved }: { readonly views: Views; readonly onSaved: (name: string) => void }) {
  const { operator } = useLookout();
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = () => {
    const view = { name, query: window.location.search, shared };
    views.send({ do: 'save', view }, () => {
      setName('');
      onSaved(name.trim());
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      className="flex flex-col gap-2"
    >
      <div className="flex gap-2">
        <ViewNameField label="Name of this view" value={name} onChange={setName} />
        <Button type="submit" disabled={views.isSending || name.trim() === ''}>
          <Bookmark aria-hidden size={14} />
          Save view
        </Button>
      </div>
      {operator !== undefined && (
        <SwitchRow label="Share with everybody on this Lookout" checked={shared} onChange={setShared} />
      )}
    </form>
  );
}
