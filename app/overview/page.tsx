import { redirect } from 'next/navigation';
import { roleMay } from '#lib/api/people/permission.ts';
import { overviewAddress, overviewChoiceOf } from '#lib/client/overview/overview-address.ts';
import { currentViewer } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { OverviewView } from './overview-view.tsx';

export const metadata = { title: 'Overview · Lookout' };

interface PageProps {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: PageProps) {
  const viewer = await currentViewer();
  if (!viewer) {
    const asked = Object.entries(await searchParams).map(([name, value]) => [name, [value ?? ''].flat()[0] ?? '']);
    const next = overviewAddress(overviewChoiceOf(`?${new URLSearchParams(asked)}`));
    redirect(`/sign-in?${new URLSearchParams({ next })}`);
  }
  if (viewer.needs) redirect('/account');
  const { config, receivers } = runtime();
  return (
    <OverviewView
      operator={viewer.session && viewer.operator.id}
      isAdmin={roleMay(viewer.operator.role, 'administer')}
      hasReceivers={receivers !== undefined}
      mapStyleUrl={config.mapStyle?.url}
    />
  );
}
