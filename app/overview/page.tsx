import { runtime } from '#lib/server/runtime.ts';
import { currentViewer } from '#lib/server/routes/session-cookie.ts';
import { redirect } from 'next/navigation';
import { OverviewView } from './overview-view.tsx';

export const metadata = { title: 'Overview · Lookout' };

export default async function Page() {
  const viewer = await currentViewer();
  if (!viewer) redirect('/sign-in?next=%2Foverview');
  if (viewer.needs) redirect('/account');
  return <OverviewView operator={viewer.session && viewer.operator.id} mapStyleUrl={runtime().config.mapStyle?.url} />;
}
