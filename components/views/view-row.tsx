'use client';

import { Ellipsis, House } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { SavedView } from '#lib/api/saved-view.ts';
import { openLink } from '#lib/client/page/address-bar.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import type { Views } from './use-views.ts';
import { ViewNameField } from './view-name-field.tsx';
import { ownerText } from './views-text.ts';

export interface ViewRowProps {
  readonly view: SavedView;
  readonly isStart: boolean;
  readonly views: Views;
  readonly onOpened: () => void;
  readonly onDone: (sentence: string) => void;
}

export function ViewRow({ view, isStart, views, onOpened, onDone }: ViewRowProps) {
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
      <ConfirmDelete
        name={view.name}
        isShared={view.shared}
        onKeep={stop}
        onDelete={() => views.send({ do: 'delete', id: view.id }, () => onDone(`Deleted “${view.name}”.`))}
      />
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

interface ConfirmDeleteProps {
  readonly name: string;
  readonly isShared: boolean;
  readonly onKeep: () => void;
  readonly onDelete: () => void;
}

function ConfirmDelete({ name, isShared, onKeep, onDelete }: ConfirmDeleteProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // After the menu, which gives the focus back when it has closed.
    const frame = requestAnimationFrame(() => keep.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div role="alertdialog" aria-label={`Delete ${name}?`} className="flex flex-wrap items-center gap-2 px-2 py-1">
      <span className="min-w-0 flex-1 basis-40">
        Delete “{name}”{isShared && ', also for everybody else'}?
      </span>
      <Button ref={keep} onClick={onKeep}>
        Keep
      </Button>
      <Button onClick={onDelete}>Delete</Button>
    </div>
  );
}
