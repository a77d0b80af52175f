'use client';

import '#lib/client/request/zod-without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { CircleQuestionMark, Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import { usePageKey } from '#lib/client/browser/pressed-key.ts';
import { type Desk, DeskProvider, useDesk, useDeskPreferences, useTheme } from '#lib/client/page/desk.tsx';
import { lastMapAddress, makePageDesk } from '#lib/client/page/page-desk.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
import { AlarmChip } from '../alarms/alarm-chip.tsx';
import { IncidentChip } from '../incidents/incident-chip.tsx';
import { HelpButton, usePageHelp } from '../shell/page-help.tsx';
import { AccountMenu } from '../sign-in/account-menu.tsx';
import { pagesOf } from '../sign-in/pages.ts';
import { Bar, BarClock, ThemeButton } from '../ui/bar.tsx';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { classNames } from '../ui/class-names.ts';
import { Menu, MenuItem, MenuLink } from '../ui/menu.tsx';
import { StorageNote } from '../ui/storage-note.tsx';

interface PageFrameProps {
  readonly viewer: PageViewer;
  readonly title: ReactNode;
  /** The address of the page. */
  readonly path: string;
  readonly children: (zone: ClockZone) => ReactNode;
}

/**
 * The frame of every page except the map: the same bar with its alarms, and the navigation at the side or, on a small screen, in
 * a menu. Its content is shown once the preferences of this browser are read, so that no time is shown in another zone first.
 * It loads nothing of the map.
 */
export function PageFrame({ viewer, title, path, children }: PageFrameProps) {
  const [queryClient] = useState(() => new QueryClient());
  const [desk, setDesk] = useState<Desk>();
  const { operator, asOf, isLimited } = viewer;

  // Preferences are in the browser: server HTML has none.
  useEffect(() => {
    const made = makePageDesk(operator?.id, asOf);
    setDesk(made.desk);
    return made.start();
  }, [operator?.id, asOf]);

  const pages = pagesOf(viewer, desk && lastMapAddress());
  return (
    <QueryClientProvider client={queryClient}>
      <div className="flex min-h-dvh flex-col">
        <a href="#content" className="skip-link">
          Skip to the content
        </a>
        <div className="sticky top-0 z-30">
          {desk ? (
            <DeskProvider value={desk}>
              <PageBar viewer={viewer} path={path} watches={!isLimited} />
            </DeskProvider>
          ) : (
            <Bar start={<Home address="/" />} attention={null}>
              {null}
            </Bar>
          )}
        </div>
        <div className="flex flex-1">
          <nav
            aria-label="Pages"
            className="sticky top-[49px] flex h-[calc(100dvh-49px)] w-48 shrink-0 flex-col gap-0.5 overflow-y-auto border-line border-r bg-surface p-2 tablet:hidden print:hidden"
          >
            {pages.map(({ address, text, Icon }) => (
              <a
                key={address}
                href={address}
                aria-current={address === path ? 'page' : undefined}
                className={classNames(
                  'flex h-9 shrink-0 items-center gap-2.5 rounded-control px-2.5 font-medium',
                  address === path ? 'bg-raised text-text' : 'text-dim hover:bg-raised hover:text-text',
                )}
              >
                <Icon aria-hidden size={16} strokeWidth={1.75} />
                {text}
              </a>
            ))}
          </nav>
          <main
            id="content"
            tabIndex={-1}
            className="flex w-full min-w-0 max-w-[1440px] flex-1 flex-col gap-4 p-6 outline-none tablet:p-4"
          >
            <h1 className="font-semibold text-title">{title}</h1>
            <StorageNote />
            {desk && (
              <DeskProvider value={desk}>
                <Content>{children}</Content>
              </DeskProvider>
            )}
          </main>
        </div>
      </div>
    </QueryClientProvider>
  );
}

function Content({ children }: Pick<PageFrameProps, 'children'>) {
  const [{ zone }] = useDeskPreferences();
  return children(zone);
}

/** The way to the map. */
function Home({ address }: { readonly address: string }) {
  return (
    <a href={address} aria-label="Lookout: to the map" className="shrink-0 rounded-control tablet:hidden">
      <Brand />
    </a>
  );
}

interface PageBarProps extends Pick<PageFrameProps, 'viewer' | 'path'> {
  readonly watches: boolean;
}

function PageBar({ viewer, path, watches }: PageBarProps) {
  const { openAlarms } = useDesk();
  const [{ zone, theme, singleKeys }, change] = useDeskPreferences();
  const now = useNow();
  const help = usePageHelp({ version: viewer.version, path, singleKeys });
  useTheme(theme);
  // W leads to the alarms on every page.
  usePageKey('w', watches && singleKeys, openAlarms);
  const mapAddress = lastMapAddress();
  const pages = pagesOf(viewer, mapAddress);
  return (
    <>
      <Bar
        start={
          <>
            <Home address={mapAddress} />
            {pages.length > 0 && (
              <div className="hidden shrink-0 tablet:block">
                <Menu
                  align="start"
                  trigger={
                    <Button look="quiet" shape="icon" aria-label="Pages">
                      <MenuIcon aria-hidden size={18} strokeWidth={1.75} />
                    </Button>
                  }
                >
                  {pages.map(({ address, text, Icon }) => (
                    <MenuLink key={address} href={address} isHere={address === path}>
                      <Icon aria-hidden size={16} strokeWidth={1.75} />
                      {text}
                    </MenuLink>
                  ))}
                  <MenuItem onSelect={help.open}>
                    <CircleQuestionMark aria-hidden size={16} strokeWidth={1.75} />
                    Help
                  </MenuItem>
                </Menu>
              </div>
            )}
          </>
        }
        attention={
          watches && (
            <>
              <AlarmChip onOpen={openAlarms} />
              <IncidentChip />
            </>
          )
        }
      >
        {now !== undefined && <BarClock at={now} zone={zone} onZone={(chosen) => change({ zone: chosen })} />}
        <ThemeButton theme={theme} onTheme={(chosen) => change({ theme: chosen })} />
        <HelpButton onOpen={help.open} hasKey={singleKeys} className="tablet:hidden" />
        {viewer.operator && <AccountMenu viewer={viewer} path={path} isAccountOnly />}
      </Bar>
      {watches && <AlarmAnnouncer />}
      {help.dialog}
    </>
  );
}

export function ClosedCard({ children }: { readonly children: string }) {
  return (
    <Card title="For admins only">
      <p role="status">{children}</p>
    </Card>
  );
}

interface ClosedPageProps {
  readonly viewer: PageViewer & { readonly operator: SignedInOperator | undefined };
  readonly title: string;
}

/** In place of a page that is for admins. */
export function ClosedPage({ viewer, title }: ClosedPageProps) {
  const { name, role } = viewer.operator ?? {};
  return (
    <PageFrame viewer={viewer} title={title} path="">
      {() => (
        <ClosedCard>{`You are signed in as ${name}, role ${role}. This page is for admins; one of them can change your role.`}</ClosedCard>
      )}
    </PageFrame>
  );
}
