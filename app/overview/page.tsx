import { overviewAddress, overviewChoiceOf } from '#lib/client/overview/coverage-choice.ts';
import { openPageViewer } from '#lib/server/routes/page-viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { OverviewView } from './overview-view.tsx';

export const metadata = { title: 'Overview · Lookout' };

interface PageProps {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: PageProps) {
  const asked = Object.entries(await searchParams).map(([name, value]) => [name, [value ?? ''].flat()[0] ?? '']);
  const viewer = await openPageViewer(overviewAddress(overviewChoiceOf(`?${new URLSearchParams(asked)}`)));
  return <OverviewView viewer={viewer} mapStyleUrl={runtime().config.mapStyle?.url} />;
}
