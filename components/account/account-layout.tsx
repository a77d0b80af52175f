'use client';

import '#lib/client/request/zod-without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { localStore } from '#lib/client/browser/storage.ts';
import { readPreferences } from '#lib/client/page/preferences.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Brand } from '../ui/brand.tsx';
import { classNames } from '../ui/class-names.ts';
import { StorageNote } from '../ui/storage-note.tsx';

const WIDTHS = { text: 'w-[min(760px,100%)]', list: 'w-[min(1080px,100%)]', full: 'w-[min(1760px,100%)]' } as const;

interface AccountLayoutProps {
  readonly operator: string | undefined;
  readonly title: string;
  /** Left out of the page's links; `undefined`: no links. */
  readonly path: string | undefined;
  readonly isAdmin: boolean;
  readonly hasReceivers: boolean;
  readonly width?: keyof typeof WIDTHS;
  readonly children: (zone: ClockZone) => ReactNode;
}

export function AccountLayout(props: AccountLayoutProps) {
  const { operator, title, path, isAdmin, hasReceivers, width = 'text', children } = props;
  const isSignedIn = operator !== undefined;
  const links = [
    { address: '/admin', text: 'People', isShown: isAdmin && isSignedIn },
    { address: '/admin/audit', text: 'Audit', isShown: isAdmin && isSignedIn },
    { address: '/admin/receivers', text: 'Receivers', isShown: isAdmin && hasReceivers },
    { address: '/admin/outputs', text: 'Outputs', isShown: isAdmin },
    { address: '/account', text: 'Your account', isShown: isSignedIn },
    { address: '/overview', text: 'Overview', isShown: true },
    { address: '/', text: 'Back to the map', isShown: true },
  ].filter(({ address, isShown }) => isShown && path !== undefined && address !== path);
  const [queryClient] = useState(() => new QueryClient());
  const [zone, setZone] = useState<ClockZone>();

  // Preferences are in the browser: server HTML has none.
  useEffect(() => {
    const preferences = readPreferences(localStore, operator);
    const { dataset } = document.documentElement;
    if (preferences.theme === 'system') delete dataset.theme;
    else dataset.theme = preferences.theme;
    setZone(preferences.zone);
  }, [operator]);

  return (
    <QueryClientProvider client={queryClient}>
      <main className={classNames('mx-auto flex min-h-dvh flex-col gap-4 p-4', WIDTHS[width])}>
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <Brand />
          <nav className="flex flex-wrap print:hidden gap-x-4 [&>a]:inline-flex [&>a]:items-center [&>a]:text-focus [&>a]:underline phone:[&>a]:min-h-11">
            {links.map(({ address, text }) => (
              <a key={address} href={address}>
                {text}
              </a>
            ))}
          </nav>
        </header>
        <h1 className="font-semibold text-name">{title}</h1>
        <StorageNote />
        {zone && children(zone)}
      </main>
    </QueryClientProvider>
  );
}

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
