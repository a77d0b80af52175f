import { redirect } from 'next/navigation';
import { commandText } from '#lib/commands/command-text.ts';
import { currentViewer, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { LivePage } from './live-page.tsx';

export const metadata = { title: 'Live map · Lookout' };

interface PageProps {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: PageProps) {
  const viewer = await currentViewer();
  if (!viewer) redirect(`/sign-in?${new URLSearchParams({ next: await requestedAddress(searchParams) })}`);
  if (viewer.needs) redirect('/account');
  const { config, views, maps, home, receivers } = runtime();
  const { mapStyle } = config;
  return (
    <LivePage
      startQuery={await views.startQuery(operatorOf(viewer))}
      operator={viewer.session && viewer.operator}
      server={{
        home: { ...(await home.view()), bearingDeg: 0 },
        mapStyleUrl: mapStyle?.url,
        maps: maps.names,
        mapFetchCommand: commandText('map', 'fetch'),
        hasReceivers: receivers !== undefined,
        hasAllowance: config.upstream.hasAllowance,
        isRecording: config.upstream.isRecording,
        version: LOOKOUT_VERSION,
      }}
    />
  );
}

async function requestedAddress(searchParams: PageProps['searchParams']): Promise<string> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(await searchParams)) {
    for (const text of [value ?? []].flat()) query.append(name, text);
  }
  return query.size === 0 ? '/' : `/?${query}`;
}
