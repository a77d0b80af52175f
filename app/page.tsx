import { redirect } from 'next/navigation';
import { parseWall } from '#lib/api/wall-address.ts';
import { firstRequestScript } from '#lib/client/live/first-request-script.ts';
import { commandText } from '#lib/commands/command-text.ts';
import { currentViewer, currentWall, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { InlineScript } from './inline-script.tsx';
import { LivePage } from './live-page.tsx';

export const metadata = { title: 'Live map · Lookout' };

interface PageProps {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: PageProps) {
  const viewer = (await currentViewer()) ?? (await currentWall());
  if (!viewer) redirect(`/sign-in?${new URLSearchParams({ next: `/${await requestedQuery(searchParams)}` })}`);
  if (viewer.needs) redirect('/account');
  const names = Object.keys(await searchParams);
  if (viewer.wall && !(names.includes('wall') && names.every((name) => name === 'wall' || name === 'theme')))
    redirect('/?wall');
  const { config, views, maps, home, receivers } = runtime();
  const { mapStyle } = config;
  const startQuery = viewer.wall?.query ?? (await views.startQuery(operatorOf(viewer)));
  const operator = viewer.session && viewer.operator;
  const homeView = { ...(await home.view()), bearingDeg: 0 };
  const address = await requestedQuery(searchParams);
  const wall = parseWall(address, startQuery ?? '', homeView);
  // The map of a wall has another size.
  const firstRequest = wall
    ? undefined
    : firstRequestScript({ address, start: startQuery, home: homeView, operator: operator?.id });
  return (
    <>
      {firstRequest !== undefined && <InlineScript code={firstRequest} />}
      <LivePage
        startQuery={startQuery}
        operator={operator}
        wall={wall && viewer.wall ? { ...wall, back: undefined } : wall}
        server={{
          home: homeView,
          mapStyleUrl: mapStyle?.url,
          maps: maps.names,
          mapFetchCommand: commandText('map', 'fetch'),
          hasReceivers: receivers !== undefined,
          hasAllowance: config.upstream.hasAllowance,
          isRecording: config.upstream.isRecording,
          version: LOOKOUT_VERSION,
        }}
      />
    </>
  );
}

async function requestedQuery(searchParams: PageProps['searchParams']): Promise<string> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(await searchParams)) {
    for (const text of [value ?? []].flat()) query.append(name, text);
  }
  return query.size === 0 ? '' : `?${query}`;
}
