'use client';

import type { ReactNode } from 'react';
import type { Change } from './use-change.ts';

interface ChangeFormProps {
  readonly change: Change;
  readonly onSubmit: (fields: FormData) => Promise<string>;
  readonly children: ReactNode;
}

export function ChangeForm({ change, onSubmit, children }: ChangeFormProps) {
  return (
    <form
      // If the browser submits before hydration, a password must not end up in a URL.
      method="post"
      className="flex max-w-96 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const fields = new FormData(form);
        change.make(async () => {
          const done = await onSubmit(fields);
          form.reset();
          return done;
        });
      }}
    >
      {children}
    </form>
  );
}
