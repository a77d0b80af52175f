'use client';

import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import type { Views } from './use-views.ts';
import { ViewNameField } from './view-name-field.tsx';

export function SaveViewForm({ views, onSaved }: { readonly views: Views; readonly onSaved: (name: string) => void }) {
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
