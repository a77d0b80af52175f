'use client';

import { type ReactNode, useId } from 'react';

export function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** The look of a table on a page. */
export const TABLE =
  'w-full text-left text-table tabular-nums [&_:is(th,td)]:py-1 [&_:is(th,td)]:pr-3 [&_tbody_tr]:border-line [&_tbody_tr]:border-t [&_th]:font-medium [&_tbody_th]:whitespace-nowrap [&_tbody_th]:font-normal [&_thead]:text-dim';
