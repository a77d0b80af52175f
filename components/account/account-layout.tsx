'use client';

import '#lib/client/request/zod-without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { Role } from '#lib/api/people/permission.ts';
import { localStore } from '#lib/client/browser/storage.ts';
import { browserNow, ServerClock } from '#lib/client/live/server-clock.ts';
import { readPreferences } from '#lib/client/page/preferences.ts';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { Brand } from '../ui/brand.tsx';
import { classNames } from '../ui/class-names.ts';
import { StorageNote } from '../ui/storage-note.tsx';
import { refusalText } from './account-text.ts';

const WIDTHS = { text: 'w-[min(760px,100%)]', list: 'w-[min(1080px,100%)]', full: 'w-[min(1760px,100%)]' } as const;

interface AccountLayoutProps {
  readonly operator: string | undefined;
  readonly title: string;
  /** The address of the page, which its links leave out. `undefined`: the page has no links. */
  readonly path: string | undefined;
  readonly isAdmin: boolean;
  readonly hasReceivers: boolean;
  readonly width?: keyof typeof WIDTHS;
  readonly children: (zone: ClockZone) => ReactNode;
}

/**
 * The frame of every page except the map: links to the others, the theme and the clock of this browser. Its content is shown
 * once the preferences are read, so that no time is shown in another zone first.
 */
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

/** Why a part of a page could not be read, and the way out. */
export function ReadFailure({ error }: { readonly error: LookoutRequestError }) {
  if (error.code === 'not_permitted') return <ClosedCard>{refusalText(error)}</ClosedCard>;
  return (
    <p role="alert" className="text-bad">
      {error.kind === 'signed-out' ? 'Your session has ended.' : refusalText(error)}
      {error.kind === 'signed-out' && (
        <>
          {' '}
          <a href={signInAddress()} className="font-semibold text-focus underline">
            Sign in again
          </a>
        </>
      )}
    </p>
  );
}

/** Whether what was read before may stay on the page. */
export function staysShown(error: LookoutRequestError | null): boolean {
  return error?.code !== 'not_permitted' && error?.kind !== 'signed-out';
}

export function ClosedCard({ children }: { readonly children: string }) {
  return (
    <Card title="For admins only">
      <p role="status">{children}</p>
      <p className="flex flex-wrap gap-x-4 [&>a]:inline-flex [&>a]:items-center [&>a]:text-focus [&>a]:underline phone:[&>a]:min-h-11">
        <a href="/">Go to the map</a>
        <a href="/account">Your account</a>
      </p>
    </Card>
  );
}

interface ClosedPageProps {
  readonly operator: string;
  readonly name: string;
  readonly role: Role;
  readonly title: string;
}

export function ClosedPage({ operator, name, role, title }: ClosedPageProps) {
  return (
    <AccountLayout operator={operator} title={title} path={undefined} isAdmin={false} hasReceivers={false}>
      {() => (
        <ClosedCard>{`You are signed in as ${name}, role ${role}. This page is for admins; one of them can change your role.`}</ClosedCard>
      )}
    </AccountLayout>
  );
}

export function useServerNow(asOf: string | undefined): UpstreamInstant | undefined {
  const [clock] = useState(() => new ServerClock({ monotonicMs: () => performance.now(), wallNow: browserNow }));
  const [now, setNow] = useState<UpstreamInstant>();
  useEffect(() => {
    const at = asOf === undefined ? undefined : parseInstant(asOf);
    if (at === undefined) return;
    clock.sync(at, 0);
    const tick = () => setNow(clock.now());
    tick();
    const ticking = setInterval(tick, SECOND_MS);
    return () => clearInterval(ticking);
  }, [clock, asOf]);
  return now;
}
