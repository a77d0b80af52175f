'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark, Ellipsis, House } from 'lucide-react';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { parseAddress } from '#lib/api/address-state.ts';
import { type SavedView, type SavedViewsAnswer, VIEWS_MAX } from '#lib/api/saved-view.ts';
import { openLink } from '#lib/client/page/address-bar.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { changeFailureMessage, DATABASE_LOST_AT_LIST, failureMessage } from '#lib/client/request/refusal-message.ts';
import {
  ownerText,
  sendViewsRequest,
  VIEWS_KEY,
  type ViewsRequest,
  viewsQuery,
} from '#lib/client/views/views-query.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { RemovalQuestion } from '../ui/removal-question.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

/**
 * The saved views of an operator, and those that others share. A view is a link with a name; one of them can be where Lookout
 * opens.
 */
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
      {/* The usual height is reserved, so that nothing below moves under the pointer. */}
      {answer === undefined && !unread && <p className="min-h-[2lh] text-dim">Reading the saved views…</p>}
      {unread && (
        <p role="alert" className="text-bad">
          {answer ? 'This list may be out of date: ' : 'The saved views could not be read: '}
          {failureMessage(unread)}
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
          {changeFailureMessage(refusal, VIEW_FAILURES)}
        </p>
      )}
    </section>
  );
}

interface Views {
  readonly answer: SavedViewsAnswer | undefined;
  readonly unread: LookoutRequestError | undefined;
  readonly send: (request: ViewsRequest, onDone?: () => void) => void;
  readonly isSending: boolean;
  readonly refusal: LookoutRequestError | undefined;
}

function useViews(): Views {
  const { home, server } = useLookout();
  const queries = useQueryClient();
  const { data, error } = useQuery(viewsQuery());
  const change = useMutation<void, LookoutRequestError, ViewsRequest>({
    mutationFn: sendViewsRequest,
    // A refusal may mean that the view was changed or deleted elsewhere.
    onSettled: () => queries.invalidateQueries({ queryKey: VIEWS_KEY }),
    networkMode: 'always',
  });

  // The home of this page moves before the list shows it: a key may follow at once.
  useLayoutEffect(() => {
    if (!data) return;
    const start = data.views.find(({ id }) => id === data.start);
    home.set((start && parseAddress(start.query).state.view) ?? server.home);
  }, [data, home, server]);

  return {
    answer: data,
    unread: error ?? undefined,
    send: (request, onDone) => change.mutate(request, onDone && { onSuccess: onDone }),
    isSending: change.isPending,
    refusal: change.error ?? undefined,
  };
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

interface ViewRowProps {
  readonly view: SavedView;
  readonly isStart: boolean;
  readonly views: Views;
  readonly onOpened: () => void;
  readonly onDone: (sentence: string) => void;
}

function ViewRow({ view, isStart, views, onOpened, onDone }: ViewRowProps) {
  const lookout = useLookout();
  const [doing, setDoing] = useState<'renaming' | 'deleting'>();
  const [name, setName] = useState(view.name);
  const opener = useRef<HTMLButtonElement>(null);
  const stop = () => {
    setDoing(undefined);
    // The field or button that had the focus is gone.
    requestAnimationFrame(() => opener.current?.focus());
  };

  if (doing === 'renaming')
    return (
      <form
        className="flex gap-2 py-1"
        onSubmit={(event) => {
          event.preventDefault();
          views.send({ do: 'change', id: view.id, change: { name } }, () => {
            stop();
            onDone(`Renamed to “${name.trim()}”.`);
          });
        }}
      >
        <ViewNameField label={`New name of ${view.name}`} value={name} onChange={setName} onCancel={stop} />
        <Button type="submit" disabled={views.isSending}>
          Rename
        </Button>
      </form>
    );
  if (doing === 'deleting')
    return (
      <RemovalQuestion
        label={`Delete ${view.name}?`}
        action="Delete"
        className="px-2 py-1"
        onKeep={stop}
        onRemove={() => views.send({ do: 'delete', id: view.id }, () => onDone(`Deleted “${view.name}”.`))}
      >
        Delete “{view.name}”{view.shared && ', also for everybody else'}?
      </RemovalQuestion>
    );

  const text = ownerText(view, lookout.operator !== undefined);
  const start = (id: string | null, sentence: string) => views.send({ do: 'start', id }, () => onDone(sentence));
  return (
    <div className="flex items-center gap-1">
      <button
        ref={opener}
        type="button"
        onClick={() => {
          openLink(lookout, view.query);
          onDone(`Opened “${view.name}”.`);
          onOpened();
        }}
        className="flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left hover:bg-raised phone:min-h-11"
      >
        <span className="min-w-0">
          <span title={view.name} className="block truncate font-medium">
            {view.name}
          </span>
          {text !== undefined && <span className="block text-caption text-dim">{text}</span>}
        </span>
        {isStart && (
          <span className="ml-auto flex shrink-0 items-center gap-1 text-caption text-dim">
            <House aria-hidden size={12} />
            Start view
          </span>
        )}
      </button>
      <Menu
        trigger={
          <Button look="quiet" shape="icon" aria-label={`More for ${view.name}`}>
            <Ellipsis aria-hidden size={16} />
          </Button>
        }
      >
        {isStart ? (
          <MenuItem onSelect={() => start(null, 'Lookout opens at its own start again.')}>Don’t start here</MenuItem>
        ) : (
          <MenuItem onSelect={() => start(view.id, `Lookout opens at “${view.name}”.`)}>Start here</MenuItem>
        )}
        {view.mine && (
          <>
            {lookout.operator !== undefined && (
              <MenuItem
                onSelect={() =>
                  views.send({ do: 'change', id: view.id, change: { shared: !view.shared } }, () =>
                    onDone(
                      view.shared ? `“${view.name}” is yours alone.` : `Everybody on this Lookout sees “${view.name}”.`,
                    ),
                  )
                }
              >
                {view.shared ? 'Stop sharing' : 'Share with everybody'}
              </MenuItem>
            )}
            <MenuItem onSelect={() => setDoing('renaming')}>Rename</MenuItem>
            <MenuItem onSelect={() => setDoing('deleting')}>Delete…</MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}

interface ViewNameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  /** Called on Esc, which then does nothing else. */
  readonly onCancel?: () => void;
}

function ViewNameField({ label, value, onChange, onCancel }: ViewNameFieldProps) {
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={label}
      value={value}
      required
      // Browsers count UTF-16 units here: up to two per character.
      maxLength={2 * SHORT_NAME_MAX_LENGTH}
      autoComplete="off"
      // biome-ignore lint/a11y/noAutofocus: the operator has just asked to rename this view.
      autoFocus={onCancel !== undefined}
      onFocus={(event) => onCancel && event.currentTarget.select()}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !onCancel) return;
        event.preventDefault();
        onCancel();
      }}
      className="h-8 min-w-0 flex-1 rounded-control border border-edge bg-background px-3 text-body placeholder:text-dim phone:h-11"
    />
  );
}

/** Sentences about views that name what an operator can do, in place of the server’s. */
const VIEW_FAILURES: Readonly<Record<string, string>> = {
  name_taken: 'You have a view of this name already. Choose another.',
  too_many_views: `You have ${VIEWS_MAX} saved views, which is the most. Delete one first.`,
  not_owner: 'Only the operator who saved this view can change it.',
  not_found: 'This view is no longer there.',
  storage_failed: 'Lookout’s server cannot read or write its saved views; nothing was changed. Its log says why.',
  database_busy:
    'Lookout’s saved views are in use by another process; nothing was changed. Try again in a few seconds.',
  database_lost: DATABASE_LOST_AT_LIST,
  bad_body: `A name has 1 to ${SHORT_NAME_MAX_LENGTH} characters on one line.`,
};
